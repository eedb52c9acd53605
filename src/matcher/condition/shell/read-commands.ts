import { describeThrown } from "../../../errors.ts";
import { withoutMarks as withoutShellMarks } from "../../../shell/marks.ts";
import { type MarkedText, markedText, withoutMarks } from "../star-pattern.ts";
import { CommandReader } from "./command-reader.ts";
import { FormIndex } from "./form-index.ts";

/** One simple command, and what it wraps, in the spellings that a pattern is held against. */
export interface ReadCommand {
  /** As it stands in the text. */
  readonly shown: string;
  readonly forms: readonly string[];
  /** Variables or the output of commands are part of it. */
  readonly expands: boolean;
}

export interface ReadCommands {
  readonly commands: readonly ReadCommand[];
  /** Pipelines and whole texts, for patterns that have operators in them. */
  readonly compounds: readonly MarkedText[];
  readonly forms: FormIndex;
  /** The first command that has variables or the output of commands in it. */
  readonly open: ReadCommand | undefined;
  /** Why the list may not be complete. */
  readonly doubt?: string;
}

/** The texts of one call: a tool's input has three fields that may hold a command. */
const MAX_REMEMBERED = 3;
const remembered = new Map<string, ReadCommands>();

/** All commands that a shell would run for this text, as far as that can be told without running it. Never throws. */
export function readCommands(text: string): ReadCommands {
  // All rules of an event look at the same texts.
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
