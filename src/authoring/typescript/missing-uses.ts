import type { ErrorCode } from "../../errors.ts";
import type { GlobalsTable } from "./globals.ts";
import { type Segment, segmentAt } from "./source-lines.ts";

/**
 * Finds uses of globals that a guard does not have. esbuild's `define` replaces a name only if no variable of that name
 * is in scope, so a marked name is the global and not an author's variable. The source map contains its place.
 */

const MARK = "__hookbox_missing_";

/** Names that are not marked, because esbuild recognises CommonJS modules by them. */
const OF_MODULES: ReadonlySet<string> = new Set(["require", "module", "exports"]);

/** Returns the `define` option of esbuild that marks missing globals. */
export function markedNames({ missing }: GlobalsTable): Readonly<Record<string, string>> {
  const names = Object.keys(missing).filter((name) => !OF_MODULES.has(name));
  return Object.fromEntries(names.map((name) => [name, `${MARK}${name}`]));
}

/** esbuild's helper for a `require` or an `import()` with a name that is only known at run time. */
const DYNAMIC_REQUIRE = "__require";

interface MissingUse {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly source: string;
  /** The line. `line` and `column` count from 1. */
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the first use of each name in each file. Ignores a name in a file that checks the name with `typeof`, because
 * that file can work without the name. `marks` counts all marked names.
 */
export function findMissing(
  text: string,
  segments: readonly (readonly Segment[])[],
  sources: readonly string[],
  { missing }: GlobalsTable,
): { readonly marks: number; readonly uses: readonly MissingUse[] } {
  const found: { readonly name: string; readonly asked: boolean; readonly source: string; readonly at: Segment }[] = [];
  let marks = 0;
  for (const [index, line] of text.split("\n").entries()) {
    for (const match of line.matchAll(USE)) {
      const [, asked, marked, plain] = match;
      if (marked !== undefined) marks += 1;
      const column = match.index + (asked?.length ?? 0);
      const at = segmentAt(segments[index] ?? [], column);
      const source = at === undefined ? undefined : sources[at.source];
      if (at === undefined || source === undefined || source.startsWith("hookbox")) continue;
      found.push({ name: marked ?? plain ?? "", asked: asked !== undefined, source, at });
    }
  }
  const askedFor = new Set(found.filter(({ asked }) => asked).map(({ source, name }) => `${source}\n${name}`));
  const seen = new Set<string>();
  const uses: MissingUse[] = [];
  for (const { name, source, at } of found) {
    const key = `${source}\n${name}`;
    if (askedFor.has(key) || seen.has(key)) continue;
    seen.add(key);
    uses.push({ ...describe(name, missing), source, line: at.line + 1, column: at.column + 1 });
  }
  return { marks, uses };
}

// The pattern also matches inside of the helper, which has no source and is therefore ignored.
const USE = new RegExp(`(typeof )?(?:\\b${MARK}(\\w+)\\b|\\b(${DYNAMIC_REQUIRE})\\b)`, "g");

function describe(name: string, missing: GlobalsTable["missing"]): Pick<MissingUse, "code" | "message" | "hint"> {
  const code = "HOOK_BUILD_GLOBAL";
  if (name !== DYNAMIC_REQUIRE)
    return { code, message: `${name} does not exist in a guard`, hint: missing[name] ?? "do without it" };
  const hint = "a guard's code is bundled when it is built: import it by a fixed name";
  return { code, message: "this loads code by a name that is known only at run time", hint };
}
