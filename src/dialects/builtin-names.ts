import type { ErrorCode } from "../errors.ts";
import { BUILTIN_NAMES, JUDGED_BY_GUARDS } from "../events/builtins.ts";
import { suggest } from "../suggest.ts";
import { SHIPPED_GUARDS } from "./shipped-guards.ts";

/** Names of built-in hooks, for every place in a file that can contain such a name. */

export interface NoSuchBuiltin {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** Returns why there is no built-in hook of this name. Returns `undefined` if the hook exists. */
export function noSuchBuiltin(name: string): NoSuchBuiltin | undefined {
  if (BUILTIN_NAMES.includes(name)) return undefined;
  if (JUDGED_BY_GUARDS.includes(name)) return guardToCome(name);
  if (SHIPPED_GUARDS.includes(name)) {
    const hint = `{ "type": "wasm", "module": "builtin:${name}" }`;
    return { code: "HOOK_BUILTIN", message: `"${name}" is a guard, not a built-in hook`, hint };
  }
  const hint = suggest(name, BUILTIN_NAMES) ?? `built-in hooks: ${BUILTIN_NAMES.join(", ")}`;
  return { code: "HOOK_BUILTIN", message: `there is no built-in hook "${name}"`, hint };
}

/** Returns the problem for an agent's built-in hook that judges actions. hookbox has no guard of that name yet. */
export function guardToCome(name: string): NoSuchBuiltin | undefined {
  if (!JUDGED_BY_GUARDS.includes(name)) return undefined;
  const message = `"${name}" judges actions, which only guards do, and hookbox has no guard of that name yet`;
  const guards = SHIPPED_GUARDS.map((guard) => `builtin:${guard}`).join(", ");
  return { code: "HOOK_CONFIG_UNSUPPORTED", message, hint: `available guards: ${guards}` };
}
