import { lazyPackage } from "../../lazy-package.ts";

/** A model's search pattern. The pattern is an RE2 expression, because a backtracking engine can take forever. */
export interface SearchPattern {
  /** Returns the offset of the first match in a line, or -1. */
  find(line: string): number;
}

type CompiledSearch =
  | { readonly ok: true; readonly pattern: SearchPattern }
  | { readonly ok: false; readonly message: string };

const re2js = lazyPackage<typeof import("re2js")>("re2js");

const MAX_LENGTH = 1_000;
// RE2 takes time linear in text times program size. With these limits a line takes at most about 10 ms.
const MAX_PROGRAM_SIZE = 500;
export const MAX_LINE_LENGTH = 10_000;

export function compileSearch(source: string): CompiledSearch {
  if (source.length > MAX_LENGTH) {
    return { ok: false, message: `the pattern is ${source.length} characters long; the limit is ${MAX_LENGTH}` };
  }
  try {
    const compiled = re2js().RE2JS.compile(source);
    const size = compiled.programSize();
    if (size > MAX_PROGRAM_SIZE) {
      return { ok: false, message: `the pattern unfolds into ${size} instructions; the limit is ${MAX_PROGRAM_SIZE}` };
    }
    const find = (line: string): number => {
      const matcher = compiled.matcher(line.slice(0, MAX_LINE_LENGTH));
      return matcher.find() ? matcher.start() : -1;
    };
    return { ok: true, pattern: { find } };
  } catch (error) {
    if (!(error instanceof re2js().RE2JSException)) throw error;
    return { ok: false, message: `the pattern is no regular expression in RE2's syntax: ${error.message}` };
  }
}
