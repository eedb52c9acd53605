import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Engine } from "../../engine.ts";
import type { Problem } from "../../errors.ts";
import type { PathGrant } from "../../grants.ts";
import { cleanLine } from "../../text.ts";
import { problemOfRule } from "../rule-problem.ts";

/** Warns of granted paths that do not exist. A missing file is not a failure, so no run would report a misspelling. */
export function missingGrantPaths({ rules, problems }: Pick<Engine, "rules" | "problems">): Problem[] {
  return rules.flatMap((rule): Problem[] => {
    const { handler, name, place } = rule;
    // A rule that cannot run has a more important problem.
    if (handler.type !== "wasm" || problemOfRule(rule, problems) !== undefined) return [];
    return (handler.grants?.paths ?? []).flatMap((grant): Problem[] => {
      const absence = absenceOf(grant);
      if (absence === undefined) return [];
      return [
        {
          severity: "warning",
          code: "HOOK_GRANT_ABSENT",
          message: cleanLine(
            `rule "${name}": grants.paths.${grant.name}: nothing is at ${grant.path} now: ${absence.what}`,
          ),
          hint: absence.hint,
          ...(place === undefined ? {} : { place }),
        },
      ];
    });
  });
}

function absenceOf({ path, access }: PathGrant): { readonly what: string; readonly hint: string } | undefined {
  if (isThere(path)) return undefined;
  if (access === "read")
    return {
      what: "the guard will find no such file",
      hint: "correct the path, or ignore this if the file is created before the guard runs",
    };
  // A path that is granted for writing need not exist yet, but its folder must exist.
  if (isThere(dirname(path))) return undefined;
  return { what: "the guard cannot write its files", hint: "create the folder: a guard cannot create one" };
}

/** Whether a path exists. A path that cannot be examined, for example for lack of permission, counts as existing. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOTDIR";
  }
}
