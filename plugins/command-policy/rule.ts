// Compiles permission rules, such as `Bash(git push *)`, for what a call does.

import type { JsonObject } from "../../src/json.ts";
import { readRuleText } from "../../src/matcher/condition/rule-text.ts";
import { readCommands } from "../../src/matcher/condition/shell/read-commands.ts";
import { shellSpecifier } from "../../src/matcher/condition/shell/shell-specifier.ts";
import type { Specifier } from "../../src/matcher/condition/specifier.ts";
import { parameterSpecifier, textSpecifier } from "../../src/matcher/condition/text-specifier.ts";
import { kindOfTool } from "../../src/matcher/condition/tool-kinds.ts";
import { toolPattern } from "../../src/matcher/condition/tool-pattern.ts";
import { urlSpecifier } from "../../src/matcher/condition/url-specifier.ts";
import { UNBOUNDED } from "../../src/matcher/steps.ts";
import { HOLE, OPTIONAL, type StarPattern, starPattern } from "../../src/star-pattern.ts";
import { filePattern } from "./file-pattern.ts";

/** One thing that a call does. `names` are the tools whose rules apply. */
export type Deed =
  | {
      readonly kind: "command";
      readonly names: readonly string[];
      readonly command: string;
      readonly isUnreadable: boolean;
    }
  | { readonly kind: "file"; readonly names: readonly string[]; readonly path: string; readonly cwd: string }
  | { readonly kind: "request"; readonly names: readonly string[]; readonly url: string }
  | { readonly kind: "tool"; readonly names: readonly string[]; readonly input: JsonObject };

/** `doubt`: the text of the call does not decide. */
type Match = "yes" | "no" | "doubt";

export interface PolicyRule {
  readonly text: string;
  match(deed: Deed): Match;
  /** Whether the rule matches each command of the deed's text. For a deed of another kind, whether the rule matches. */
  readonly commands: ((command: string) => boolean) | undefined;
}

/** Throws for a text that is not a rule, so that the rule of hookbox fails and its gate denies. */
export function policyRule(text: string): PolicyRule {
  const read = readRuleText(text);
  if (!read.ok) throw new Error(read.hint === undefined ? read.message : `${read.message}; ${read.hint}`);
  const { tool, specifier } = read;
  const concerns = toolPattern(tool);
  const isNamed = ({ names }: Deed): boolean => names.some((name) => concerns(name));
  if (specifier === undefined || /^\*+$/.test(specifier)) {
    return { text, match: (deed) => (isNamed(deed) ? "yes" : "no"), commands: () => true };
  }
  const matcher = matcherOf(text, tool, specifier);
  const commands = kindOfTool(tool).kind === "shell" ? shellMatcher(specifier) : undefined;
  return {
    text,
    match: (deed) => (isNamed(deed) ? matcher(deed) : "no"),
    commands: commands === undefined ? undefined : (command) => commands(command) === "yes",
  };
}

type Matcher = (deed: Deed) => Match;

function matcherOf(text: string, tool: string, specifier: string): Matcher {
  const { kind, fields } = kindOfTool(tool);
  if (kind === "shell" || kind === "opaque-shell") {
    const matches = shellMatcher(specifier);
    return (deed) => {
      if (deed.kind !== "command") return "no";
      return deed.isUnreadable || kind === "opaque-shell" ? "doubt" : matches(deed.command);
    };
  }
  if (kind === "file" || kind === "search") {
    const pattern = filePattern(specifier);
    return (deed) => (deed.kind === "file" && pattern(deed.path, deed.cwd) ? "yes" : "no");
  }
  if (kind === "url") {
    const url = urlSpecifier(specifier);
    if (!url.ok) throw new Error(`rule "${text}": ${url.message}`);
    return (deed) => (deed.kind === "request" ? tested(url.specifier, { url: deed.url }, ["url"]) : "no");
  }
  const named = textSpecifier(specifier);
  const parameter = parameterSpecifier(specifier);
  return (deed) => {
    if (deed.kind !== "tool") return "no";
    if (parameter !== undefined && tested(parameter, deed.input, fields) === "yes") return "yes";
    if (parameter !== undefined && fields.length === 0) return "no";
    return named.ok ? tested(named.specifier, deed.input, fields) : "no";
  };
}

function shellMatcher(specifier: string): (command: string) => Match {
  const shell = shellSpecifier(specifier);
  if (!shell.ok) throw new Error(shell.message);
  const [, base] = /^([\s\S]*?)(?:\s+\*|:\*)$/.exec(specifier) ?? [];
  const patterns = (base === undefined ? [specifier] : [base, `${base} *`]).map(starPattern);
  // A pattern with an operator is compared with whole pipelines.
  const spans = /[|&;<>\n]/.test(specifier);
  return (command) => {
    const match = tested(shell.specifier, { command }, ["command"]);
    return match === "yes" && !spans && !isCertain(patterns, command) ? "doubt" : match;
  };
}

/** Whether a command matches whatever its variables and substitutions expand to. */
function isCertain(patterns: readonly StarPattern[], text: string): boolean {
  const { commands, open } = readCommands(text);
  if (open === undefined) return true;
  return commands.some(({ forms }) =>
    forms.some((form) => {
      const spelled = ["", "\u0001"].map((part) => form.replaceAll(OPTIONAL, "").replaceAll(HOLE, part));
      return patterns.some((pattern) => spelled.every((one) => pattern.matches(one)));
    }),
  );
}

/** The end of the explanation of a condition that only counts as fitting. */
const UNDECIDED = "cannot be decided, so the rule applies";

function tested(specifier: Specifier, input: JsonObject, fields: readonly string[]): Match {
  const { fits, why } = specifier(input, { fields, paths: () => undefined }, UNBOUNDED);
  if (!fits) return "no";
  return why.endsWith(UNDECIDED) ? "doubt" : "yes";
}

/** Returns the simple commands of a text. Returns `undefined` if not all commands are known. */
export function commandsIn(text: string): readonly string[] | undefined {
  const { commands, doubt, open } = readCommands(text);
  return doubt === undefined && open === undefined ? commands.map(({ shown }) => shown) : undefined;
}
