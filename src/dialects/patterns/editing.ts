import { canonicalEvents } from "../canonical-hook.ts";
import type { HookEditing } from "../editing.ts";
import { commandHook, type EntryFormat, placeInGroups, sectionEntries, settingsWith } from "../hook-sections.ts";

const FORMAT: EntryFormat = { eventNames: canonicalEvents("patterns"), descriptions: ["name"] };

export const patternsEditing: HookEditing = {
  entries: (value) => sectionEntries(value, ["hooks_config"], FORMAT),
  alone: (value, event, item) => settingsWith(value, ["hooks_config"], { hooks_config: { [event]: [item] } }),
  place(value, event, hook) {
    if (hook.type === "wasm") return { whyNot: "this format has no wasm hooks" };
    return placeInGroups(value, ["hooks_config", event], hook.matcher, {
      ...commandHook(hook),
      ...(hook.description === undefined ? {} : { name: hook.description }),
      ...(hook.timeoutSeconds === undefined ? {} : { timeout: hook.timeoutSeconds }),
    });
  },
};
