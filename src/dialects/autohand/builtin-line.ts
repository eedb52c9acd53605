import { lackingArgs, misplacedBuiltin } from "../../events/builtins.ts";
import { guardToCome, type NoSuchBuiltin, noSuchBuiltin } from "../builtin-names.ts";

/** `builtin:NAME ARGS` in the place of a command. Autohand has one text for it, so arguments are plain words. */

interface BuiltinLine {
  readonly name: string;
  readonly args: readonly string[];
}

const PREFIX = "builtin:";
const WORD = /^[^\s"'\\$`;&|<>()]+$/;

/** `undefined` for a command of any other kind. */
export function builtinOf(command: string): BuiltinLine | undefined {
  const line = command.trim();
  if (!line.startsWith(PREFIX)) return undefined;
  const [name = "", ...args] = line.slice(PREFIX.length).split(/\s+/);
  return { name, args };
}

/** The command that stands for it; `undefined` where an argument would not be read as one word again. */
export function builtinLine({ name, args }: BuiltinLine): string | undefined {
  return args.every((arg) => WORD.test(arg)) ? [`${PREFIX}${name}`, ...args].join(" ") : undefined;
}

/** Why there is nothing to run; `undefined` where there is. */
export function whyNotBuiltin({ name, args }: BuiltinLine): NoSuchBuiltin | undefined {
  const judge = guardToCome(name);
  // A judge that is switched on and missing is not the same as no judge.
  if (judge !== undefined) return { ...judge, message: `${judge.message}: until then its gates stay shut` };
  const unknown = noSuchBuiltin(name);
  if (unknown !== undefined) return unknown;
  const odd = args.find((arg) => !WORD.test(arg));
  if (odd !== undefined) {
    const hint = "no shell reads it: its arguments are words without quotes and variables";
    return { code: "HOOK_BUILTIN", message: `"${odd}" cannot be an argument of a built-in hook`, hint };
  }
  const lacking = lackingArgs(name, args);
  if (lacking === undefined) return undefined;
  return { code: "HOOK_BUILTIN", message: lacking, hint: `${PREFIX}${name} ARGUMENT` };
}

export function idleBuiltin({ name, args }: BuiltinLine, event: string): string | undefined {
  return misplacedBuiltin(name, event, "autohand", args);
}
