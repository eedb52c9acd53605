import { CONFIGURED, INSIDE, protection, SYSTEM, show, WORK } from "../paths/protected";
import { deny } from "../verdict";
import { Call } from "./call";

/** Removing a tree is judged by everything in it, removing a file only where the rule's author said so. */
export function judgeRemoval(call: Call): void {
  const recursive = call.has("--recursive", 0x72) || call.has("--recursive", 0x52);
  const forced = call.has("--force", 0x66);
  const scope = recursive ? CONFIGURED | SYSTEM | INSIDE | WORK : CONFIGURED;
  const targets = call.operands();
  for (let i = 0; i < targets.length; i++) {
    const what = protection(targets[i], scope);
    if (what === null) continue;
    const flags = recursive ? (forced ? " -rf" : " -r") : "";
    return deny(`rm${flags} of ${what}: ${show(targets[i])}`);
  }
}
