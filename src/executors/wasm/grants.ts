import type { Grants } from "../../rule.ts";
import { type Capability, GRANTABLE } from "./guest/guest-abi.ts";

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

/** Grants that let a module with these capabilities in, and reach nothing: for whoever asks what would load. */
export function grantsToLoad(capabilities: Iterable<Capability>): Grants {
  const every: Readonly<Partial<Record<Capability, Grants>>> = {
    hosts: { hosts: { allow: [], network: "public", maxCalls: 0, responseBytes: 0 } },
    paths: { paths: [] },
    state: { state: { maxKeys: 0, maxBytes: 0 } },
    clock: { clock: "fixed" },
    random: { random: "seeded" },
    wasi: { wasi: true },
  };
  return Object.assign({}, ...[...capabilities].map((one) => every[one])) as Grants;
}

/** How a rule is written that grants these, for its author to fill in: `"grants": { "hosts": ["HOST"], "state": true }`. */
export function grantsToWrite(capabilities: Iterable<Capability>): string {
  return `"grants": { ${keysToWrite(capabilities)} }`;
}

/** The same without the outer key, for a rule that has it. */
export function keysToWrite(capabilities: Iterable<Capability>): string {
  const wanted = new Set(capabilities);
  return GRANTABLE.filter((one) => wanted.has(one))
    .map((one) => `"${one}": ${VALUE_TO_WRITE[one] ?? true}`)
    .join(", ");
}

const VALUE_TO_WRITE: Readonly<Partial<Record<Capability, string>>> = {
  hosts: '["HOST"]',
  paths: '{ "NAME": "./FILE" }',
  clock: '"real"',
  random: '"seeded"',
};

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

/**
 * Each thing that is granted, a line each, in words that are the same on every machine: what a lock file holds a rule to.
 * Caps are not among them; what they bound is.
 */
export function grantLines(grants: Grants = {}): readonly string[] {
  const { hosts, paths = [], state, clock, random, wasi } = grants;
  return [
    ...(hosts?.allow.map((host) => `hosts ${host}`) ?? []),
    ...(hosts?.network === "private" ? ["hosts allowPrivate"] : []),
    ...paths.map(({ name, path, written = path, access }) => `paths ${access} ${plain(name)} = ${written}`),
    ...(state === undefined ? [] : ["state"]),
    ...(clock === undefined ? [] : [`clock ${clock}`]),
    ...(random === undefined ? [] : [`random ${random}`]),
    ...(wasi === true ? ["wasi"] : []),
  ];
}

/** Only a name without quotation marks ends where the first `=` stands. */
function plain(name: string): string {
  return /[="]/.test(name) ? JSON.stringify(name) : name;
}

/** What was reviewed in another form, of which the line gives less. */
const LESS: readonly (readonly [less: RegExp, more: string])[] = [
  [/^paths read /, "paths write "],
  [/^clock fixed$/, "clock real"],
  [/^random seeded$/, "random real"],
];

/** The first line of the grants that the reviewed ones do not cover; `undefined` where all are. */
export function unreviewedGrant(grants: Grants | undefined, reviewed: readonly string[] = []): string | undefined {
  return grantLines(grants).find(
    (line) => ![line, ...LESS.map(([less, more]) => line.replace(less, more))].some((one) => reviewed.includes(one)),
  );
}

/**
 * What a guard can tell of its rule's grants in a world that is given: which there are, and how much may be done with
 * them, but not whom or what they name. Nothing for none.
 */
export function grantsShown(grants: Grants | undefined): readonly unknown[] {
  const granted = capabilitiesOf(grants);
  if (grants === undefined || granted.size === 0) return [];
  const { hosts, state } = grants;
  return [[...granted], hosts?.maxCalls ?? null, hosts?.responseBytes ?? null, state ?? null];
}

/** Whether the same event and `config` get the same answer, whatever the guard does with what it was granted. */
export function isDeterministic({ hosts, paths, state, clock, random }: Grants = {}): boolean {
  return hosts === undefined && paths === undefined && state === undefined && clock !== "real" && random !== "real";
}
