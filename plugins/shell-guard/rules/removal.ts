import { ANY, STAR, UNKNOWN } from "../../../src/shell/marks.ts";
import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";

/** Variables, and then a slash with nothing or everything behind it. Where more is said, more than they is missed. */
const BARE = new RegExp(`^${UNKNOWN}+/[/.]*[${STAR}${ANY}]*/?$`);

/** Removing a tree is judged by everything in it, removing a file only where the rule's author said so. */
export function judgeRemoval(shell: Shell, call: Call): void {
  const recursive = has(call, "--recursive", "r") || has(call, "--recursive", "R");
  if (!recursive && !shell.places.hasConfigured) return;
  const scope = recursive ? { system: true, inside: true, work: true } : {};
  for (const target of operandsOf(call)) {
    const what = shell.protection(target, scope);
    if (what === undefined) {
      // What stands in the root directory goes with the first unset variable.
      if (recursive && target[0] === UNKNOWN && BARE.test(target)) {
        shell.ask(`rm -r of everything in the root directory if the variable is empty: ${show(target)}`);
      }
      continue;
    }
    const flags = recursive ? (has(call, "--force", "f") ? " -rf" : " -r") : "";
    shell.deny(`rm${flags} of ${what}: ${show(target)}`);
  }
}
