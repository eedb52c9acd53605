import type { BigIntStats } from "node:fs";
import { ask, type Steps } from "./disk.ts";

/**
 * Whether what was found in a folder has that very name there. Some disks take `POLICY.JSON` for `policy.json`, or one
 * Unicode form for another, and answer by the name that they were asked for. So the same thing is looked for by other
 * spellings; only if it answers to one of those, too, the folder is read to see which is its own. `undefined` stands for
 * a folder in which nothing was found by that name.
 */
export function* isExactName(folder: string, name: string, found: BigIntStats): Steps<boolean> {
  for (const other of otherSpellings(name)) {
    const there = yield* ask("lstat", `${folder}/${other}`);
    if (there === undefined || there.ino !== found.ino || there.dev !== found.dev) continue;
    return (yield* ask("readdir", folder)).includes(name);
  }
  return true;
}

/** Not all that a disk could take for the same: one that it does take is enough to make it read the folder. */
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
