import { describeThrown } from "../../../errors.ts";
import { withoutMarks as withoutShellMarks } from "../../../shell/marks.ts";
import { type MarkedText, markedText, withoutMarks } from "../../../star-pattern.ts";
import type { ReadCommand } from "./command-forms.ts";
import { CommandReader } from "./command-reader.ts";
import { FormIndex } from "./form-index.ts";

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
export function readCommands(text: string): ReadCommands {
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
