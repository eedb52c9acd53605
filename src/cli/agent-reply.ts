import type { AgentReply, Dialect } from "../dialects/dialect.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { formatProblem } from "../errors.ts";
import type { JsonObject } from "../event.ts";
import { contractOf, isEventOf } from "../events/lookup.ts";
import type { Compat, Rule } from "../rule.ts";
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

/** `faithful` if all rules of the event are: then the reply, too, has the words of the agent's page. */
export function compatOf({ rules }: { readonly rules: readonly Rule[] }, eventName: string): Compat {
  const asked = rules.filter(({ event }) => event === eventName);
  return asked.length > 0 && asked.every(({ compat }) => compat === "faithful") ? "faithful" : "safer";
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
 * What to print beside exit code 2 for an event that could not be judged, in the words of its dialect. {@link anyRefusal}
 * is for events whose sender is in doubt.
 */
export function refusalText(dialect: Dialect | undefined, event: string | undefined, reason: string): string {
  const said = dialect?.refusal?.(event, reason) ?? {};
  return Object.keys(said).length === 0 ? "" : `${JSON.stringify(said)}\n`;
}

/**
 * A refusal for a payload that is not surely one agent's; goes with exit code 2 and text on standard error. Gemini
 * runs the tool after JSON without a `decision`. Claude Code 2.1.197 runs it after a `decision` other than "block", and
 * after a `hookEventName` of another event. Dialects that ignore exit codes need their own words.
 */
export function anyRefusal(payload: JsonObject | undefined, reason: string): string {
  const said = Object.assign({}, ...Object.values(DIALECTS).flatMap((one) => one.refusal?.(undefined, reason) ?? []));
  const name = payload === undefined ? undefined : agentsEventName(payload);
  if (name !== "PreToolUse" && isEventOf(name ?? "", "claude-code")) delete said.hookSpecificOutput;
  return `${JSON.stringify({ ...said, decision: "block", reason })}\n`;
}

/** The exit code for a payload of no known dialect. Its event may be a gate, unless every dialect says otherwise. */
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
