import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../json.ts";
import type { Handler, Rule } from "../../rule.ts";
import { judgeNamed } from "../agents-judges.ts";
import type { ConfigWriter } from "../dialect.ts";
import { givenName } from "../rule-name.ts";
import { namesFor, translateMatcher } from "../translate-matcher.ts";
import { asShellLine, noSuchKind } from "../write-hook.ts";
import { type Fate, type Path, type Remark, withoutUndefined } from "../writing.ts";
import { builtinLine } from "./builtin-line.ts";
import { autohandCodec } from "./codec.ts";
import { AUTOHAND_EVENTS } from "./event-names.ts";

/** Writes rules as the flat list of Autohand's `config.json`. */
export const autohandWriter: ConfigWriter = { keepsPriority: false, write };

/** Tools with which a rule for `Edit` is written too, because its author wants to guard all edits. */
const ALSO_MEANT = { Edit: ["search_replace", "multi_file_edit", "format_file"] } as const;
const LANGUAGE = { dialect: "autohand", codec: autohandCodec, toolNames: "own", alsoMeant: ALSO_MEANT } as const;
const DEFAULT_TIMEOUT_MS = 5_000;

/** Autohand's name of each event. If an event has two names, the first name is used. */
const AGENT_EVENT: ReadonlyMap<string, string> = new Map(
  Object.entries(AUTOHAND_EVENTS)
    .map(([agent, canonical]) => [canonical as string, agent] as const)
    .reverse(),
);

function write(rules: readonly Rule[]): ReturnType<ConfigWriter["write"]> {
  const hooks: JsonObject[] = [];
  const fates = rules.map((rule): Fate => {
    const event = AGENT_EVENT.get(rule.event);
    if (event === undefined) return { refused: `autohand has no event ${rule.event}` };
    const line = commandOf(rule.handler);
    if ("refused" in line) return line;
    const { matchers, remarks } = translateMatcher(rule, LANGUAGE);
    const paths = matchers.map((matcher): Path => {
      const hook = { event, command: line.command, ...commonFields(rule, line.command, matcher) };
      // Two guards stand for one hook of Autohand.
      if (rule.handler.type === "wasm" && isDeepStrictEqual(hooks.at(-1), hook))
        return ["hooks", "hooks", hooks.length - 1];
      hooks.push(hook);
      return ["hooks", "hooks", hooks.length - 1];
    });
    return { paths, remarks: [...line.remarks, ...remarks, ...unknownTools(rule)] };
  });
  return { value: { hooks: { hooks } }, fates };
}

function commandOf(handler: Handler): ReturnType<typeof asShellLine> {
  if (handler.type === "command") return asShellLine(handler, "autohand");
  const judge = handler.type === "wasm" ? judgeNamed(handler) : undefined;
  if (judge !== undefined) return { command: `builtin:${judge}`, remarks: [] };
  if (handler.type !== "builtin") return { refused: noSuchKind("autohand", handler) };
  const command = builtinLine(handler);
  if (command === undefined)
    return { refused: "autohand writes a built-in hook as one line, whose arguments can only be plain words" };
  return handler.env === undefined && handler.workingDir === undefined
    ? { command, remarks: [] }
    : { refused: "autohand cannot set variables or a working directory for a built-in hook" };
}

function unknownTools(rule: Rule): Remark[] {
  if (rule.dialect === "autohand") return [];
  const unknown = (rule.filter?.tools ?? []).filter((tool) => namesFor(tool, rule.codec, LANGUAGE) === undefined);
  const why = "autohand has no known equivalent of this tool, so the hook may never run for it";
  return unknown.map((tool) => ({ what: `filter "${tool}"`, why, consequence: "looser" }));
}

function commonFields(rule: Rule, command: string, matcher: string | undefined): JsonObject {
  const { timeoutMs, async, filter } = rule;
  const spelled = (tool: string): readonly string[] =>
    rule.dialect === "autohand" ? [tool] : (namesFor(tool, rule.codec, LANGUAGE) ?? [tool]);
  const { tools = [], paths = [] } = filter ?? {};
  const kept = withoutUndefined({
    tool: tools.length === 0 ? undefined : tools.flatMap(spelled),
    path: paths.length === 0 ? undefined : paths,
  });
  const milliseconds = Math.max(1, Math.ceil(timeoutMs));
  return withoutUndefined({
    // The agent's name of a guard is also the rule's name.
    description: command === `builtin:${rule.name}` ? undefined : givenName(rule),
    timeout: milliseconds === DEFAULT_TIMEOUT_MS ? undefined : milliseconds,
    async: async ? true : undefined,
    matcher,
    filter: Object.keys(kept).length === 0 ? undefined : kept,
  });
}
