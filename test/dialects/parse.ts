import { BUILTIN_DEFAULTS } from "../../src/config/layered-settings.ts";
import type { ParseContext } from "../../src/dialects/dialect.ts";
import { dialectNamed } from "../../src/dialects/registry.ts";
import type { Problem } from "../../src/errors.ts";
import type { Rule } from "../../src/rule.ts";
import { brokenIn, commandsIn, open, whereIs } from "../config/config-files.ts";

/** The two dialects that share the `hooks` object. */
export const FORMATS = ["hookbox", "claude-code"] as const;
export type Format = (typeof FORMATS)[number];

interface Parsed {
  readonly rules: readonly Rule[];
  readonly problems: readonly Problem[];
}

export async function parse(format: string, config: unknown, context: Partial<ParseContext> = {}): Promise<Parsed> {
  const dialect = dialectNamed(format);
  if (dialect === undefined) throw new Error(`no dialect ${format}`);
  const document = await open(typeof config === "string" ? config : JSON.stringify(config));
  const configFormat = await dialect.configFormat();
  return configFormat.parseRules(document, {
    layer: "project",
    baseDir: "/base",
    defaults: BUILTIN_DEFAULTS,
    ...context,
  });
}

/** Parses one handler at an event: returns its rule and the problems. */
export async function parseHandler(
  format: Format,
  handler: object,
  event = "PreToolUse",
  context: Partial<ParseContext> = {},
): Promise<{ readonly rule: Rule | undefined; readonly problems: readonly Problem[] }> {
  const parsed = await parse(format, { hooks: { [event]: [{ hooks: [handler] }] } }, context);
  const rules = parsed.rules.filter(({ implied }) => implied !== true);
  const { problems } = parsed;
  if (rules.length > 1) throw new Error(`one rule expected: ${JSON.stringify(rules)}`);
  return { rule: rules[0], problems };
}

const hook = (command: string) => `{ "type": "command", "command": "${command}" }`;

/** A configuration in which only the tested entry may be invalid. Entries are JSON text. */
export const configText = {
  /** `entry` is one handler among others of a group for Bash. */
  handler: (entry: string, event = "PreToolUse") => `{
  "hooks": {
    "${event}": [
      { "matcher": "Bash", "hooks": [
        ${hook("before")},
        ${entry},
        ${hook("behind")}
      ] },
      { "hooks": [ ${hook("next group")} ] }
    ],
    "Stop": [ { "hooks": [ ${hook("next event")} ] } ]
  }
}`,
  /** `entry` is one group among others. */
  group: (entry: string, event = "PreToolUse") => `{
  "hooks": {
    "${event}": [
      { "matcher": "Bash", "hooks": [ ${hook("before")}, ${hook("behind")} ] },
      ${entry},
      { "hooks": [ ${hook("next group")} ] }
    ],
    "Stop": [ { "hooks": [ ${hook("next event")} ] } ]
  }
}`,
  /** `entry` is one key of `hooks`, with its value. */
  event: (entry: string) => `{
  "hooks": {
    "PostToolUse": [
      { "matcher": "Bash", "hooks": [ ${hook("before")}, ${hook("behind")} ] },
      { "hooks": [ ${hook("next group")} ] }
    ],
    ${entry},
    "Stop": [ { "hooks": [ ${hook("next event")} ] } ]
  }
}`,
} as const;

const OTHERS = ["before", "behind", "next group", "next event"];

/** Returns the result for the tested entry, and whether the others are complete. */
export async function outcomeOf(format: Format, text: string) {
  const { rules, problems } = await parse(format, text);
  const commands = commandsIn(rules);
  return {
    othersLoaded: OTHERS.every((command) => commands.includes(command)),
    broken: brokenIn(rules),
    loaded: commands.filter((command) => !OTHERS.includes(command)),
    problems,
  };
}

/** Returns the place of `needle`, as a problem in `text` must name it. */
export function placeOf(needle: string, text: string) {
  return { file: "hookbox.json", ...whereIs(needle, text) };
}
