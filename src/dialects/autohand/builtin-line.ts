import { misplacedBuiltin, missingArgs } from "../../events/builtins.ts";
import type { EventName } from "../../events/table.ts";
import { idleJudge, JUDGE_NAMES } from "../agents-judges.ts";
import { type NoSuchBuiltin, noSuchBuiltin } from "../builtin-names.ts";

/**
 * Reads and writes `builtin:NAME ARGS` in place of a command. Autohand has one text for the whole line, so arguments
 * are plain words.
 */

interface BuiltinLine {
  readonly name: string;
  readonly args: readonly string[];
}

const PREFIX = "builtin:";
const WORD = /^[^\s"'\\$`;&|<>()]+$/;

/** Reads a built-in hook from a command. Returns `undefined` for any other command. */
export function builtinOf(command: string): BuiltinLine | undefined {
  const line = command.trim();
  if (!line.startsWith(PREFIX)) return undefined;
  const [name = "", ...args] = line.slice(PREFIX.length).split(/\s+/);
  return { name, args };
}

/** Returns the command for a built-in hook. Returns `undefined` if an argument would not be read as one word. */
export function builtinLine({ name, args }: BuiltinLine): string | undefined {
  return args.every((arg) => WORD.test(arg)) ? [`${PREFIX}${name}`, ...args].join(" ") : undefined;
}

/** Returns why a built-in hook does not exist; `undefined` if it exists. */
export function whyNotBuiltin({ name, args }: BuiltinLine): NoSuchBuiltin | undefined {
  if (JUDGE_NAMES.includes(name)) return undefined;
  const unknown = noSuchBuiltin(name);
  if (unknown !== undefined) return unknown;
  const odd = args.find((arg) => !WORD.test(arg));
  if (odd !== undefined) {
    const hint = "no shell runs it: its arguments are words without quotes and variables";
    return { code: "HOOK_BUILTIN", message: `"${odd}" cannot be an argument of a built-in hook`, hint };
  }
  const missing = missingArgs(name, args);
  if (missing === undefined) return undefined;
  return { code: "HOOK_BUILTIN", message: missing, hint: `${PREFIX}${name} ARGUMENT` };
}

export function idleBuiltin({ name, args }: BuiltinLine, event: EventName): string | undefined {
  if (JUDGE_NAMES.includes(name)) return idleJudge(name, event);
  return misplacedBuiltin(name, event, "autohand", args);
}
