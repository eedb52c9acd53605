import type { EventContract } from "../events/contract.ts";
import { lazyPackage } from "../lazy-package.ts";
import { Steps, UNBOUNDED } from "./steps.ts";
import { MAX_UNFOLDED, unfoldedSize } from "./unfolded-size.ts";

/**
 * Claude Code's matcher, from section "Matcher patterns" of its hooks reference. `*`, empty or absent matches all.
 * Names of plain characters are compared exactly, in lists separated by `|` or `,`. Any other matcher is an unanchored,
 * case-sensitive regular expression. Other agents use other styles. In `anchored`, every matcher is an expression for
 * the whole name; in `unanchored`, for any part of the name. In `glob`, a matcher is a name with `*` and `?`, or an
 * expression between `^` and `$`.
 */
export type Matcher =
  | { readonly kind: "all" }
  | { readonly kind: "names"; readonly names: readonly string[] }
  | {
      readonly kind: "pattern";
      readonly source: string;
      readonly isWhole: boolean;
      test(subject: string, steps?: Steps): boolean;
    };

type CompiledMatcher =
  | { readonly ok: true; readonly matcher: Matcher }
  | { readonly ok: false; readonly message: string };

const re2js = lazyPackage<typeof import("re2js")>("re2js");

const MAX_PATTERN_LENGTH = 2_000;
// RE2's time is linear in subject times program, and repetitions unfold into programs of any size. With both limits,
// one search takes at most about half a second.
const MAX_PROGRAM_SIZE = 2_500;
/** Steps for each instruction and each character. */
const STEPS_PER_INSTRUCTION = 6;
// A longer subject counts as a match, so that the hook runs.
const MAX_SUBJECT_LENGTH = 2_048;

const LITERAL = { wide: /^[A-Za-z0-9_\- ,|]+$/, narrow: /^[A-Za-z0-9_|]+$/ } as const;
const SEPARATOR = { wide: /[|,]/, narrow: /\|/ } as const;

const WHOLE_NAMES = /^[A-Za-z0-9_-]+(?:\|[A-Za-z0-9_-]+)*$/;

const ALL: Matcher = Object.freeze({ kind: "all" });

export function compileMatcher(source: string | undefined, style: EventContract["matcherStyle"]): CompiledMatcher {
  if (source === undefined || source === "" || source === "*") return { ok: true, matcher: ALL };
  if (style === "anchored") {
    // Names and lists of names have the same meaning in both forms, and are faster to look up.
    return WHOLE_NAMES.test(source)
      ? { ok: true, matcher: { kind: "names", names: [...new Set(source.split("|"))] } }
      : compilePattern(source, `^(?:${source})$`);
  }
  if (style === "unanchored") return compilePattern(source);
  if (style === "glob") return compileGlobOrPattern(source);
  if (LITERAL[style].test(source)) {
    const names = source
      .split(SEPARATOR[style])
      .map((name) => name.trim())
      .filter((name) => name !== "");
    if (names.length === 0) return { ok: false, message: `matcher "${source}" names no tool` };
    return { ok: true, matcher: { kind: "names", names: [...new Set(names)] } };
  }
  return compilePattern(source);
}

function compileGlobOrPattern(source: string): CompiledMatcher {
  if (source.startsWith("^") && source.endsWith("$")) return compilePattern(source, source);
  if (!/[*?]/.test(source)) return { ok: true, matcher: { kind: "names", names: [source] } };
  const parts = source.split(/([*?])/);
  const pattern = parts.map((part) => (part === "*" ? "[\\s\\S]*" : part === "?" ? "[\\s\\S]" : quoted(part))).join("");
  return compilePattern(source, `^(?:${pattern})$`, pattern);
}

function quoted(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}

/**
 * Compiles a pattern for RE2's linear-time engine. Thirty characters of input can hang a backtracking engine, and in
 * most agents a hung engine is an open gate.
 */
function compilePattern(source: string, whole?: string, expression = source): CompiledMatcher {
  // A pattern is cached, because it is compiled when it is read, when it is checked and when its rule comes into force.
  const key = `${whole ?? ""}\0${expression}`;
  const known = compiled.get(key) ?? compileUncached(source, whole, expression);
  if (compiled.size === MAX_COMPILED) compiled.clear();
  compiled.set(key, known);
  return known;
}

const MAX_COMPILED = 2_000;
const compiled = new Map<string, CompiledMatcher>();

function compileUncached(source: string, whole: string | undefined, expression: string): CompiledMatcher {
  if (source.length > MAX_PATTERN_LENGTH) {
    return {
      ok: false,
      message: `matcher pattern is ${source.length} characters long; the limit is ${MAX_PATTERN_LENGTH}`,
    };
  }
  const unfolded = unfoldedSize(expression);
  if (unfolded > MAX_UNFOLDED) return unfoldsTooFar(source, unfolded, MAX_UNFOLDED);
  try {
    // The expression is compiled without the brackets first, because the brackets could change its meaning.
    const alone = re2js().RE2JS.compile(inRe2Spelling(expression));
    const pattern = whole === undefined ? alone : re2js().RE2JS.compile(inRe2Spelling(whole));
    const size = pattern.programSize();
    if (size > MAX_PROGRAM_SIZE) return unfoldsTooFar(source, size, MAX_PROGRAM_SIZE);
    return {
      ok: true,
      matcher: {
        kind: "pattern",
        source,
        isWhole: whole !== undefined,
        test: (subject, steps = UNBOUNDED) => {
          if (subject.length > MAX_SUBJECT_LENGTH) return true;
          steps.take(STEPS_PER_INSTRUCTION * size * (subject.length + 1));
          return pattern.matcher(subject).find();
        },
      },
    };
  } catch (error) {
    if (!(error instanceof re2js().RE2JSException)) throw error;
    const what = isRegExp(source) ? "a pattern that can be run in linear time" : "a pattern";
    return { ok: false, message: `matcher "${source}" is not ${what}: ${error.message}` };
  }
}

function unfoldsTooFar(source: string, size: number, limit: number): CompiledMatcher {
  return { ok: false, message: `matcher "${source}" unfolds into ${size} instructions; the limit is ${limit}` };
}

/** Converts `\uXXXX` to RE2's spelling, because RE2 spells only this JavaScript escape differently. */
function inRe2Spelling(source: string): string {
  return source.replace(/\\(?:u([0-9A-Fa-f]{4})|[\s\S])/g, (sequence, hex: string | undefined) =>
    hex === undefined ? sequence : `\\x{${hex}}`,
  );
}

function isRegExp(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}

export function matches(matcher: Matcher, ...subjects: readonly (string | undefined)[]): boolean {
  return matchesWithin(UNBOUNDED, matcher, subjects) === true;
}

/** Whether a subject matches. Returns `"doubt"` if the steps do not suffice to decide. */
export function matchesWithin(
  steps: Steps,
  matcher: Matcher,
  subjects: readonly (string | undefined)[],
): boolean | "doubt" {
  if (matcher.kind === "all") return true;
  const { kind } = matcher;
  // If the expected subject is missing, the rule runs, because not running a guard is the unsafe direction.
  const fits = (subject: string | undefined): boolean =>
    subject === undefined || (kind === "names" ? matcher.names.includes(subject) : matcher.test(subject, steps));
  return Steps.orDoubt<boolean | "doubt">(() => subjects.some(fits), "doubt");
}

/** Returns one line for `explain`. */
export function describeMatch(
  matcher: Matcher,
  subject: string | undefined,
  contract: EventContract,
  spellings: readonly string[] = [],
): string {
  if (matcher.kind === "all") return "no matcher: applies always";
  if (contract.subject === null) return "the event has nothing to match on: applies always";
  const field = [contract.subject].flat().join(" ");
  if (subject === undefined) return `the payload has no ${field} that a matcher could test: applies`;
  const spelled = matches(matcher, subject) ? undefined : spellings.find((one) => matches(matcher, one));
  const shown = spelled === undefined ? `"${subject}"` : `"${subject}", also called "${spelled}",`;
  const verb = spelled !== undefined || matches(matcher, subject) ? "matches" : "does not match";
  return matcher.kind === "names"
    ? `${field} ${shown} ${verb} ${matcher.names.map((name) => `"${name}"`).join(" or ")} (exact)`
    : `${field} ${shown} ${verb} /${matcher.source}/ (${matcher.isWhole ? "the whole name" : "anywhere in the name"})`;
}
