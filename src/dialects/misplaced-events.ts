import { EVENT_NAMES } from "../events/lookup.ts";
import type { EventName } from "../events/table.ts";
import { isJsonObject } from "../json.ts";
import type { ConfigDocument, ParseContext, ParsedConfig } from "./dialect.ts";
import type { Speaker } from "./handler-format.ts";
import { RuleCollector } from "./rule-collector.ts";

/**
 * Reports events at the top level of a file that has a section for events (`section`). Their hooks would never run
 * although the file looks correct. Therefore each such event is an error, and its gate stays shut.
 */
export function misplacedEvents(
  document: ConfigDocument,
  context: ParseContext,
  speaker: Speaker,
  section = "hooks",
): ParsedConfig {
  const collector = new RuleCollector(document, context, speaker);
  for (const [key, value] of Object.entries(isJsonObject(document.value) ? document.value : {})) {
    const event = Array.isArray(value) || isJsonObject(value) ? eventCalled(key) : undefined;
    if (event === undefined) continue;
    const message = `"${key}" is an event, and is outside of "${section}"`;
    const hint = hintForEvent(document, event, section);
    collector.lose({ event, name: key }, "HOOK_CONFIG_UNKNOWN_KEY", [key], message, { hint, part: "key" });
  }
  return collector.all;
}

/** Returns where to move an event that is at the top level of a file. */
export function hintForEvent({ value, locate }: ConfigDocument, event: string, section = "hooks"): string {
  const there = isJsonObject(value) ? value[section] : undefined;
  const [other] = isJsonObject(there) ? Object.keys(there) : [];
  const beside = other === undefined ? "" : `, next to "${other}"`;
  const { line } = locate([section], "key");
  const where = isJsonObject(there)
    ? `move it into the object of "${section}"${line === undefined ? "" : ` (line ${line})`}, as "${event}"${beside}`
    : `write { "${section}": { "${event}": [ … ] } }`;
  return `${where}: its hooks do not run where they are`;
}

/** Returns the event that a key names, in any case and with any separators. */
export function eventCalled(key: string): string | undefined {
  // A long key cannot be an event, and this check keeps files with many long keys cheap.
  return key.length > MAX_NAME_LENGTH ? undefined : EVENT_OF.get(plainOf(key));
}

const MAX_NAME_LENGTH = 100;

function plainOf(name: string): string {
  return name.replace(/[-_:. ]/g, "").toLowerCase();
}

const EVENT_OF: ReadonlyMap<string, EventName> = new Map(EVENT_NAMES.map((name) => [plainOf(name), name]));
