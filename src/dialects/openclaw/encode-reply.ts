import type { Verdict } from "../../verdict.ts";
import type { AgentReply, DecidedEvent } from "../dialect.ts";
import { resultOf } from "./result-object.ts";

/** One line with the hook's result, and exit code 0; words to the user have no place in it and go to standard error. */
export function encodeReply(verdict: Verdict, event: DecidedEvent): AgentReply {
  const stderr = verdict.systemMessage === null ? "" : `${verdict.systemMessage}\n`;
  return { stdout: `${JSON.stringify(resultOf(verdict, event))}\n`, stderr, exitCode: 0 };
}
