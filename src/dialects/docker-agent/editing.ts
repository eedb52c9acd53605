import { isJsonObject } from "../../json.ts";
import type { HookEditing, HookEntry, Path } from "../editing.ts";
import {
  commandHook,
  type EntryFormat,
  placeInGroups,
  placeInList,
  sectionEntries,
  settingsWith,
  valueAt,
} from "../hook-sections.ts";
import { GROUPED } from "./hook-lists.ts";
import { CANONICAL_EVENT } from "./spelling.ts";

/** The agent that docker-agent starts if a file has several agents. */
const FIRST_AGENT = "root";

const FORMAT: EntryFormat = { eventNames: CANONICAL_EVENT, descriptions: ["name"] };

const ON_FAILURE = { key: "on_error", words: { block: "block", continue: "warn", ignore: "ignore" } };

export const dockerAgentEditing: HookEditing = {
  onFailure: ON_FAILURE,
  entries: (value) => sections(value).flatMap((section): HookEntry[] => sectionEntries(value, section, FORMAT)),
  alone: (value, event, item) => settingsWith(value, ["hooks", "agents"], { hooks: { [event]: [item] } }),
  place(value, event, { timeoutSeconds, description, ...hook }) {
    if (hook.type === "wasm") return { whyNot: "docker-agent has no wasm hooks", hint: "hookbox run serves them" };
    if (timeoutSeconds !== undefined && !Number.isInteger(timeoutSeconds))
      return { whyNot: "docker-agent's timeouts are whole seconds" };
    const [section] = sections(value);
    if (section === undefined)
      return {
        whyNot: `none of the agents is called "${FIRST_AGENT}", so it is not clear which one the hook is for`,
        hint: "put the hooks at the top of a separate file",
      };
    const entry = {
      ...(description === undefined ? {} : { name: description }),
      ...commandHook(hook, ON_FAILURE),
      ...(timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds }),
    };
    if (GROUPED.includes(event)) return placeInGroups(value, [...section, event], hook.matcher, entry);
    if (hook.matcher !== undefined) return { whyNot: `${event} has nothing that a matcher could test` };
    return placeInList(value, [...section, event], entry);
  },
};

/** Returns the paths of the hooks, those of the first agent first. New hooks go into the first path. */
function sections(value: unknown): readonly Path[] {
  const agents = valueAt(value, ["agents"]);
  if (!isJsonObject(agents)) return [["hooks"]];
  const names = Object.keys(agents);
  const chosen = names.includes(FIRST_AGENT) ? FIRST_AGENT : names.length === 1 ? names[0] : undefined;
  const top: readonly Path[] = valueAt(value, ["hooks"]) === undefined ? [] : [["hooks"]];
  return chosen === undefined ? top : [["agents", chosen, "hooks"], ...top];
}
