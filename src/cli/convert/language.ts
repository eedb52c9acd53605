import type { Remark } from "../../dialects/writing.ts";
import type { HandlerOf, HandlerType, Rule } from "../../rule.ts";
import { absenceOnDisk } from "./failure-differences.ts";
import { canRefuse } from "./protection.ts";

/** Losses for programs and servers that are written for one dialect's payload and replies. */

const OF_CLAUDE: readonly string[] = ["hookbox", "claude-code", "patterns"];

/** The differences of dialects with Claude Code's payload and replies, by the new dialect. */
const NEARLY_THE_SAME: Readonly<Record<string, string>> = {
  hookbox: "payload and replies are the same, but read strictly: anything except one well-formed answer is a failure",
  "claude-code": "payload and replies are the same; output that is not exactly one JSON object counts only as text",
  patterns:
    "payload and replies are the same; a plain `allow` is also an answer there, and an unfinished reply is a failure",
};

/** Handlers that receive the event in the agent's form, or answer in the agent's form. */
const ANSWERING: readonly HandlerType[] = ["command", "http", "mcp_tool"];

export function languageLosses(from: Rule, to: Rule): Remark[] {
  const [before, after] = [from.codec.dialect, to.codec.dialect];
  if (before === after) return [];
  if (from.handler.type === "model" || from.handler.type === "agent") {
    const why = `the model sees the event in the form of ${after}, whose rules decide what its "no" means`;
    return [{ what: "language", why, consequence: "other-words" }];
  }
  if (from.handler.type === "builtin" && from.handler.name === "add_context") {
    const why = `its templates see the event in the form of ${after}`;
    return [{ what: "language", why, consequence: "other-words" }];
  }
  if (!ANSWERING.includes(from.handler.type)) return [];
  const isAlike = OF_CLAUDE.includes(before) && OF_CLAUDE.includes(after);
  const losesVariables = before === "patterns" && isAlike && from.handler.type === "command";
  const variables = losesVariables ? "; the variables with the event's fields are not set" : "";
  const other = `it was written for ${before}; ${after} sends another payload and expects replies in another form`;
  // A guard that does not find the command in another dialect's payload refuses nothing and exits with success.
  const isDeaf = canRefuse(from) && (!isAlike || losesVariables);
  const until = isDeaf ? "; until it is rewritten, it may miss what it should refuse" : "";
  const losses: Remark[] = [
    {
      what: "language",
      why: `${isAlike ? `${NEARLY_THE_SAME[after]}${variables}` : other}${until}`,
      consequence: isDeaf ? "looser" : "other-words",
    },
  ];
  if (from.handler.type !== "command") return losses;
  if (from.codec.startsAt !== to.codec.startsAt && from.handler.workingDir === undefined) {
    const where = { agent: "in the agent's working directory", file: "in the folder of its file" };
    const why = `it starts ${where[to.codec.startsAt]}, and not ${where[from.codec.startsAt]}`;
    const consequence = namesRelativePath(from.handler) ? absenceOnDisk(from, to) : "changed";
    losses.push({ what: "working directory", why, consequence });
  }
  return losses;
}

function namesRelativePath({ command, args = [] }: HandlerOf<"command">): boolean {
  return [command, ...args]
    .join(" ")
    .split(/[\s"'=;|&<>()]+/)
    .some((word) => /^[\w.][^:]*\//.test(word));
}
