import type { Grants } from "../../grants.ts";
import type { ModuleOutline } from "../../wasm-binary/module-binary.ts";
import { formatSignature, type Signature, sameSignature } from "../../wasm-binary/signature.ts";
import { COMMAND, ENTRY_POINT, INITIALIZE, START_EXPORTS, START_POINT } from "../guest/guest-abi.ts";
import { hintToGrant } from "./allowed-imports.ts";
import { Refusal, type RefusalDetails } from "./refusal.ts";

/** Checks the functions that a module exports for the host to call. Each check throws a {@link Refusal}. */

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
