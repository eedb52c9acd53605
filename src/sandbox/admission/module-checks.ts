import type { Grants, WasmLock } from "../../grants.ts";
import type { ModuleBinary, ModuleImport, ModuleOutline } from "../../wasm-binary/module-binary.ts";
import type { ModuleMemory } from "../../wasm-binary/module-sections.ts";
import { formatSignature, type Signature } from "../../wasm-binary/signature.ts";
import {
  ALWAYS_GRANTED,
  type Capability,
  capabilitiesOf,
  toWrite as grantsToWrite,
  keysToWrite,
  unreviewed as unreviewedGrant,
} from "../grants/grants.ts";
import {
  COMMAND,
  capabilityOf,
  ENTRY_POINT,
  hostFunction,
  type ImportName,
  INITIALIZE,
  START_EXPORTS,
  START_POINT,
} from "../guest/guest-abi.ts";
import { Refusal, type RefusalDetails } from "./refusal.ts";

/** Conditions that a module must meet to run. Each check throws a {@link Refusal}. */

export const MAX_MODULE_BYTES = 8 * 1_048_576;
export const PAGE_BYTES = 65_536;

export function checkSize(bytes: number): void {
  if (bytes <= MAX_MODULE_BYTES) return;
  throw new Refusal("HOOK_MODULE_LIMIT", "memory", `is ${bytes} bytes long; the limit is ${MAX_MODULE_BYTES}`, {
    limit: MAX_MODULE_BYTES,
    value: bytes,
  });
}

export function checkDigest(digest: string, pinned: string | undefined): void {
  if (pinned === undefined || pinned.toLowerCase() === digest) return;
  throw new Refusal("HOOK_MODULE_DIGEST", "integrity", `has sha256 ${digest}, and the rule pins ${pinned}`);
}

/** Checks a module against the lock file: digest, imports and grants, because a user may have edited the digest. */
export function checkLock(
  digest: string,
  imports: readonly string[],
  { locked, grants }: { readonly locked?: WasmLock | undefined; readonly grants?: Grants | undefined },
): void {
  if (locked === undefined) return;
  if (locked === "unreadable")
    throw new Refusal("HOOK_LOCK_INVALID", "integrity", "cannot be checked, because hookbox.lock cannot be read");
  if (locked === "missing") {
    throw new Refusal(
      "HOOK_LOCK_MISSING",
      "integrity",
      'is not in hookbox.lock; review and add it with "hookbox lock"',
    );
  }
  if (locked.sha256 !== digest) {
    throw new Refusal(
      "HOOK_LOCK_MISMATCH",
      "integrity",
      `has sha256 ${digest}, and hookbox.lock pins ${locked.sha256}; "hookbox lock" shows what changed`,
    );
  }
  const reviewed = new Set(locked.imports);
  const unreviewed = imports.find((one) => !reviewed.has(one));
  if (unreviewed !== undefined) refuseUnlisted(`imports ${unreviewed}`);
  const granted = unreviewedGrant(grants, locked.grants);
  if (granted !== undefined) refuseUnlisted(`is granted "${granted}"`);
}

function refuseUnlisted(what: string): never {
  const message = `${what}, which hookbox.lock does not list; "hookbox lock" shows what changed`;
  throw new Refusal("HOOK_LOCK_MISMATCH", "integrity", message);
}

/** Maximum numbers that a module may declare. V8 allocates and compiles by these numbers, even for unused entries. */
const MAX_TABLES = 4;
export const MAX_TABLE_ENTRIES = 10_000;
const MAX_FUNCTIONS = 50_000;
const MAX_GLOBALS = 1_000;

export function checkSizes(binary: ModuleBinary): void {
  const largest = (numbers: readonly number[]): number => numbers.reduce((most, number) => Math.max(most, number), 0);
  const sizes: readonly (readonly [string, number, number])[] = [
    ["tables", binary.tables.length, MAX_TABLES],
    ["entries in a table", largest(binary.tables.map((table) => table.initial)), MAX_TABLE_ENTRIES],
    ["functions", binary.bodies.length, MAX_FUNCTIONS],
    ["globals", binary.globals, MAX_GLOBALS],
  ];
  for (const [what, value, limit] of sizes) {
    if (value > limit)
      throw new Refusal("HOOK_MODULE_LIMIT", "memory", `has ${value} ${what}; the limit is ${limit}`, { limit, value });
  }
}

/** Start exports that are allowed if the rule grants `wasi`. */
const WASI_START_EXPORTS: ReadonlySet<string> = new Set([COMMAND, INITIALIZE]);

export function startExportsOf({ exports }: ModuleOutline): readonly string[] {
  return START_EXPORTS.filter((name) => exports.some((one) => one.name === name));
}

export function checkStart(outline: ModuleOutline): void {
  if (outline.hasStart) refuseStart("a start function");
}

export function checkStartExports(names: readonly string[], grants: Grants | undefined): void {
  const name = names.find((one) => grants?.wasi !== true || !WASI_START_EXPORTS.has(one));
  if (name === undefined) return;
  const isWasi = WASI_START_EXPORTS.has(name);
  refuseStart(name, isWasi ? { hint: hintToGrant(["wasi"], grants) } : {});
}

function refuseStart(what: string, details: RefusalDetails = {}): never {
  throw new Refusal("HOOK_MODULE_ABI", "capability", `has ${what}, which would run before any limit applies`, details);
}

export function checkImport(entry: ModuleImport, { imports }: ModuleOutline, grants: Grants | undefined): void {
  checkGranted(entry, imports, grants);
  const refuse = (why: string): never => refuseImport(entry, why);
  if (entry.kind !== "function") refuse(`a ${entry.kind} cannot be imported`);
  const known = hostFunction(entry);
  if (known === undefined) refuse("no such host function");
  else if (!sameSignature(entry.signature, known)) {
    refuse(`its type must be ${formatSignature(known)}, not ${formatSignature(entry.signature)}`);
  }
}

/** Throws if the rule does not grant what an import needs. The hint names the missing grants of all imports. */
export function checkGranted(entry: ImportName, imports: readonly ImportName[], grants: Grants | undefined): void {
  const capability = capabilityOf(entry);
  if (!lacks(capability, grants)) return;
  const missing = imports.map(capabilityOf).filter((one) => lacks(one, grants));
  const hint = hintToGrant(missing, grants);
  refuseImport(entry, capability === "wasi" ? "WASI is not granted" : `needs a grant of "${capability}"`, hint);
}

function lacks(capability: Capability | "unknown", grants: Grants | undefined): capability is Capability {
  if (capability === "unknown" || ALWAYS_GRANTED.includes(capability)) return false;
  return !capabilitiesOf(grants).has(capability);
}

function hintToGrant(missing: Iterable<Capability>, grants: Grants = {}): string {
  const has = capabilitiesOf(grants).size > 0;
  return `if you agree, add ${has ? `${keysToWrite(missing)} to the grants of` : `${grantsToWrite(missing)} to`} the rule`;
}

function refuseImport({ module, name }: ImportName, why: string, hint?: string): never {
  const details = hint === undefined ? {} : { hint };
  throw new Refusal("HOOK_MODULE_IMPORT", "capability", `imports ${module} ${name}: ${why}`, details);
}

function sameSignature(actual: Signature | undefined, expected: Signature): boolean {
  return actual !== undefined && formatSignature(actual) === formatSignature(expected);
}

/** Checks the function that the rule names, and `_initialize`, which runs before it. */
export function checkEntryPoints(outline: ModuleOutline, name: string): void {
  checkFunction(outline, name, name === COMMAND ? START_POINT : ENTRY_POINT);
  if (outline.exports.some((one) => one.name === INITIALIZE)) checkFunction(outline, INITIALIZE, START_POINT);
}

function checkFunction(outline: ModuleOutline, name: string, type: Signature): void {
  const found = outline.exports.find((one) => one.name === name);
  if (found?.kind === "function" && sameSignature(found.signature, type)) return;
  const must = `it must be ${formatSignature(type)}`;
  const isCommand = name !== COMMAND && outline.exports.some((one) => one.name === COMMAND);
  const hint = isCommand ? { hint: `if it is a WASI command, add "function": "${COMMAND}" to the rule` } : {};
  const what = found?.kind === "function" ? `as ${formatSignature(found.signature)}` : `as a ${found?.kind}`;
  throw new Refusal(
    "HOOK_MODULE_ABI",
    "unavailable",
    found === undefined ? `has no export "${name}"; ${must}` : `exports "${name}" ${what}; ${must}`,
    found === undefined ? hint : {},
  );
}

export function checkMemory({ memory, memories }: ModuleOutline, memoryBytes: number): void {
  if (memories > 1)
    throw new Refusal("HOOK_MODULE_LIMIT", "memory", `has ${memories} memories; the limit is 1`, {
      limit: 1,
      value: memories,
    });
  if (memory === undefined) return;
  if (memory.flags > 1) throw new Refusal("HOOK_MODULE_INVALID", "memory", "has a shared or 64-bit memory");
  if (memory.initialPages <= Math.floor(memoryBytes / PAGE_BYTES)) return;
  const value = memory.initialPages * PAGE_BYTES;
  throw new Refusal(
    "HOOK_MODULE_LIMIT",
    "memory",
    `starts with ${value} bytes of memory; the limit is ${memoryBytes}`,
    { limit: memoryBytes, value },
  );
}

/** Returns the maximum number of memory pages of the guest. */
export function pagesFor(memory: ModuleMemory | undefined, memoryBytes: number): number {
  return Math.min(Math.floor(memoryBytes / PAGE_BYTES), memory?.maximumPages ?? Number.POSITIVE_INFINITY);
}
