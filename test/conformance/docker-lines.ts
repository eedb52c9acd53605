import type { Expectation, JsonObject } from "./case.ts";
import { prints } from "./claude-hooks.ts";
import { printsText, reads, specific } from "./docker-hooks.ts";

/** The four events at which hooks see each other's rewrites: what is rewritten, and how a hook reads and writes it. */
interface Line {
  readonly payload: JsonObject;
  /** The field of the payload, or in it, that holds the text. */
  readonly reads: string;
  readonly says: (text: string) => JsonObject;
  readonly rewritten: (text: string) => NonNullable<Expectation["verdict"]>;
  readonly none: NonNullable<Expectation["verdict"]>;
}

const input: Line = {
  payload: { tool_name: "shell", tool_input: { cmd: "original" } },
  reads: "cmd",
  says: (cmd) => specific({ updated_input: { cmd } }),
  rewritten: (cmd) => ({ updatedInput: { cmd } }),
  none: { updatedInput: null },
};

export const LINES: Readonly<Record<string, Line>> = {
  pre_tool_use: input,
  tool_input_transform: input,
  before_llm_call: {
    payload: { messages: [{ content: "original" }] },
    reads: "content",
    says: (content) => specific({ updated_messages: [{ content }] }),
    rewritten: (content) => ({ updatedMessages: [{ content }] }),
    none: { updatedMessages: null },
  },
  tool_response_transform: {
    payload: { tool_name: "shell", tool_response: "original" },
    reads: "tool_response",
    says: (updated_tool_response) => specific({ updated_tool_response }),
    rewritten: (text) => ({ updatedOutput: text }),
    none: { updatedOutput: null },
  },
};

export const line = (event: string): Line => LINES[event] as Line;

export const replaces = (event: string, text: string): string => prints(line(event).says(text));
export const appends = (event: string, text: string): string =>
  `${reads(line(event).reads)}; ${printsText(line(event).says(`@${text}`))}`;
/** Answers with the text that it was shown. */
export const observes = (event: string): string =>
  `${reads(line(event).reads)}; ${printsText({ system_message: "saw @" })}`;
