import { type Failure, failureLine } from "../../src/outcome.ts";
import type { Verdict } from "../../src/verdict.ts";
import { heard, refusalCode, replyOf, takesReasons } from "./agent-words.ts";
import { type Cell, expectedMeaning, factsOf, standsShut, wordFor } from "./expected-meaning.ts";

/** Returns what is wrong with a verdict on one failing rule; an empty list if it is as in the table. */
export function problemsOf(cell: Cell, ruleName: string, failure: Failure, verdict: Verdict): string[] {
  const problems: string[] = [];
  const expectThat = (isTrue: boolean, problem: string): void => {
    if (!isTrue) problems.push(problem);
  };
  const [report] = verdict.rules;
  const { event, eventDialect, kind, onFailure } = cell;
  const reply = replyOf(verdict, eventDialect);
  const said = heard(reply, event, eventDialect);

  expectThat(verdict.decision !== "allow" && said !== "permission", "a failure came out as a permission");
  expectThat(verdict.continue, "a failure stops the agent");
  expectThat(report?.status === "failed" && report.failure?.kind === kind, `reported as ${report?.failure?.kind}`);
  expectThat(verdict.updatedInput === null && verdict.additionalContext === null, "a failure has said something else");

  if (kind === "cancelled") {
    expectThat(verdict.cancelled && verdict.decision === "none", `cancelled, and says ${verdict.decision}`);
    expectThat(report?.outcome === "cancelled" && report.onFailure === null, `cancelled, and is ${report?.outcome}`);
    if (standsShut(event, eventDialect)) expectThat(said === "refusal", `the agent hears ${said} at a gate`);
    // OpenClaw reads no exit code, and no answer at observers.
    else if (eventDialect !== "openclaw")
      expectThat(reply.exitCode !== 0 && reply.stderr !== "", "a silent reply to a cancelled event is a permission");
    if (factsOf(event).category === "go on") expectThat(said !== "refusal", "being cancelled keeps the agent going");
    return problems;
  }

  const meaning = expectedMeaning(cell);
  const text = `${ruleName}`;
  const cause = failureLine(failure);
  if (meaning === "shut") {
    const word = wordFor(event, eventDialect);
    expectThat(verdict.decision === word, `should be "${word}", and is "${verdict.decision}"`);
    const outcome = kind === "turns" ? "cancelled" : "blocking";
    expectThat(report?.onFailure === "deny" && report.outcome === outcome, `reported as ${report?.outcome}`);
    expectThat(verdict.reason?.includes(text) === true && verdict.reason.includes(cause), `says ${verdict.reason}`);
    expectThat(
      said === "refusal" && reply.exitCode === refusalCode(word, eventDialect),
      `the agent hears ${said}, exit code ${reply.exitCode}`,
    );
    if (takesReasons(event, eventDialect))
      expectThat(`${reply.stdout}${reply.stderr}`.includes(cause.split(":")[0] as string), "the agent is not told why");
    return problems;
  }
  expectThat(verdict.decision === "none", `should be left open, and is "${verdict.decision}"`);
  expectThat(verdict.reason === null, "there is a reason for no decision");
  const outcome = kind === "turns" ? "cancelled" : "non_blocking_error";
  expectThat(report?.onFailure === "continue" && report.outcome === outcome, `reported as ${report?.outcome}`);
  expectThat(said === "nothing" && reply.exitCode === 0, `the agent hears ${said}, exit code ${reply.exitCode}`);
  const told = verdict.systemMessage;
  // This is the page's rule: an agent that has not finished is ignored.
  const isPassedOver = onFailure === "ignore" || (kind === "turns" && cell.compat === "faithful");
  if (isPassedOver) expectThat(told === null, `was to be passed over, and says ${told}`);
  else expectThat(told?.includes(text) === true && told.includes(cause), `the user is told ${told}`);
  return problems;
}
