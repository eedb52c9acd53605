import { isJsonObject } from "../../json.ts";
import type { HookEditing, Path } from "../editing.ts";
import { commandHook, type EntryFormat, placeInList, sectionEntries, settingsWith } from "../hook-sections.ts";
import { AGENTAO_EVENTS } from "./event-names.ts";

const FORMAT: EntryFormat = { eventNames: AGENTAO_EVENTS, descriptions: [] };

/** The field that a matcher tests at each event. Events that are not listed have no such field. */
const MATCHER_KEY: Readonly<Record<string, string>> = {
  PreToolUse: "toolName",
  PostToolUse: "toolName",
  PostToolUseFailure: "toolName",
  PreCompact: "trigger",
};

export const agentaoEditing: HookEditing = {
  entries: (value) => sectionEntries(value, sectionOf(value), FORMAT),
  alone: (value, event, item) =>
    settingsWith(value, ["hooks", ...Object.keys(AGENTAO_EVENTS)], { hooks: { [event]: [item] } }),
  place(value, event, hook) {
    if (hook.type === "wasm") return { whyNot: "Agentao has no wasm hooks", hint: "hookbox run serves them" };
    if (hook.description !== undefined)
      return { whyNot: "a hook of Agentao has no description", hint: "leave out --description" };
    const { timeoutSeconds, matcher } = hook;
    if (timeoutSeconds !== undefined && !Number.isInteger(timeoutSeconds))
      return { whyNot: "Agentao's timeouts are whole seconds" };
    const key = MATCHER_KEY[event];
    if (matcher !== undefined && key === undefined) return { whyNot: `${event} has nothing that a matcher could test` };
    return placeInList(value, [...sectionOf(value), event], {
      ...commandHook(hook),
      ...(matcher === undefined || key === undefined ? {} : { matcher: { [key]: matcher } }),
      ...(timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds }),
    });
  },
};

/** Returns the path of the events, which may also be at the top of the file, without the key `hooks`. */
function sectionOf(value: unknown): Path {
  if (!isJsonObject(value) || value["hooks"] !== undefined) return ["hooks"];
  return Object.keys(value).some((key) => Object.hasOwn(AGENTAO_EVENTS, key)) ? [] : ["hooks"];
}
