import { type MarkedText, type StarPattern, starPattern } from "../../../star-pattern.ts";
import { cleanLine } from "../../../text.ts";
import type { Steps } from "../../steps.ts";
import { type CompiledSpecifier, doubt, type Fit, textsIn } from "../specifier.ts";
import type { ReadForm } from "./form-index.ts";
import { readCommands } from "./read-commands.ts";

const MAX_QUOTED = 80;

/** A command pattern such as `git push *`. */
interface CommandPattern {
  readonly patterns: readonly StarPattern[];
  /** Whether the pattern names more than the command. */
  readonly saysMore: boolean;
  /** Whether the pattern contains operators, which a single command does not contain. */
  readonly spansCommands: boolean;
}

export function shellSpecifier(text: string): CompiledSpecifier {
  const pattern = commandPattern(text);
  return {
    ok: true,
    specifier: (input, { fields }, steps) => {
      const commands = textsIn(input, fields);
      if (commands === undefined) return doubt("the payload has no command");
      let fit: Fit = { fits: false, why: "" };
      for (const command of commands) {
        fit = matchCommand(pattern, command, steps);
        if (fit.fits) break;
      }
      return fit;
    },
  };
}

/** Compiles a command pattern. ` *` or `:*` at the end matches the empty text, or a space and any text. */
function commandPattern(text: string): CommandPattern {
  const base = /^([\s\S]*?)(?:\s+\*|:\*)$/.exec(text)?.[1];
  const sources = base === undefined ? [text] : [base, `${base} *`];
  return {
    patterns: sources.map(starPattern),
    saysMore: /\s/.test((base ?? text).trim()),
    spansCommands: /[|&;<>\n]/.test(text),
  };
}

/** The steps that one search for forms with a given beginning takes. */
const STEPS_PER_SEARCH = 500;

function matchCommand({ patterns, saysMore, spansCommands }: CommandPattern, text: string, steps: Steps): Fit {
  const { commands, compounds, forms, open, doubt: unread } = readCommands(text);
  const matchesOne = (one: MarkedText): boolean => patterns.some((pattern) => pattern.matches(one, steps));
  let fitting: ReadForm | undefined;
  for (const pattern of patterns) {
    steps.take(STEPS_PER_SEARCH + 20 * pattern.start.length);
    fitting ??= forms.startingWith(pattern.start).find((form) => pattern.matches(form, steps));
  }
  if (fitting !== undefined) return { fits: true, why: `matches the command "${quote(fitting.command.shown)}"` };
  const compound = spansCommands ? compounds.find(matchesOne) : undefined;
  if (compound !== undefined) return { fits: true, why: `matches "${quote(compound.text)}"` };
  if (unread !== undefined) return doubt(`not all of the command is known (${cleanLine(unread, 2 * MAX_QUOTED)})`);
  if (saysMore && open !== undefined) return doubt(`"${quote(open.shown)}" depends on what the shell expands`);
  const count = commands.length === 1 ? "the command" : `any of its ${commands.length} commands`;
  return { fits: false, why: `does not match ${count} in "${quote(text)}"` };
}

function quote(text: string): string {
  return cleanLine(text.slice(0, 4 * MAX_QUOTED), MAX_QUOTED);
}
