import type { Grants, StateGrant } from "../../../grants.ts";
import { type Cap, type GrantProblem, GrantProblems } from "./grant-problems.ts";
import { readHosts } from "./hosts.ts";
import { readPaths } from "./paths.ts";
import type { FileOrigin } from "./place.ts";

/** Reads `grants` of a wasm hook. */

export const STATE_KEYS: Cap = { usual: 64, most: 1_024 };
/** Limits on the bytes of all keys and values together. */
export const STATE_BYTES: Cap = { usual: 65_536, most: 1_048_576 };

const KEYS = ["hosts", "paths", "state", "clock", "random", "wasi"];

interface ReadGrants {
  /** The grants. `undefined` if the rule asks for nothing, or if its grants contain an error. */
  readonly grants: Grants | undefined;
  readonly problems: readonly GrantProblem[];
}

/**
 * Reads all grants or none. If a part were ignored, the guard would lack a capability that it needs, or have an
 * unintended one. Relative paths are resolved against the folder of the file.
 */
export function readGrants(value: unknown, file: FileOrigin): ReadGrants {
  if (value === undefined) return { grants: undefined, problems: [] };
  const problems = new GrantProblems();
  const said = problems.object(value, [], KEYS, 'an object such as { "state": true }');
  if (said === undefined) return { grants: undefined, problems: problems.all };
  const { hosts, paths, state, clock, random, wasi } = said;
  const read = {
    hosts: hosts === undefined ? undefined : readHosts(hosts, file.layer, problems),
    paths: paths === undefined ? undefined : readPaths(paths, file, problems),
    state: state === undefined ? undefined : readState(state, problems),
    clock: readWord(clock, "clock", ["fixed", "real"], problems),
    random: readWord(random, "random", ["seeded", "real"], problems),
    wasi: problems.boolean(wasi, ["wasi"]) ? true : undefined,
  };
  const isValid = problems.all.every(({ severity }) => severity === "warning");
  const given = Object.entries(read).filter(([, one]) => one !== undefined);
  return {
    grants: isValid && given.length > 0 ? (Object.fromEntries(given) as Grants) : undefined,
    problems: problems.all,
  };
}

function readState(value: unknown, problems: GrantProblems): StateGrant | undefined {
  if (value === false) return undefined;
  const expected = `true, or { "maxKeys": ${STATE_KEYS.usual}, "maxBytes": ${STATE_BYTES.usual} }`;
  const said = value === true ? {} : problems.object(value, ["state"], ["maxKeys", "maxBytes"], expected);
  if (said === undefined) return undefined;
  return {
    maxKeys: problems.wholeNumber(said["maxKeys"], ["state", "maxKeys"], STATE_KEYS),
    maxBytes: problems.wholeNumber(said["maxBytes"], ["state", "maxBytes"], STATE_BYTES),
  };
}

function readWord<Word extends string>(
  value: unknown,
  key: string,
  words: readonly Word[],
  problems: GrantProblems,
): Word | undefined {
  if (value === undefined || words.includes(value as Word)) return value as Word | undefined;
  problems.mistype([key], words.map((word) => `"${word}"`).join(" or "), value);
  return undefined;
}
