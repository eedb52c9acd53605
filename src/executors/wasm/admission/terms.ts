import type { AdmissionTerms } from "./examination.ts";
import { checkDigest, checkLock } from "./module-checks.ts";
import { Refusal, type RefusedModule } from "./refusal.ts";

/** What a rule asks of a module beyond what admission has found out about it once and for all. */
export function flawOf(digest: string, imports: readonly string[], terms: AdmissionTerms): RefusedModule | undefined {
  try {
    checkDigest(digest, terms.sha256);
    checkLock(digest, imports, terms.locked);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.refused;
    throw error;
  }
}
