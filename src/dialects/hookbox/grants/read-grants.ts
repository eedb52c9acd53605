import type { Grants, StateGrant } from "../../../grants.ts";
import { type Cap, type GrantFlaw, GrantFlaws } from "./flaws.ts";
import { readHosts } from "./hosts.ts";
import { type FileOrigin, readPaths } from "./paths.ts";

/** Reads `grants` of a wasm hook. */

export const STATE_KEYS: Cap = { usual: 64, most: 1_024 };
/** Limits on the bytes of all keys and values together. */
export const STATE_BYTES: Cap = { usual: 65_536, most: 1_048_576 };

const KEYS = ["hosts", "paths", "state", "clock", "random", "wasi"];

export interface ReadGrants {
  /** The grants. `undefined` if the rule asks for nothing, or if its grants contain an error. */
  readonly grants: Grants | undefined;
  readonly flaws: readonly GrantFlaw[];
}

/**
 * Reads all grants or none. If a part were ignored, the guard would lack a capability that it needs, or have an
 * unintended one. Relative paths are resolved against the folder of the file.
 */
export function readGrants(value: unknown, file: FileOrigin): ReadGrants {
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
  const isValid = flaws.all.every(({ severity }) => severity === "warning");
  const given = Object.entries(read).filter(([, one]) => one !== undefined);
  return { grants: isValid && given.length > 0 ? (Object.fromEntries(given) as Grants) : undefined, flaws: flaws.all };
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
