import type { Grants } from "../../grants.ts";

/** Capabilities, and views of a rule's grants for checks and for display. */

/** A permission that an imported function gives a guest. Every guard has `core`, `config` and `log`. */
export type Capability = "core" | "config" | "log" | "state" | "hosts" | "paths" | "clock" | "random" | "wasi";

export const ALWAYS_GRANTED: readonly Capability[] = ["core", "config", "log"];

/** Capabilities that need a grant, in the order of display. */
export const GRANTABLE = [
  "hosts",
  "paths",
  "state",
  "clock",
  "random",
  "wasi",
] as const satisfies readonly Capability[];

/** Returns the capabilities that the grants give. */
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

/**
 * Returns the `grants` of a rule for its author to complete, such as `"grants": { "hosts": ["HOST"], "state": true }`.
 */
export function toWrite(capabilities: Iterable<Capability>): string {
  return `"grants": { ${keysToWrite(capabilities)} }`;
}

/** Like `toWrite`, without the outer key, for a rule that already has `grants`. */
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

/** Returns a short text for each grant in a fixed order, such as `hosts: https://api.example.com` or `clock: real`. */
export function words(grants: Grants = {}): readonly string[] {
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
 * Returns one line for each granted host, path and other capability, the same on every machine. A lock file lists these
 * lines. Limits such as the number of requests are not included.
 */
export function lines(grants: Grants = {}): readonly string[] {
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

/** Quotes names that contain `=` or quotation marks, so that the first `=` after an unquoted name ends the name. */
function plain(name: string): string {
  return /[="]/.test(name) ? JSON.stringify(name) : name;
}

/** Grants that a larger reviewed grant covers. */
const LESS: readonly (readonly [less: RegExp, more: string])[] = [
  [/^paths read /, "paths write "],
  [/^clock fixed$/, "clock real"],
  [/^random seeded$/, "random real"],
];

/** Returns the first line of the grants that the reviewed lines do not cover, or `undefined`. */
export function unreviewed(grants: Grants | undefined, reviewed: readonly string[] = []): string | undefined {
  return lines(grants).find(
    (line) => ![line, ...LESS.map(([less, more]) => line.replace(less, more))].some((one) => reviewed.includes(one)),
  );
}

/**
 * Returns what a guard can observe of its rule's grants during a fixture: which capabilities are granted, and their
 * limits, but not the hosts or paths. Returns an empty list if there are no grants.
 */
export function shown(grants: Grants | undefined): readonly unknown[] {
  const granted = capabilitiesOf(grants);
  if (grants === undefined || granted.size === 0) return [];
  const { hosts, state } = grants;
  return [[...granted], hosts?.maxCalls ?? null, hosts?.responseBytes ?? null, state ?? null];
}

/** Whether any guard with these grants gives the same answer for the same event and `config`. */
export function isDeterministic({ hosts, paths, state, clock, random }: Grants = {}): boolean {
  return hosts === undefined && paths === undefined && state === undefined && clock !== "real" && random !== "real";
}
