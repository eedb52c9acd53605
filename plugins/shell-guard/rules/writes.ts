// Ways to overwrite a file or a disk, except removal.

import { type Scope, show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";
import { isDisk } from "./disk.ts";

const ONTO: Scope = { onto: true };

export function judgeRedirections(shell: Shell, targets: readonly string[]): void {
  for (const target of targets) judgeTarget(shell, "writing", target, ONTO);
}

/** Judges programs that change all their operands. */
export function judgeChange(shell: Shell, call: Call): void {
  for (const target of operandsOf(call)) judgeTarget(shell, call.name, target, ONTO);
}

/** Judges programs that change only their last operand. */
export function judgeCopy(shell: Shell, call: Call): void {
  const target = operandsOf(call).at(-1);
  if (target !== undefined) judgeTarget(shell, call.name, target, ONTO);
}

/** Judges a move, because a moved path takes along everything in it. */
export function judgeMove(shell: Shell, call: Call): void {
  const operands = operandsOf(call);
  for (const [at, target] of operands.entries()) {
    judgeTarget(shell, call.name, target, at < operands.length - 1 ? {} : ONTO);
  }
}

export function judgeSed(shell: Shell, call: Call): void {
  if (has(call, "--in-place", "i")) judgeChange(shell, call);
}

function judgeTarget(shell: Shell, how: string, target: string, scope: Scope): void {
  if (isDisk(shell, target)) shell.deny(`${how} to a disk: ${show(target)}`);
  if (shell.places.hasConfigured && shell.protection(target, scope) !== undefined) {
    shell.deny(`${how} to a protected path: ${show(target)}`);
  }
}
