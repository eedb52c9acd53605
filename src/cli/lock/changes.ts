import type { LockEntries, LockEntry } from "../../config/lockfile.ts";

/** Compares lock file entries with the modules' present state, in words for a reviewer. Pure functions. */

export interface Difference {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

export interface Change {
  readonly module: string;
  /** The kind of change. `unfit`: the module has problems and cannot be locked. */
  readonly change: "new" | "changed" | "removed" | "same" | "unfit";
  readonly differences: readonly Difference[];
}

/** Returns one change for each module, sorted by name. The caller decides whether a module is `unfit`. */
export function changesBetween(before: LockEntries, after: LockEntries): readonly Change[] {
  const modules = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  // `hasOwn` is needed, because a lock file may contain any name, for example `toString`.
  const entryOf = (entries: LockEntries, module: string): LockEntry | undefined =>
    Object.hasOwn(entries, module) ? entries[module] : undefined;
  return modules.map((module) => changeOf(module, entryOf(before, module), entryOf(after, module)));
}

function changeOf(module: string, before: LockEntry | undefined, after: LockEntry | undefined): Change {
  if (before === undefined) return { module, change: "new", differences: [] };
  if (after === undefined) return { module, change: "removed", differences: [] };
  const differences = differencesOf(before, after);
  return { module, change: differences.length === 0 ? "same" : "changed", differences };
}

export function differencesOf(before: LockEntry, after: LockEntry): readonly Difference[] {
  const found: Difference[] = [];
  const compare = (what: string, old: unknown, current: unknown): void => {
    if (show(old) !== show(current)) found.push({ what, before: show(old), after: show(current) });
  };
  const compareSets = (what: string, old: readonly string[], current: readonly string[]): void => {
    const [was, is] = [new Set(old), new Set(current)];
    const gone = [...was].filter((one) => !is.has(one));
    const added = [...is].filter((one) => !was.has(one));
    if (gone.length + added.length > 0) found.push({ what, before: gone.join(", "), after: added.join(", ") });
  };
  compare("sha256", before.sha256, after.sha256);
  compare("bytes", before.bytes, after.bytes);
  compareSets("capabilities", listOf(before.capabilities), after.capabilities);
  compareSets("imports", before.imports, after.imports);
  compareFields("memory", before.memory, after.memory, compare);
  compareFields("manifest", before.manifest, after.manifest, compare);
  compare("fixtures", before.fixtures, after.fixtures);
  compareSets("grants", listOf(before.grants), listOf(after.grants));
  compareSets("may", listOf(before.may), after.may);
  compareFields("limits", before.limits, after.limits, compare);
  return found;
}

/** Returns the value if it is a list. A lock file may be edited by hand, and only digests and imports are validated. */
function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function compareFields(
  what: string,
  before: object | null | undefined,
  after: object | null,
  compare: (what: string, before: unknown, after: unknown) => void,
): void {
  const old = (before ?? {}) as Readonly<Record<string, unknown>>;
  const current = (after ?? {}) as Readonly<Record<string, unknown>>;
  for (const key of new Set([...Object.keys(old), ...Object.keys(current)])) {
    compare(`${what}.${key}`, old[key], current[key]);
  }
}

function show(value: unknown): string {
  if (value === undefined || value === null) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
