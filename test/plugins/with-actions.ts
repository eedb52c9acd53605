import { actionsOf } from "../../src/actions/actions-of.ts";
import { isJsonObject } from "../../src/json.ts";

/** Adds the actions of a tool call to the text of an event, as the host does. Keeps the spelling of the other text. */
export function withActions(text: string): string {
  try {
    const event: unknown = JSON.parse(text);
    if (!isJsonObject(event) || event["actions"] !== undefined) return text;
    const actions = JSON.stringify(actionsOf(event, String(event["dialect"])) ?? []);
    return text.replace(/\}\s*$/, () => `,"actions":${actions}}`);
  } catch {
    return text;
  }
}
