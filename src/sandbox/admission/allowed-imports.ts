import type { Grants } from "../../grants.ts";
import type { ModuleImport, ModuleOutline } from "../../wasm-binary/module-binary.ts";
import { formatSignature, sameSignature } from "../../wasm-binary/signature.ts";
import {
  ALWAYS_GRANTED,
  type Capability,
  capabilitiesOf,
  toWrite as grantsToWrite,
  keysToWrite,
} from "../grants/grants.ts";
import { capabilityOf, hostFunction, type ImportName } from "../guest/guest-abi.ts";
import { Refusal } from "./refusal.ts";

/** Decides which host functions a module may import under a rule's grants. Each check throws a {@link Refusal}. */

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

export function hintToGrant(missing: Iterable<Capability>, grants: Grants = {}): string {
  const has = capabilitiesOf(grants).size > 0;
  return `if you agree, add ${has ? `${keysToWrite(missing)} to the grants of` : `${grantsToWrite(missing)} to`} the rule`;
}

function refuseImport({ module, name }: ImportName, why: string, hint?: string): never {
  const details = hint === undefined ? {} : { hint };
  throw new Refusal("HOOK_MODULE_IMPORT", "capability", `imports ${module} ${name}: ${why}`, details);
}
