import type { AgentReply, Dialect } from "../dialects/dialect.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { formatProblem } from "../errors.ts";
import { contractOf } from "../events/lookup.ts";
import type { Verdict } from "../verdict.ts";
import { EXIT } from "./exit-codes.ts";

/**
 * What to exit with where an event cannot be answered. One that cannot be told, or that this version does not know, may
 * be a gate.
 */
export function exitCodeFor(eventName: string | undefined, dialect: string): number {
  const contract = eventName === undefined ? undefined : contractOf(eventName, dialect);
  if (contract === undefined) return EXIT.refused;
  return contract.kind === "gate" && !contract.blockMeansGoOn ? EXIT.refused : EXIT.problems;
}

/**
 * A gate that is shut because the configuration cannot be used is answered with exit code 2 and the whole list of
 * problems: whoever reads it has to mend a file, not to argue with a rule.
 */
export function replyTo(verdict: Verdict, reply: AgentReply, dialect: Dialect): AgentReply {
  const misconfigured = verdict.rules.some(
    ({ failure, onFailure }) => onFailure === "deny" && failure?.code?.startsWith("HOOK_CONFIG_"),
  );
  if (!misconfigured) return reply;
  const refusals = verdict.rules.flatMap(({ status, reason }) =>
    status === "decided" && reason !== null ? [reason] : [],
  );
  const errors = verdict.problems
    .filter((problem) => problem.severity === "error")
    .map((problem) => `  ${formatProblem(problem)}`);
  const stderr = [
    ...refusals,
    `hookbox: ${verdict.event} is refused until the configuration is mended:`,
    ...errors,
  ].join("\n");
  return { stdout: refusalText(dialect, verdict.event, stderr), stderr: `${stderr}\n`, exitCode: EXIT.refused };
}

/**
 * What to print beside the exit code where an event could not be judged. Of an agent that cannot be told, the words of
 * all those that take no exit code for a "no".
 */
export function refusalText(dialect: Dialect | undefined, event: string | undefined, reason: string): string {
  const asked = dialect === undefined ? Object.values(DIALECTS) : [dialect];
  const refusals = asked.flatMap(({ refusal }) => refusal?.(event, reason) ?? []);
  const said = Object.assign({}, ...refusals) as object;
  return Object.keys(said).length === 0 ? "" : `${JSON.stringify(said)}\n`;
}
