import type { Grants, WasmLock } from "../../grants.ts";
import { unreviewed as unreviewedGrant } from "../grants/grants.ts";
import { Refusal } from "./refusal.ts";

/** Checks a module against the rule's digest and the lock file. Each check throws a {@link Refusal}. */

export function checkDigest(digest: string, pinned: string | undefined): void {
  if (pinned === undefined || pinned.toLowerCase() === digest) return;
  throw new Refusal("HOOK_MODULE_DIGEST", "integrity", `has sha256 ${digest}, and the rule pins ${pinned}`);
}

/** Checks a module against the lock file: digest, imports and grants, because a user may have edited the digest. */
export function checkLock(
  digest: string,
  imports: readonly string[],
  { locked, grants }: { readonly locked?: WasmLock | undefined; readonly grants?: Grants | undefined },
): void {
  if (locked === undefined) return;
  if (locked === "unreadable")
    throw new Refusal("HOOK_LOCK_INVALID", "integrity", "cannot be checked, because hookbox.lock cannot be read");
  if (locked === "missing") {
    throw new Refusal(
      "HOOK_LOCK_MISSING",
      "integrity",
      'is not in hookbox.lock; review and add it with "hookbox lock"',
    );
  }
  if (locked.sha256 !== digest) {
    throw new Refusal(
      "HOOK_LOCK_MISMATCH",
      "integrity",
      `has sha256 ${digest}, and hookbox.lock pins ${locked.sha256}; "hookbox lock" shows what changed`,
    );
  }
  const reviewed = new Set(locked.imports);
  const unreviewed = imports.find((one) => !reviewed.has(one));
  if (unreviewed !== undefined) refuseUnlisted(`imports ${unreviewed}`);
  const granted = unreviewedGrant(grants, locked.grants);
  if (granted !== undefined) refuseUnlisted(`is granted "${granted}"`);
}

function refuseUnlisted(what: string): never {
  const message = `${what}, which hookbox.lock does not list; "hookbox lock" shows what changed`;
  throw new Refusal("HOOK_LOCK_MISMATCH", "integrity", message);
}
