import { isExpired } from "../../engine/exceptions.ts";
import type { Engine } from "../../engine.ts";
import type { Problem } from "../../errors.ts";
import type { RuleException } from "../../exception.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";
import { wasUsed } from "../../state/exception-use.ts";

/** Warns of exceptions that are expired, that were never used on this machine, or that loosen no rule. */
export function unneededExceptions({ exceptions, rules }: Pick<Engine, "exceptions" | "rules">): Problem[] {
  const now = Date.now();
  return exceptions.flatMap((one): Problem[] => {
    const why = isExpired(one, now)
      ? { message: `has expired on ${one.expires}`, hint: "remove it, or set a later day after a review" }
      : rules.every((rule) => rule.exceptions?.some((other) => isSame(other, one)) !== true)
        ? {
            message: "is for no rule that this file may loosen",
            hint: "a file loosens rules that are at most as trusted",
          }
        : !wasUsed(one, defaultStateFolder)
          ? { message: "was never used on this machine", hint: "remove it if the call does not occur" }
          : undefined;
    if (why === undefined) return [];
    const place = one.place === undefined ? {} : { place: one.place };
    const message = `the exception from "${one.guard ?? one.rule}" ${why.message}`;
    return [{ severity: "warning", code: "HOOK_EXCEPTION_UNNEEDED", message, hint: why.hint, ...place }];
  });
}

function isSame(one: RuleException, other: RuleException): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
