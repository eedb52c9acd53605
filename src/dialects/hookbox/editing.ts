import { canonicalEvents } from "../canonical-hook.ts";
import type { HookEditing } from "../editing.ts";
import { commandHook, type EntryFormat, placeInGroups, sectionEntries, settingsWith } from "../hook-sections.ts";

const FORMAT: EntryFormat = {
  eventNames: canonicalEvents("hookbox"),
  hookSwitch: "enabled",
  descriptions: ["description", "name"],
};

const ON_FAILURE = { key: "onFailure", words: { block: "block", continue: "continue", ignore: "ignore" } };

export const hookboxEditing: HookEditing = {
  onFailure: ON_FAILURE,
  hookSwitch: "enabled",
  fileSwitch: { path: ["disableAllHooks"], off: true },
  entries: (value) => sectionEntries(value, ["hooks"], FORMAT),
  alone: (value, event, item) => settingsWith(value, ["hooks", "disableAllHooks"], { hooks: { [event]: [item] } }),
  place: (value, event, hook) =>
    placeInGroups(value, ["hooks", event], hook.matcher, {
      ...commandHook(hook, ON_FAILURE),
      ...(hook.description === undefined ? {} : { description: hook.description }),
      ...(hook.timeoutSeconds === undefined ? {} : { timeoutMs: Math.round(hook.timeoutSeconds * 1_000) }),
    }),
};
