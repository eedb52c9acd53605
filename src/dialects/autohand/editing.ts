import { isJsonObject } from "../../json.ts";
import type { HookEditing } from "../editing.ts";
import { type EntryFormat, hookEntry, settingsWith, valueAt } from "../hook-sections.ts";
import { AUTOHAND_EVENTS } from "./event-names.ts";
import { missingHooks } from "./shipped-hooks.ts";

const LIST = ["hooks", "hooks"] as const;

const FORMAT: EntryFormat = { eventNames: AUTOHAND_EVENTS, hookSwitch: "enabled", descriptions: ["description"] };

/** Edits the list of hooks, in which each hook names its event. Timeouts are in milliseconds. */
export const autohandEditing: HookEditing = {
  hookSwitch: "enabled",
  fileSwitch: { path: ["hooks", "enabled"], off: false },
  entries(value) {
    const list = valueAt(value, LIST);
    if (!Array.isArray(list)) return [];
    return list.map((hook, index) => {
      const event = isJsonObject(hook) && typeof hook["event"] === "string" ? hook["event"] : "(no event)";
      return hookEntry(hook, [...LIST, index], event, null, FORMAT);
    });
  },
  shipped(value) {
    const list = valueAt(value, LIST);
    const hooks = Array.isArray(list) ? list : [];
    return missingHooks(hooks).map((hook, index) => ({ path: [...LIST, hooks.length + index], value: hook }));
  },
  alone: (value, _event, item) => settingsWith(value, ["hooks"], { hooks: { hooks: [item] } }),
  place(value, event, { type, run, matcher, description, timeoutSeconds }) {
    if (type === "wasm") return { whyNot: "Autohand has no wasm hooks", hint: "hookbox run serves them" };
    const list = valueAt(value, LIST);
    const hook = {
      event,
      command: run,
      ...(description === undefined ? {} : { description }),
      enabled: true,
      ...(matcher === undefined ? {} : { matcher }),
      ...(timeoutSeconds === undefined ? {} : { timeout: Math.ceil(timeoutSeconds * 1_000) }),
    };
    return { path: [...LIST, Array.isArray(list) ? list.length : 0], value: hook };
  },
};
