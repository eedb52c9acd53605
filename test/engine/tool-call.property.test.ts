import { describe, expect, test } from "vitest";
import { aggregate } from "../../src/aggregate/aggregate.ts";
import type { Dispatch } from "../../src/engine/executed-tool.ts";
import { runToolCall } from "../../src/engine/tool-call.ts";
import type { PolicyAnswer, ToolCallResult, UserAnswer } from "../../src/index.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Reply } from "../../src/outcome.ts";
import fc from "../helpers/fc.ts";
import { makeEvent, makeRule } from "../helpers/rules.ts";

/** The answer of the one rule at each event. */
type Word = "nothing" | "allow" | "ask" | "deny" | "defer" | "fails" | "stops";

interface Scene {
  readonly dialect: string;
  readonly words: Readonly<Record<string, Word>>;
  /** Whether the rule also changes the input, and whether it answers differently for the changed input. */
  readonly rewrites: Readonly<Record<string, boolean>>;
  readonly afterRewrite: Word;
  readonly policy: PolicyAnswer;
  readonly policyAfterRewrite: PolicyAnswer;
  readonly user: UserAnswer | "throws" | "absent";
}

const PHASES = ["ToolInputTransform", "ToolGuard", "PreToolUse preempt", "PreToolUse default", "PermissionRequest"];

const word = fc.constantFrom<Word>("nothing", "nothing", "allow", "ask", "deny", "defer", "fails", "stops");
const policy = fc.record({
  decision: fc.constantFrom<PolicyAnswer["decision"]>("allow", "ask", "deny"),
  source: fc.constantFrom<PolicyAnswer["source"]>("rule", "mode", "grant", "read-only"),
});
const ofPhases = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Record<string, Value>> =>
  fc.record(Object.fromEntries(PHASES.map((phase) => [phase, values]))) as fc.Arbitrary<Record<string, Value>>;
const scene: fc.Arbitrary<Scene> = fc.record({
  dialect: fc.constantFrom("docker-agent", "claude-code", "hookbox"),
  words: ofPhases(word),
  rewrites: ofPhases(fc.boolean()),
  afterRewrite: word,
  policy,
  policyAfterRewrite: policy,
  user: fc.constantFrom<Scene["user"]>("allow", "allow-always", "deny", "throws", "absent"),
});

interface Said {
  readonly phase: string;
  readonly word: Word;
  readonly input: unknown;
}

async function play(scene: Scene): Promise<{
  result: ToolCallResult;
  said: Said[];
  policies: PolicyAnswer[];
  askedUser: number;
  executed: JsonObject[];
}> {
  const said: Said[] = [];
  const policies: PolicyAnswer[] = [];
  const executed: JsonObject[] = [];
  let askedUser = 0;
  const dispatch: Dispatch = async (name, payload, { lane }) => {
    const phase = lane === undefined ? name : `${name} ${lane}`;
    const event = makeEvent(name, payload, scene.dialect);
    if (!PHASES.includes(phase)) return aggregate(event, []);
    const times = said.filter((one) => one.phase === phase).length;
    const spoken = times === 0 ? (scene.words[phase] as Word) : scene.afterRewrite;
    said.push({ phase, word: spoken, input: payload["tool_input"] });
    const rewrites = scene.rewrites[phase] === true && phase !== "ToolGuard" && lane !== "preempt";
    const reply: Reply = {
      ...(["nothing", "fails", "stops"].includes(spoken) ? {} : { decision: spoken as "allow" }),
      ...(spoken === "stops" ? { continue: false } : {}),
      ...(rewrites ? { updatedInput: { command: phase } } : {}),
    };
    const receipt = { micros: 0 };
    return aggregate(event, [
      {
        rule: makeRule({ event: name, onFailure: "block" }),
        look: "first",
        outcome:
          spoken === "fails"
            ? { status: "failed", failure: { kind: "timeout", message: "too late" }, receipt }
            : { status: "decided", reply, receipt },
      },
    ]);
  };
  const result = await runToolCall(
    dispatch,
    { toolName: "Bash", input: { command: "original" } },
    {
      policy: ({ rewritten }) => {
        const answer = rewritten ? scene.policyAfterRewrite : scene.policy;
        policies.push(answer);
        return answer;
      },
      ...(scene.user === "absent"
        ? {}
        : {
            askUser: () => {
              askedUser += 1;
              if (scene.user === "throws") throw new Error("no terminal");
              return scene.user as UserAnswer;
            },
          }),
      execute: (input) => {
        executed.push(input);
        return "done";
      },
    },
    { dialect: scene.dialect },
  );
  return { result, said, policies, askedUser, executed };
}

const isNo = (spoken: Word): boolean => ["deny", "fails", "stops"].includes(spoken);
const isDoubt = (spoken: Word): boolean => spoken === "ask" || spoken === "defer";
const userAllows = (user: Scene["user"]): boolean => user === "allow" || user === "allow-always";
const RUNS = 2_000;

describe("for any answers of rules, policy and user", () => {
  test("a tool runs only if none of them refused and one with authority permitted it", async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (given) => {
        const { result, said, policies, askedUser, executed } = await play(given);
        expect(executed).toHaveLength(result.outcome === "ran" ? 1 : 0);
        if (result.outcome !== "ran") return;
        expect(said.filter((one) => isNo(one.word))).toEqual([]);
        expect(policies.filter(({ decision }) => decision === "deny")).toEqual([]);
        const hook = said.some(
          ({ phase, word: spoken }) =>
            spoken === "allow" && (phase === "PreToolUse default" || phase === "PermissionRequest"),
        );
        const permitted = hook || policies.some(({ decision }) => decision === "allow");
        expect(permitted || (askedUser === 1 && userAllows(given.user))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  test("a guard's doubt is answered by the user, and a rule's question never by a pre-tool-use rule", async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (given) => {
        const { result, said, policies, askedUser } = await play(given);
        if (result.outcome !== "ran") return;
        if (said.some(({ phase, word: spoken }) => phase === "ToolGuard" && isDoubt(spoken))) {
          expect(askedUser === 1 && userAllows(given.user)).toBe(true);
        }
        const ruleAsks = policies.some(({ decision, source }) => decision === "ask" && source !== "mode");
        if (ruleAsks && !said.some(({ phase }) => phase === "PermissionRequest")) expect(askedUser).toBe(1);
      }),
      { numRuns: RUNS },
    );
  });

  test("guard and policy have judged exactly the input that runs", async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (given) => {
        const { result, said, executed } = await play(given);
        if (result.outcome !== "ran") return;
        for (const phase of ["ToolGuard", "PreToolUse preempt"]) {
          expect(said.findLast((one) => one.phase === phase)?.input).toEqual(executed[0]);
        }
        expect(result.input).toEqual(executed[0]);
      }),
      { numRuns: RUNS },
    );
  });

  test("a call without doubts that the policy allows runs without a question", async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (given) => {
        const words = Object.fromEntries(PHASES.map((phase) => [phase, "nothing" as const]));
        const allows = { decision: "allow", source: "rule" } as const;
        const { result, askedUser } = await play({
          ...given,
          words,
          afterRewrite: "nothing",
          policy: allows,
          policyAfterRewrite: allows,
        });
        expect({ outcome: result.outcome, askedUser }).toEqual({ outcome: "ran", askedUser: 0 });
      }),
      { numRuns: 200 },
    );
  });
});
