import { ANY, STAR, UNKNOWN } from "../../../src/shell/marks.ts";
import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";

/**
 * Matches variables followed by a slash, with nothing or a wildcard after it. With more text after the slash, empty
 * variables would be a less common mistake.
 */
const BARE = new RegExp(`^${UNKNOWN}+/[/.]*[${STAR}${ANY}]*/?$`);

/** Judges a tree by everything in it, and a single file only by the paths of the rule's author. */
export function judgeRemoval(shell: Shell, call: Call): void {
  const recursive = has(call, "--recursive", "r") || has(call, "--recursive", "R");
  if (!recursive && !shell.places.hasConfigured) return;
  const scope = recursive ? { system: true, inside: true, work: true } : {};
  for (const target of operandsOf(call)) {
    const what = shell.protection(target, scope);
    if (what === undefined) {
      // If the variable is unset, everything in the root directory is removed.
      if (recursive && target[0] === UNKNOWN && BARE.test(target)) {
        shell.ask(`rm -r of everything in the root directory if the variable is empty: ${show(target)}`);
      }
      continue;
    }
    const flags = recursive ? (has(call, "--force", "f") ? " -rf" : " -r") : "";
    shell.deny(`rm${flags} of ${what}: ${show(target)}`);
  }
}
