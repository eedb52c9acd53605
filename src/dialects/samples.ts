import type { JsonObject } from "../json.ts";

/** The content of all agents' sample events: one small session. Each agent's table has the agent's names. */

export const SESSION_ID = "hookbox-try";
export const CALL_ID = "call-1";
export const PROMPT = "List the files of this project, please.";
export const ANSWER = "Done: there are three files.";
export const NOTICE = "Something to tell, for a try";
export const FAILURE = "Something went wrong, for a try";
export const SUMMARY = "The talk so far, in short.";
export const COMMAND = "ls -l";
export const LISTING = "example.ts\n";
export const FILE = "src/example.ts";
export const CONTENT = "export const answer = 42;\n";
export const MODEL = "example-model";

/** The payloads of one event, the most common first. */
export type Payloads = readonly JsonObject[];

/** Returns sample payloads of an event in the agent's format. `event` is the agent's name of the event. */
export type Samples = (event: string, cwd: string) => Payloads;

/** Returns one payload for each value of a field that a matcher may test. */
export function each(field: string, values: readonly string[], rest: JsonObject = {}): Payloads {
  return values.map((value) => ({ [field]: value, ...rest }));
}

/** Returns the payloads of an event; empty if the table does not contain the event. */
export function payloadsOf(table: Readonly<Record<string, Payloads>>, event: string): Payloads {
  return Object.hasOwn(table, event) ? (table[event] as Payloads) : [];
}
