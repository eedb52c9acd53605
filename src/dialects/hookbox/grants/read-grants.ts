import type { Grants, StateGrant } from "../../../rule.ts";
import { type Cap, type GrantFlaw, GrantFlaws } from "./flaws.ts";
import { readHosts } from "./hosts.ts";
import { type FileTerms, readPaths } from "./paths.ts";

/** `grants` of a wasm hook, as somebody wrote them -> what the guard is given. */

export const STATE_KEYS: Cap = { usual: 64, most: 1_024 };
/** Of all keys and values together. */
export const STATE_BYTES: Cap = { usual: 65_536, most: 1_048_576 };

const KEYS = ["hosts", "paths", "state", "clock", "random", "wasi"];

export interface ReadGrants {
  /** `undefined`: nothing, be it that nothing is asked for or that something is wrong. */
  readonly grants: Grants | undefined;
  readonly flaws: readonly GrantFlaw[];
}

/**
 * Reads grants whole or not at all: one that was half understood would be a guard without what it needs, or with what
 * nobody meant to give. Relative paths are counted from the folder of the file.
 */
export function readGrants(value: unknown, file: FileTerms): ReadGrants {
  if (value === undefined) return { grants: undefined, flaws: [] };
  const flaws = new GrantFlaws();
  const said = flaws.object(value, [], KEYS, 'an object such as { "state": true }');
  if (said === undefined) return { grants: undefined, flaws: flaws.all };
  const { hosts, paths, state, clock, random, wasi } = said;
  const read = {
    hosts: hosts === undefined ? undefined : readHosts(hosts, file.layer, flaws),
    paths: paths === undefined ? undefined : readPaths(paths, file, flaws),
    state: state === undefined ? undefined : readState(state, flaws),
    clock: readWord(clock, "clock", ["fixed", "real"], flaws),
    random: readWord(random, "random", ["seeded", "real"], flaws),
    wasi: flaws.boolean(wasi, ["wasi"]) ? true : undefined,
  };
  const isSound = flaws.all.every(({ severity }) => severity === "warning");
  const given = Object.entries(read).filter(([, one]) => one !== undefined);
  return { grants: isSound && given.length > 0 ? (Object.fromEntries(given) as Grants) : undefined, flaws: flaws.all };
}

function readState(value: unknown, flaws: GrantFlaws): StateGrant | undefined {
  if (value === false) return undefined;
  const expected = `true, or { "maxKeys": ${STATE_KEYS.usual}, "maxBytes": ${STATE_BYTES.usual} }`;
  const said = value === true ? {} : flaws.object(value, ["state"], ["maxKeys", "maxBytes"], expected);
  if (said === undefined) return undefined;
  return {
    maxKeys: flaws.wholeNumber(said["maxKeys"], ["state", "maxKeys"], STATE_KEYS),
    maxBytes: flaws.wholeNumber(said["maxBytes"], ["state", "maxBytes"], STATE_BYTES),
  };
}

function readWord<Word extends string>(
  value: unknown,
  key: string,
  words: readonly Word[],
  flaws: GrantFlaws,
): Word | undefined {
  if (value === undefined || words.includes(value as Word)) return value as Word | undefined;
  flaws.mistype([key], words.map((word) => `"${word}"`).join(" or "), value);
  return undefined;
}
