import { show } from "../paths/protected.ts";
import type { Shell } from "../shell/shell.ts";
import { type Call, has, operandsOf } from "./call.ts";

/** Removing a tree is judged by everything in it, removing a file only where the rule's author said so. */
export function judgeRemoval(shell: Shell, call: Call): void {
  const recursive = has(call, "--recursive", "r") || has(call, "--recursive", "R");
  if (!recursive && !shell.places.hasConfigured) return;
  const scope = recursive ? { system: true, inside: true, work: true } : {};
  for (const target of operandsOf(call)) {
    const what = shell.protection(target, scope);
    if (what === undefined) continue;
    const flags = recursive ? (has(call, "--force", "f") ? " -rf" : " -r") : "";
    shell.deny(`rm${flags} of ${what}: ${show(target)}`);
  }
}
