import type { Engine } from "../../engine.ts";
import type { HookError, Problem } from "../../errors.ts";
import type { Rule } from "../../rule.ts";
import { patienceMsOf } from "../patience.ts";

/**
 * Warns of hooks in an agent's file that start hookbox without `--patience` or with a wrong value. hookbox may then
 * answer later than the agent waits, and the agent goes on without an answer.
 */
export function missingPatience({ rules }: Pick<Engine, "rules">): Problem[] {
  return rules.flatMap((rule): Problem[] => {
    const line = commandLineOf(rule);
    if (line === undefined || !STARTS_HOOKBOX.test(line)) return [];
    const seconds = rule.timeoutMs / 1_000;
    const problem = problemOf(PATIENCE.exec(line)?.[1], rule.timeoutMs);
    if (problem === undefined) return [];
    return [
      {
        severity: "warning",
        code: "HOOK_PATIENCE_UNSAID",
        message: `rule "${rule.name}": the agent waits ${seconds} s for hookbox, ${problem}`,
        hint: `write --patience ${seconds} in its command, so that hookbox answers in time`,
        ...(rule.place === undefined ? {} : { place: rule.place }),
      },
    ];
  });
}

const STARTS_HOOKBOX = /\bhookbox(?:\.cjs)?["']?\s+run\b/;
const PATIENCE = /--patience[= ]["']?([^\s"']+)/;

function commandLineOf({ handler }: Rule): string | undefined {
  return handler.type === "command" ? [handler.command, ...(handler.args ?? [])].join(" ") : undefined;
}

function problemOf(said: string | undefined, timeoutMs: number): string | undefined {
  if (said === undefined) return "and the command has no --patience";
  try {
    const patienceMs = patienceMsOf(said) ?? timeoutMs;
    return patienceMs > timeoutMs ? `and the command has --patience ${said}` : undefined;
  } catch (error) {
    return `and the command's --patience is not valid: ${(error as HookError).message}`;
  }
}
