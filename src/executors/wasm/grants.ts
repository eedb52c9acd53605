import type { Grants } from "../../rule.ts";
import type { Capability } from "./guest/guest-abi.ts";

/** What a rule's grants come to, for checks and for people. */

/** The capabilities that importing a function may need. */
export function capabilitiesOf(grants: Grants = {}): ReadonlySet<Capability> {
  const all: readonly (readonly [Capability, boolean])[] = [
    ["hosts", grants.hosts !== undefined],
    ["paths", grants.paths !== undefined],
    ["state", grants.state !== undefined],
    ["clock", grants.clock !== undefined],
    ["random", grants.random !== undefined],
    ["wasi", grants.wasi === true],
  ];
  return new Set(all.filter(([, isGranted]) => isGranted).map(([capability]) => capability));
}

/** A word or two for each grant, in the order of the table: `hosts: https://api.example.com`, `clock: real`. */
export function grantWords(grants: Grants = {}): readonly string[] {
  const { hosts, paths, state, clock, random, wasi } = grants;
  return [
    ...(hosts === undefined ? [] : [`hosts: ${hosts.allow.join(", ")}`]),
    ...(paths === undefined ? [] : [`paths: ${paths.map(({ name, access }) => `${name} (${access})`).join(", ")}`]),
    ...(state === undefined ? [] : ["state"]),
    ...(clock === undefined ? [] : [`clock: ${clock}`]),
    ...(random === undefined ? [] : [`random: ${random}`]),
    ...(wasi === true ? ["wasi"] : []),
  ];
}

/** Whether the same event and `config` get the same answer, whatever the guard does with what it was granted. */
export function isDeterministic({ hosts, paths, state, clock, random }: Grants = {}): boolean {
  return hosts === undefined && paths === undefined && state === undefined && clock !== "real" && random !== "real";
}
