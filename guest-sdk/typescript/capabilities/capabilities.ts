import type { Host } from "../host.ts";
import { type Clock, makeClock } from "./clock.ts";
import { type Files, makeFiles } from "./files.ts";
import { type Http, makeHttp } from "./http.ts";
import { makeRandom, type Random } from "./random.ts";
import { makeState, type State } from "./state.ts";

/** The grants that a guard written in TypeScript can ask for. */
export type Grant = keyof typeof MEMBERS;

/** The member of the context for each grant that the guard wants. */
export interface Capabilities {
  readonly state: State;
  readonly http: Http;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
}

/** The member of the context for each grant. A grant has the name that rules use; a member is named for its purpose. */
const MEMBERS = {
  state: "state",
  hosts: "http",
  paths: "files",
  clock: "clock",
  random: "random",
} as const satisfies Record<string, keyof Capabilities>;

export type CapabilitiesOf<Want extends Grant> = Pick<Capabilities, (typeof MEMBERS)[Want]>;

export const GRANTS = Object.keys(MEMBERS) as readonly Grant[];

const MAKERS: { readonly [Name in keyof Capabilities]: (host: Host) => Capabilities[Name] } = {
  state: makeState,
  http: makeHttp,
  files: makeFiles,
  clock: makeClock,
  random: makeRandom,
};

/**
 * Adds the members for the wanted grants to the prototype of a context. Other members throw an error that names the
 * missing grant, because "cannot read properties of undefined" would tell the author less.
 *
 * Members that are not wanted are garbage after the build and take no space in the guard.
 */
export function addCapabilities(prototype: object, host: Host, wants: readonly Grant[]): void {
  for (const grant of GRANTS) {
    const member = MEMBERS[grant];
    if (wants.includes(grant)) Object.defineProperty(prototype, member, { value: MAKERS[member](host) });
    else Object.defineProperty(prototype, member, { get: () => notWanted(member, grant) });
  }
}

function notWanted(member: string, grant: string): never {
  throw new TypeError(`context.${member} is available only to guards with wants: [${JSON.stringify(grant)}]`);
}
