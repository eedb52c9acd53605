import type { Codec } from "../codec.ts";
import { conditionForms, hintForCondition } from "../dialects/condition-form.ts";
import { isKnownTool, knownTools, toolMeantBy } from "../dialects/known-tools.ts";
import type { EventContract } from "../events/contract.ts";
import { compileMatcher, matches } from "../matcher/tool-name.ts";

/** A tool matcher in a wrong form: the form of an `if`, or of a regular expression in JavaScript. */
export interface MisformedMatcher {
  readonly message: string;
  readonly hint: string;
}

interface MatcherContext {
  readonly codec: Codec;
  readonly style: EventContract["matcherStyle"];
  /** Whether hooks of the format can have an `if`. */
  readonly takesIf: boolean;
}

/** Returns `undefined` if the form of the matcher is correct, or if the matcher fits a known tool unchanged. */
export function misformedMatcher(matcher: string, context: MatcherContext): MisformedMatcher | undefined {
  const [whole, expression, flags = ""] = /^\/(.+)\/([a-z]*)$/.exec(matcher) ?? [];
  if (whole !== undefined && !fitsAnyTool(whole, context)) {
    const message = `matcher "${matcher}" is between slashes, and no tool has slashes in its name`;
    return { message, hint: `write "${flags.includes("i") ? "(?i)" : ""}${expression}"` };
  }
  for (const { tool: written, specifier } of conditionForms(matcher)) {
    const tool = isKnownTool(written, context.codec) ? written : toolMeantBy(written, context.codec)?.name;
    if (tool === undefined || fitsAnyTool(`${written}${specifier}`, context)) continue;
    const message = `matcher "${matcher}" is written like an "if", and fits no tool`;
    const hint = context.takesIf
      ? hintForCondition({ tool, specifier })
      : `write "${tool}": a matcher tests the name of a tool, and not its input`;
    return { message, hint };
  }
  return undefined;
}

function fitsAnyTool(matcher: string, { codec, style }: MatcherContext): boolean {
  const compiled = compileMatcher(matcher, style);
  return compiled.ok && knownTools(codec).some((name) => matches(compiled.matcher, name));
}
