import { shellLine } from "../dialects/writing.ts";
import type { JsonObject } from "../json.ts";
import { asciiJson } from "./ascii-json.ts";

/** A longer command line is left out, because a terminal cannot take it as one line. */
const MAX_LENGTH = 4_000;

/**
 * Returns the command line that adds an exception. The line is for the user and never part of a reply, because the agent
 * must not learn how to ask for an exception.
 */
export function exceptLine({ guard, rule, tool, command, input, directory }: JsonObject): string | undefined {
  const options = {
    guard,
    rule,
    tool,
    command,
    input: input === undefined ? undefined : asciiJson(input, 0),
    directory,
  };
  const words = Object.entries({ ...options, reason: "…" }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const line = shellLine("hookbox", ["except", ...words]);
  return line.length > MAX_LENGTH ? undefined : line;
}
