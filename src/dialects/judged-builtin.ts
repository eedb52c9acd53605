import { JUDGED_BY_GUARDS } from "../events/builtins.ts";

/**
 * Why a built-in hook that judges what it is shown cannot run yet; `undefined` for all others. It is refused by name, and
 * its gates stay shut: a judge that is asked for and missing is not the same as no judge.
 */
export function awaitedGuard(name: string): string | undefined {
  if (!JUDGED_BY_GUARDS.includes(name)) return undefined;
  return `built-in hook "${name}" is for a guard of that name, which comes next: until then the gates that it stands at deny`;
}
