import type { ErrorCode } from "../errors.ts";
import { BUILTIN_NAMES } from "../events/builtins.ts";
import { suggest } from "../suggest.ts";
import { GUARD_OF_JUDGE, SHIPPED_GUARDS } from "./shipped-guards.ts";

/** Names of built-in hooks, for every place in a file that can contain such a name. */

export interface NoSuchBuiltin {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** Returns why there is no built-in hook of this name. Returns `undefined` if the hook exists. */
export function noSuchBuiltin(name: string): NoSuchBuiltin | undefined {
  if (BUILTIN_NAMES.includes(name)) return undefined;
  const guard = Object.hasOwn(GUARD_OF_JUDGE, name) ? GUARD_OF_JUDGE[name] : undefined;
  if (guard !== undefined || SHIPPED_GUARDS.includes(name)) {
    const hint = `{ "type": "wasm", "module": "builtin:${guard ?? name}" }`;
    return { code: "HOOK_BUILTIN", message: `"${name}" is a guard, not a built-in hook`, hint };
  }
  const hint = suggest(name, BUILTIN_NAMES) ?? `built-in hooks: ${BUILTIN_NAMES.join(", ")}`;
  return { code: "HOOK_BUILTIN", message: `there is no built-in hook "${name}"`, hint };
}
