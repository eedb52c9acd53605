import { canonicalEvents } from "../canonical-hook.ts";
import type { HookEditing } from "../editing.ts";
import { commandHook, type EntryFormat, placeInGroups, sectionEntries, settingsWith } from "../hook-sections.ts";

const FORMAT: EntryFormat = { eventNames: canonicalEvents("claude-code"), descriptions: ["statusMessage"] };

const ON_FAILURE = { key: "onFailure", words: { block: "block", continue: "continue" } };

export const claudeCodeEditing: HookEditing = {
  onFailure: ON_FAILURE,
  fileSwitch: { path: ["disableAllHooks"], off: true },
  entries: (value) => sectionEntries(value, ["hooks"], FORMAT),
  alone: (value, event, item) => settingsWith(value, ["hooks", "disableAllHooks"], { hooks: { [event]: [item] } }),
  place(value, event, hook) {
    if (hook.type === "wasm") return { whyNot: "Claude Code has no wasm hooks", hint: "hookbox run serves them" };
    if (hook.description !== undefined)
      return { whyNot: "a hook of Claude Code has no description", hint: "leave out --description" };
    return placeInGroups(value, ["hooks", event], hook.matcher, {
      ...commandHook(hook, ON_FAILURE),
      ...(hook.timeoutSeconds === undefined ? {} : { timeout: hook.timeoutSeconds }),
    });
  },
};
