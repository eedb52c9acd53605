import { describeThrown } from "../../../errors.ts";
import { withoutMarks as withoutShellMarks } from "../../../shell/marks.ts";
import { type MarkedText, markedText, type StarPattern, starPattern, withoutMarks } from "../../../star-pattern.ts";
import { cleanLine } from "../../../text.ts";
import type { Steps } from "../../steps.ts";
import { type CompiledSpecifier, doubt, type Fit, textsIn } from "../specifier.ts";
import type { ReadCommand } from "./command-forms.ts";
import { CommandReader } from "./command-reader.ts";
import { FormIndex, type ReadForm } from "./form-index.ts";

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

interface ReadCommands {
  readonly commands: readonly ReadCommand[];
  /** Pipelines and whole texts, for patterns that contain operators. */
  readonly compounds: readonly MarkedText[];
  readonly forms: FormIndex;
  /** The first command that contains variables or command substitutions. */
  readonly open: ReadCommand | undefined;
  /** The reason why the list may be incomplete. */
  readonly doubt?: string;
}

/** The number of cached texts. A tool's input has at most three fields that may contain a command. */
const MAX_REMEMBERED = 3;
const remembered = new Map<string, ReadCommands>();

/**
 * Returns all commands that a shell would run for this text. If they cannot be determined without running the text,
 * `doubt` says why. Never throws.
 */
function readCommands(text: string): ReadCommands {
  // Cached, because all rules of an event read the same texts.
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const reader = new CommandReader();
  try {
    reader.readText(withoutMarks(withoutShellMarks(text)));
  } catch (error) {
    reader.doubt(`it cannot be parsed: ${describeThrown(error)}`);
  }
  const { commands, compounds, ...rest } = reader.result;
  const read = {
    ...rest,
    commands,
    compounds: [...new Set(compounds)].map(markedText),
    forms: new FormIndex(commands),
    open: commands.find(({ expands }) => expands),
  };
  if (remembered.size === MAX_REMEMBERED) remembered.clear();
  remembered.set(text, read);
  return read;
}
