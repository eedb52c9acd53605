import type { AdmissionTerms } from "./examination.ts";
import { checkDigest, checkGranted, checkLock, checkStartExports } from "./module-checks.ts";
import { Refusal, type RefusedModule } from "./refusal.ts";

/** What a rule may find fault with in a module whose bytes are known. */
export interface KnownModule {
  readonly digest: string;
  /** `MODULE NAME` of each import. */
  readonly imports: readonly string[];
  /** See `START_EXPORTS`. */
  readonly startExports: readonly string[];
}

/** What a rule asks of a module beyond what admission has found out about it once and for all. */
export function flawOf(
  { digest, imports, startExports }: KnownModule,
  terms: AdmissionTerms,
): RefusedModule | undefined {
  try {
    checkDigest(digest, terms.sha256);
    checkLock(digest, imports, terms);
    // In the order of an examination: a module is refused for the same reason whether it is known or new.
    checkStartExports(startExports, terms.grants);
    const names = imports.map(splitName);
    for (const entry of names) checkGranted(entry, names, terms.grants);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.refused;
    throw error;
  }
}

/** No namespace of ours has a blank in it, and no function. */
export function splitName(entry: string): { readonly module: string; readonly name: string } {
  const blank = entry.indexOf(" ");
  return { module: entry.slice(0, blank), name: entry.slice(blank + 1) };
}
