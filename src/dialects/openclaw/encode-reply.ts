import type { Verdict } from "../../verdict.ts";
import type { AgentReply, DecidedEvent } from "../dialect.ts";
import { resultOf } from "./result-object.ts";

/**
 * Encodes a verdict as one line with the hook's result and exit code 0. Messages to the user go to standard error,
 * because the result has no field for messages.
 */
export function encodeReply(verdict: Verdict, event: DecidedEvent): AgentReply {
  const stderr = verdict.systemMessage === null ? "" : `${verdict.systemMessage}\n`;
  return { stdout: `${JSON.stringify(resultOf(verdict, event))}\n`, stderr, exitCode: 0 };
}
