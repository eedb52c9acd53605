import { splitName } from "../guest/guest-abi.ts";
import { checkGranted } from "./allowed-imports.ts";
import { checkDigest, checkLock } from "./check-lock.ts";
import { checkStartExports } from "./entry-points.ts";
import type { ModuleRequirements } from "./examination.ts";
import { Refusal, type RefusedModule } from "./refusal.ts";

/** The facts about an examined module that other rules' requirements are checked against. */
interface KnownModule {
  readonly digest: string;
  /** `MODULE NAME` of each import. */
  readonly imports: readonly string[];
  /** The module's start exports; see `START_EXPORTS`. */
  readonly startExports: readonly string[];
}

/** Checks a module that was admitted earlier against the requirements of one rule: digest, lock file and grants. */
export function refusalOf(
  { digest, imports, startExports }: KnownModule,
  requirements: ModuleRequirements,
): RefusedModule | undefined {
  try {
    checkDigest(digest, requirements.sha256);
    checkLock(digest, imports, requirements);
    // The order equals that in `examine`, so that a known module is refused for the same reason as a new module.
    checkStartExports(startExports, requirements.grants);
    const names = imports.map(splitName);
    for (const entry of names) checkGranted(entry, names, requirements.grants);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.refused;
    throw error;
  }
}
