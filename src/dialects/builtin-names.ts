import type { ErrorCode } from "../errors.ts";
import { BUILTIN_NAMES, JUDGED_BY_GUARDS } from "../events/builtins.ts";
import { suggest } from "./suggest.ts";

/** What the names of built-in hooks stand for, wherever a file may name one. */

const PREFIX = "builtin:";

/** Of `builtin:NAME` the name; `undefined` for anything else. */
export function builtinName(text: string): string | undefined {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : undefined;
}

/** Guards that ship with hookbox. A test holds the list to them. */
export const SHIPPED_GUARDS: readonly string[] = ["secret-guard", "shell-guard"];

export interface NoSuchBuiltin {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** Why there is no hook of that name; `undefined` where there is. */
export function noSuchBuiltin(name: string): NoSuchBuiltin | undefined {
  if (BUILTIN_NAMES.includes(name)) return undefined;
  if (JUDGED_BY_GUARDS.includes(name)) return guardToCome(name);
  if (SHIPPED_GUARDS.includes(name)) {
    const hint = `{ "type": "wasm", "module": "builtin:${name}" }`;
    return { code: "HOOK_BUILTIN", message: `"${name}" is a guard, and no built-in hook`, hint };
  }
  const hint = suggest(name, BUILTIN_NAMES) ?? `built-in hooks: ${BUILTIN_NAMES.join(", ")}`;
  return { code: "HOOK_BUILTIN", message: `there is no built-in hook "${name}"`, hint };
}

/** Of an agent's built-in that judges: no version of hookbox has a guard of that name yet. */
export function guardToCome(name: string): NoSuchBuiltin | undefined {
  if (!JUDGED_BY_GUARDS.includes(name)) return undefined;
  const message = `"${name}" judges, which is a guard's work, and a guard of that name is yet to come`;
  const guards = SHIPPED_GUARDS.map((guard) => `${PREFIX}${guard}`).join(", ");
  return { code: "HOOK_CONFIG_UNSUPPORTED", message, hint: `guards that there are: ${guards}` };
}
