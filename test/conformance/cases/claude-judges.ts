import type { CaseFamily, Expectation, Expected, JsonObject, Kit, ModelServerAnswer, RunCase } from "../case.ts";
import { at } from "../claude-hooks.ts";

/** Prompt and agent hooks at each event that takes them, with every kind of answer. */

const JUDGED = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "PermissionDenied",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
] as const;
type Judged = (typeof JUDGED)[number];

type Kind = "prompt" | "agent";
type Row = readonly [name: string, answer: ModelServerAnswer, hook?: JsonObject];

const NO = { ok: false, reason: "not like this" };
const IS_NO = /not like this$/;

const ANSWERS: readonly Row[] = [
  ["ok", '{"ok": true}'],
  ["not-ok", JSON.stringify(NO)],
  ["not-ok-continued", JSON.stringify(NO), { continueOnBlock: true }],
  ["impossible", JSON.stringify({ ...NO, impossible: true })],
  ["impossible-continued", JSON.stringify({ ...NO, impossible: true }), { continueOnBlock: true }],
  ["invalid", "I have no doubt that this is fine."],
  ["late", { hangs: true }, { timeout: 0.3 }],
];

/** An agent hook has no `continueOnBlock`: it behaves as if it were true. */
const AGENT_ANSWERS: readonly Row[] = [
  ["ok", calls({ ok: true, reason: "" })],
  ["not-ok", calls(NO)],
  ["impossible", calls({ ...NO, impossible: true })],
  ["invalid", "I have no doubt that this is fine."],
  ["late", { hangs: true }, { timeout: 0.3 }],
];

function calls(input: JsonObject): ModelServerAnswer {
  return { calls: [{ name: "answer", input }] };
}

const SILENT: NonNullable<Expectation["reply"]> = { exitCode: 0, stdout: "" };
const nothing: Expectation = {
  verdict: { decision: "none", continue: true, systemMessage: null, additionalContext: null },
  reply: SILENT,
};

/** What stops the agent is in the same object as what refuses. */
const ends = (stdout: { readonly [field: string]: Expected }, exitCode = 0): NonNullable<Expectation["reply"]> => ({
  exitCode,
  stdout: { ...stdout, continue: false, stopReason: IS_NO },
});
const specific = (hookEventName: string, fields: { readonly [field: string]: Expected }) => ({
  hookSpecificOutput: { hookEventName, ...fields },
});
const DENIES = specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: IS_NO });
const BLOCKS = { decision: "block", reason: IS_NO };

const denied = (goesOn: boolean): Expectation => ({
  verdict: { decision: "deny", reason: IS_NO, continue: goesOn },
  // With a stop, exit code 2 refuses as well, because some clients ignore a denial next to a stop.
  reply: goesOn ? { exitCode: 0, stdout: DENIES } : ends(DENIES, 2),
});
const blocked = (goesOn: boolean): Expectation => ({
  verdict: { decision: "block", reason: IS_NO, continue: goesOn },
  reply: goesOn ? { exitCode: 0, stdout: BLOCKS } : ends(BLOCKS),
});

/** The word, and whether the agent's turn goes on, if the hook does not say that it should. */
const refusalAt = (event: Judged, isContinued: boolean, isImpossible: boolean): RunCase["expect"] => {
  switch (event) {
    case "PreToolUse":
      return denied(isContinued);
    case "PostToolUse":
      return blocked(isContinued);
    case "PostToolBatch":
    case "UserPromptSubmit":
    case "UserPromptExpansion":
      return blocked(false);
    case "PostToolUseFailure":
    case "TaskCreated":
      return blocked(true);
    case "TaskCompleted":
      return { verdict: { decision: "block", reason: IS_NO, continue: true }, reply: { exitCode: 2, stdout: "" } };
    case "TeammateIdle":
      return isContinued
        ? {
            verdict: { decision: "block", reason: IS_NO, continue: true },
            reply: { exitCode: 2, stderr: /not like this\n$/ },
          }
        : { verdict: { continue: false, stopReason: IS_NO }, reply: ends({}) };
    case "Stop":
    case "SubagentStop":
      return isImpossible
        ? {
            verdict: { decision: "none", continue: true, systemMessage: IS_NO },
            reply: { stdout: { systemMessage: IS_NO } },
          }
        : blocked(true);
    case "PermissionRequest":
      return {
        default: {
          verdict: { decision: "deny", reason: IS_NO, continue: true },
          reply: { exitCode: 0, stdout: specific(event, { decision: { behavior: "deny", message: IS_NO } }) },
        },
        faithful: nothing,
      };
    case "PermissionDenied":
      return { either: nothing };
  }
};

/** Events at which no call may go on without an answer, by default. */
const GATES: readonly string[] = [
  "PreToolUse",
  "PermissionRequest",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "TaskCreated",
];
const KINDS: Readonly<Record<string, string>> = { invalid: "invalid-output", late: "timeout" };

function failureAt(event: Judged, name: string): RunCase["expect"] {
  const failure = { kind: KINDS[name] as string };
  const goesOn: Expectation = {
    verdict: { decision: "none", continue: true, rules: [{ status: "failed", onFailure: "continue", failure }] },
    reply: { exitCode: 0 },
  };
  if (!GATES.includes(event)) return { either: goesOn };
  const word = event === "PreToolUse" || event === "PermissionRequest" ? "deny" : "block";
  return {
    default: { verdict: { decision: word, continue: true, rules: [{ status: "failed", onFailure: "deny", failure }] } },
    faithful: goesOn,
  };
}

/** The agent itself skips such a hook there, and its user is told. */
const PASSED_OVER: Expectation = { ...nothing, runs: { judge: 0 }, problems: ["HOOK_CONFIG_INERT"] };

function expectedOf(kind: Kind, event: Judged, row: Row): RunCase["expect"] {
  const expected = answeredOf(kind, event, row);
  if (kind !== "agent" || event !== "PermissionRequest") return expected;
  const [safer] = Object.values(expected) as [Expectation];
  return { default: { ...safer, problems: ["HOOK_CONFIG_INERT"] }, faithful: PASSED_OVER };
}

function answeredOf(kind: Kind, event: Judged, [name, , hook = {}]: Row): RunCase["expect"] {
  if (name === "ok") return { either: nothing };
  if (Object.hasOwn(KINDS, name)) return failureAt(event, name);
  const isContinued = kind === "agent" || hook["continueOnBlock"] === true;
  const expected = refusalAt(event, isContinued, name.startsWith("impossible"));
  return "verdict" in expected ? { either: expected } : expected;
}

const TITLES: Readonly<Record<string, string>> = {
  ok: "a yes is no opinion",
  "not-ok": "a no",
  "not-ok-continued": "a no that the turn is to outlive",
  impossible: "a no to what cannot be done",
  "impossible-continued": "a no to what cannot be done, that the turn is to outlive",
  invalid: "words that are no answer",
  late: "no answer in time",
};

function rows(id: string, kind: Kind, answers: readonly Row[]): readonly RunCase[] {
  return JUDGED.flatMap((event) =>
    answers.map((row): RunCase => {
      const [name, answer, hook = {}] = row;
      return {
        id: `${id}/${event}-${name}`,
        title: `${TITLES[name]}, at ${event}`,
        matrix: `the answers of ${kind} hooks, at each event that takes this type of hook`,
        event,
        config: (kit: Kit) =>
          at(event, { type: kind, prompt: "May this be?", model: kit.stubModel("judge", answer), ...hook }),
        expect: expectedOf(kind, event, row),
      };
    }),
  );
}

export const claudeJudges: CaseFamily = {
  title: "Claude Code: what a prompt or an agent hook's answer means",
  source: "Hooks reference (2.1.295), prompt-based and agent-based hooks",
  note: "hookbox asks each model in these cases over a socket of this machine.",
  dialect: "claude-code",
  cases: [...rows("JP1", "prompt", ANSWERS), ...rows("JA1", "agent", AGENT_ANSWERS)],
};
