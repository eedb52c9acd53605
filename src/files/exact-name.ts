import type { BigIntStats } from "node:fs";
import { ask, type Steps } from "./disk.ts";

/**
 * Whether the found entry has exactly this name on disk. Some disks treat `POLICY.JSON` and `policy.json`, or two
 * Unicode forms, as one name. Therefore other forms of the name are looked up too. If one of them finds the same entry,
 * the folder is listed to see the name on disk.
 */
export function* isExactName(folder: string, name: string, found: BigIntStats): Steps<boolean> {
  for (const other of otherSpellings(name)) {
    const there = yield* ask("lstat", `${folder}/${other}`);
    if (there === undefined || there.ino !== found.ino || there.dev !== found.dev) continue;
    return (yield* ask("readdir", folder)).includes(name);
  }
  return true;
}

/** Returns some of the forms that a disk may treat as the same name. One such form is enough to cause a listing. */
function otherSpellings(name: string): ReadonlySet<string> {
  const others = new Set([name.toLowerCase(), name.toUpperCase()]);
  if (/[^\0-\x7f]/.test(name)) {
    const seen = name.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
    for (const other of [seen, seen.normalize("NFC"), seen.normalize("NFD")]) others.add(other);
    others.delete("");
  }
  others.delete(name);
  return others;
}
