// Ways of overwriting a file or a disk that are not removal.

import { CONFIGURED, hasConfiguredPaths, ONTO, protection, show } from "../paths/protected";
import { Command } from "../shell/command";
import { deny } from "../verdict";
import { Call } from "./call";
import { isDisk } from "./disk";
import { isOneOf, same } from "../units";

// All operands are changed by these, …
const CHANGERS: StaticArray<string> = ["chgrp", "chmod", "chown", "rmdir", "shred", "tee", "truncate", "unlink"];
// … only the last one by these.
const COPIERS: StaticArray<string> = ["cp", "install", "ln", "rsync"];

export function judgeRedirections(command: Command): void {
  for (let i = 0; i < command.writes.length; i++) judgeTarget("writing", command.writes[i], CONFIGURED | ONTO);
}

export function judgeWriter(call: Call): void {
  const copies = isOneOf(COPIERS, call.name);
  const moves = same(call.name, "mv");
  const edits = same(call.name, "sed") && call.has("--in-place", 0x69);
  if (!copies && !moves && !edits && !isOneOf(CHANGERS, call.name)) return;
  const operands = call.operands();
  const last = operands.length - 1;
  for (let i = copies ? max(0, last) : 0; i <= last; i++) {
    // What is moved goes with all that is in it.
    judgeTarget(call.name, operands[i], moves && i < last ? CONFIGURED : CONFIGURED | ONTO);
  }
}

function judgeTarget(how: string, target: string, scope: i32): void {
  if (isDisk(target)) deny(`${how} to a disk: ${show(target)}`);
  else if (hasConfiguredPaths() && protection(target, scope) !== null) {
    deny(`${how} to a protected path: ${show(target)}`);
  }
}
