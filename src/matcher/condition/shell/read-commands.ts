import { describeThrown } from "../../../errors.ts";
import { withoutMarks as withoutShellMarks } from "../../../shell/marks.ts";
import { withoutMarks } from "../star-pattern.ts";
import { CommandReader } from "./command-reader.ts";

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
  readonly compounds: readonly string[];
  /** Why the list may not be complete. */
  readonly doubt?: string;
}

let last: { readonly text: string; readonly read: ReadCommands } | undefined;

/** All commands that a shell would run for this text, as far as that can be told without running it. Never throws. */
export function readCommands(text: string): ReadCommands {
  // All rules of an event look at the same text.
  if (last?.text === text) return last.read;
  const reader = new CommandReader();
  try {
    reader.readText(withoutMarks(withoutShellMarks(text)));
  } catch (error) {
    reader.doubt(`it cannot be parsed: ${describeThrown(error)}`);
  }
  const read = reader.result;
  last = { text, read };
  return read;
}
