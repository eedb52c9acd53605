import type { Host } from "../host.ts";
import { type Clock, makeClock } from "./clock.ts";
import { type Files, makeFiles } from "./files.ts";
import { type Http, makeHttp } from "./http.ts";
import { makeRandom, type Random } from "./random.ts";
import { makeState, type State } from "./state.ts";

/** Grants that a guard written in TypeScript can ask for. */
export type Grant = keyof typeof MEMBERS;

/** What the context has for each grant that the guard wants. */
export interface Capabilities {
  readonly state: State;
  readonly http: Http;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
}

/** A grant is named by what a rule lists; a member of the context by what the guard does with it. */
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
 * Gives a class of contexts the members that its guard wants. Of what it does not want, it has members that say so: an
 * author without a compiler learns more from them than from a missing method of `undefined`.
 *
 * What nobody wants is not kept: once the build has run, nothing refers to it any more.
 */
export function addCapabilities(prototype: object, host: Host, wants: readonly Grant[]): void {
  for (const grant of GRANTS) {
    const member = MEMBERS[grant];
    if (wants.includes(grant)) Object.defineProperty(prototype, member, { value: MAKERS[member](host) });
    else Object.defineProperty(prototype, member, { get: () => notWanted(member, grant) });
  }
}

function notWanted(member: string, grant: string): never {
  throw new TypeError(`context.${member} is only there for guards with wants: [${JSON.stringify(grant)}]`);
}
