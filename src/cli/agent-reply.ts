import type { Compat } from "../codec.ts";
import type { AgentReply, Dialect } from "../dialects/dialect.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { formatProblem } from "../errors.ts";
import { contractOf, isEventOf } from "../events/lookup.ts";
import type { JsonObject } from "../json.ts";
import type { Rule } from "../rule.ts";
import type { Verdict } from "../verdict.ts";
import { EXIT } from "./exit-codes.ts";

/** Returns the exit code for an event that cannot be answered. An unknown event counts as a gate. */
export function exitCodeFor(eventName: string | undefined, dialect: string): number {
  const contract = eventName === undefined ? undefined : contractOf(eventName, dialect);
  if (contract === undefined) return EXIT.refused;
  return contract.kind === "gate" && !contract.blockMeansGoOn ? EXIT.refused : EXIT.problems;
}

/** Returns `faithful` if all rules of the event are faithful. The reply then follows the agent's page too. */
export function compatOf({ rules }: { readonly rules: readonly Rule[] }, eventName: string): Compat {
  const asked = rules.filter(({ event }) => event === eventName);
  return asked.length > 0 && asked.every(({ compat }) => compat === "faithful") ? "faithful" : "safer";
}

/**
 * Returns the reply to the agent. If a gate denies because the configuration has errors, the reply is exit code 2 with
 * all problems, because the reader has to correct a file.
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
    `hookbox: ${verdict.event} is refused until the configuration is corrected:`,
    ...errors,
  ].join("\n");
  return { stdout: refusalText(dialect, verdict.event, stderr), stderr: `${stderr}\n`, exitCode: EXIT.refused };
}

/**
 * Returns the standard output for exit code 2 and an event that could not be judged, in the event's dialect. {@link
 * anyRefusal} is for events of an uncertain dialect.
 */
export function refusalText(dialect: Dialect | undefined, event: string | undefined, reason: string): string {
  const said = dialect?.refusal?.(event, reason) ?? {};
  return Object.keys(said).length === 0 ? "" : `${JSON.stringify(said)}\n`;
}

/**
 * A refusal that every agent understands, for a payload whose agent is uncertain. hookbox prints this JSON with exit
 * code 2 and text on standard error. Gemini runs the tool after JSON without a `decision`. Claude Code 2.1.197 runs the
 * tool after a `decision` other than "block", and after a `hookEventName` of another event. Dialects that ignore exit
 * codes add their own fields.
 */
export function anyRefusal(payload: JsonObject | undefined, reason: string): string {
  const said = Object.assign({}, ...Object.values(DIALECTS).flatMap((one) => one.refusal?.(undefined, reason) ?? []));
  const name = payload === undefined ? undefined : agentsEventName(payload);
  if (name !== "PreToolUse" && isEventOf(name ?? "", "claude-code")) delete said.hookSpecificOutput;
  return `${JSON.stringify({ ...said, decision: "block", reason })}\n`;
}

/**
 * Returns the exit code for a payload of no known dialect. The event counts as a gate, unless some dialects know the
 * event and none of them treats it as a gate.
 */
export function exitCodeForUnknown(payload: JsonObject): number {
  const name = agentsEventName(payload) ?? "";
  const events = Object.values(DIALECTS).flatMap((one) =>
    Object.hasOwn(one.eventNames, name) ? [exitCodeFor(one.eventNames[name], one.name)] : [],
  );
  return events.length > 0 && !events.includes(EXIT.refused) ? EXIT.problems : EXIT.refused;
}

function agentsEventName({ hook_event_name: flat, event, hook }: JsonObject): string | undefined {
  return [flat, event, hook].find((name): name is string => typeof name === "string");
}
