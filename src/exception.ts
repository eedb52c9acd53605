import type { Place } from "./errors.ts";
import type { JsonObject } from "./json.ts";

/** An exception of the user: calls that a rule must not deny or ask about. */
export interface RuleException {
  /** The name of the shipped guard, or the name of the rule, that the exception is for. */
  readonly guard?: string;
  readonly rule?: string;
  /** The canonical name of the tool. Default: any tool. Required with `input`. */
  readonly tool?: string;
  /** The exact text of a command. */
  readonly command?: string;
  /** The exact input of a tool. */
  readonly input?: JsonObject;
  /**
   * An absolute path. With `command`, the folder in which the command runs; with `input`, the event's working directory.
   * Otherwise the folder of all files that the call reads, writes, moves or deletes.
   */
  readonly directory: string;
  readonly reason: string;
  /** The last day on which the exception counts, in UTC: `2026-12-31`. */
  readonly expires: string;
  readonly place?: Place;
}
