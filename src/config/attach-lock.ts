import type { Problem } from "../errors.ts";
import type { WasmLock } from "../grants.ts";
import type { Rule } from "../rule.ts";
import { type LockFile, type LockText, lockKey, parseLock } from "./lockfile.ts";

/** The prefix of built-in guards, which need no lock because hookbox's code pins them. */
const BUILTIN = "builtin:";

/** Adds the lock to each rule. If there is a lock file, only modules that match the lock file run. */
export async function applyLockFile(
  rules: readonly Rule[],
  text: LockText,
  folder: string,
): Promise<{ readonly rules: readonly Rule[]; readonly problems: readonly Problem[] }> {
  if (!rules.some(isLockable)) return { rules, problems: [] };
  const lock = await parseLock(text, folder);
  if (lock.kind === "none") return { rules, problems: [] };
  const held = rules.map((rule) =>
    rule.handler.type === "wasm" && isLockable(rule)
      ? { ...rule, handler: { ...rule.handler, locked: lockOf(rule.handler.module, lock) } }
      : rule,
  );
  return { rules: held, problems: lock.kind === "broken" ? [lock.problem] : [] };
}

export function isLockable({ handler }: Rule): boolean {
  return handler.type === "wasm" && !handler.module.startsWith(BUILTIN);
}

function lockOf(module: string, lock: Exclude<LockFile, { kind: "none" }>): WasmLock {
  if (lock.kind === "broken") return "unreadable";
  const key = lockKey(module);
  const entry = Object.hasOwn(lock.entries, key) ? lock.entries[key] : undefined;
  if (entry === undefined) return "missing";
  const { sha256, imports, grants } = entry;
  return { sha256, imports, ...(grants === undefined ? {} : { grants }) };
}
