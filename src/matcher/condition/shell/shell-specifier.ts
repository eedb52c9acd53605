import { cleanLine } from "../../../text.ts";
import { type CompiledSpecifier, doubt, type Fit, textsIn } from "../specifier.ts";
import { type StarPattern, starPattern } from "../star-pattern.ts";
import { readCommands } from "./read-commands.ts";

const MAX_QUOTED = 80;

/** A command pattern such as `git push *`. */
interface CommandPattern {
  readonly patterns: readonly StarPattern[];
  /** Says more than which command it is. */
  readonly saysMore: boolean;
  /** Has operators in it, which no single command has. */
  readonly spansCommands: boolean;
}

export function shellSpecifier(text: string): CompiledSpecifier {
  const pattern = commandPattern(text);
  return {
    ok: true,
    specifier: (input, { fields }) => {
      const commands = textsIn(input, fields);
      if (commands === undefined) return doubt("the payload has no command");
      let fit: Fit = { fits: false, why: "" };
      for (const command of commands) {
        fit = matchCommand(pattern, command);
        if (fit.fits) break;
      }
      return fit;
    },
  };
}

/** ` *` and `:*` at the end: nothing more, or a space and anything. */
function commandPattern(text: string): CommandPattern {
  const base = /^([\s\S]*?)(?:\s+\*|:\*)$/.exec(text)?.[1];
  const sources = base === undefined ? [text] : [base, `${base} *`];
  return {
    patterns: sources.map(starPattern),
    saysMore: /\s/.test((base ?? text).trim()),
    spansCommands: /[|&;<>\n]/.test(text),
  };
}

function matchCommand({ patterns, saysMore, spansCommands }: CommandPattern, text: string): Fit {
  const { commands, compounds, doubt: unread } = readCommands(text);
  const fitting = commands.find(({ forms }) => patterns.some((pattern) => forms.some((form) => pattern.matches(form))));
  if (fitting !== undefined) return { fits: true, why: `matches the command "${quote(fitting.shown)}"` };
  const compound = spansCommands
    ? compounds.find((whole) => patterns.some((pattern) => pattern.matches(whole)))
    : undefined;
  if (compound !== undefined) return { fits: true, why: `matches "${quote(compound)}"` };
  if (unread !== undefined) return doubt(`not all of the command is known (${cleanLine(unread, 2 * MAX_QUOTED)})`);
  const open = saysMore ? commands.find(({ expands }) => expands) : undefined;
  if (open !== undefined) return doubt(`"${quote(open.shown)}" depends on what the shell puts in`);
  const count = commands.length === 1 ? "the command" : `any of its ${commands.length} commands`;
  return { fits: false, why: `does not match ${count} in "${quote(text)}"` };
}

function quote(text: string): string {
  return cleanLine(text.slice(0, 4 * MAX_QUOTED), MAX_QUOTED);
}
