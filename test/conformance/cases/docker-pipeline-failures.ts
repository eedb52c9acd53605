import type { CaseFamily, Expectation, JsonObject, RunCase } from "../case.ts";
import { canonical, GOES_ON, hook, on, permits } from "../docker-hooks.ts";
import { appends, LINES, line, observes, replaces } from "../docker-lines.ts";

const PRE = "pre_tool_use";

const CANNOT_BLOCK = ["tool_response_transform"];
const FAIL_CLOSED = ["pre_tool_use"];

/**
 * How the second of three hooks ends after it has printed a rewrite, and whether that closes an event that can block.
 */
const ENDINGS: Readonly<Record<string, readonly [text: string, closes: boolean, more?: JsonObject]>> = {
  "is killed, on_error block": ["kill -9 $$", true, { on_error: "block" }],
  "is called off, on_error block": ["kill -TERM $$", true, { on_error: "block" }],
  "ends with exit code 1": ["exit 1", false],
  "ends with exit code 2": ["exit 2", true],
};

const endings = Object.keys(LINES).flatMap((event) =>
  Object.entries(ENDINGS).map(([name, [text, closes, more = {}]]): RunCase => {
    const denies = !CANNOT_BLOCK.includes(event) && (closes || FAIL_CLOSED.includes(event));
    const { on_error, ...others } = more;
    const setting = CANNOT_BLOCK.includes(event) || on_error === undefined ? others : { on_error };
    const word = event === "before_llm_call" ? "block" : "deny";
    const isPage = event === "pre_tool_use" && text === "exit 1";
    const goesOn: Expectation = {
      verdict: { ...GOES_ON, ...line(event).rewritten("first-last"), systemMessage: /saw first$/ },
      runs: { failing: 1 },
    };
    // A call that is refused has no input any more, but the sequence runs to its end.
    const { updatedInput: _, ...kept } = line(event).rewritten("first-last");
    const refused: Expectation = {
      verdict: { decision: word, ...kept, systemMessage: /saw first$/ },
      runs: { last: 1 },
    };
    return {
      id: `P6/${event}-${name.replaceAll(/[^a-z0-9]+/g, "-")}`,
      title: `${event}, ${name}`,
      matrix: "a failed hook's rewrite is dropped, and the last hook sees the earlier rewrite",
      event: canonical(event),
      payload: line(event).payload,
      options: { secondLook: false },
      config: (kit) =>
        on(
          event,
          hook(kit, "rewriter", replaces(event, "first")),
          hook(kit, "failing", `${replaces(event, "lost")}; ${text}`, setting),
          hook(kit, "observer", observes(event)),
          hook(kit, "last", appends(event, "-last")),
        ),
      expect: isPage ? { default: refused, faithful: goesOn } : denies ? refused : goesOn,
    };
  }),
);

const TRANSFORM = "tool_input_transform";
const P11: Readonly<Record<string, readonly [text: string, denies: boolean, more?: JsonObject]>> = {
  "an error": ["kill -9 $$", false],
  "an error, on_error ignore": ["kill -9 $$", false, { on_error: "ignore" }],
  "an error, on_error block": ["kill -9 $$", true, { on_error: "block" }],
  "exit code 1": ["exit 1", false],
  "exit code 2": ["exit 2", true],
};

const transforms = Object.entries(P11).map(
  ([name, [text, denies, more]]): RunCase => ({
    id: `P11/${name.replaceAll(/[^a-z0-9]+/g, "-")}`,
    title: name,
    matrix: "after a failing transform the call continues with the earlier rewrite, unless on_error is block",
    event: canonical(TRANSFORM),
    payload: line(TRANSFORM).payload,
    options: { secondLook: false },
    config: (kit) =>
      on(
        TRANSFORM,
        hook(kit, "rewriter", replaces(TRANSFORM, "first")),
        hook(kit, "failing", text, more),
        hook(kit, "observer", observes(TRANSFORM)),
      ),
    expect: denies
      ? { verdict: { decision: "deny", updatedInput: null, systemMessage: /saw first$/ } }
      : {
          verdict: { ...GOES_ON, updatedInput: { cmd: "first" }, systemMessage: /saw first$/ },
          runs: { rewriter: 1, failing: 1, observer: 1 },
        },
  }),
);

export const dockerPipelineFailures: CaseFamily = {
  title: "docker-agent: hooks in a row, of which one fails",
  source: "docker-agent's hook tests (September 2026) and hooks page (mid-2026)",
  note: "A refused call has no input. Therefore only later hooks can see a rewrite next to a refusal.",
  dialect: "docker-agent",
  cases: [
    ...endings,
    {
      id: "P7",
      title: "a rewrite that is not a valid input is a failure of its hook, and earlier rewrites stay",
      payload: line(PRE).payload,
      config: (kit) =>
        on(
          PRE,
          hook(kit, "policy", permits("deny", "policy", { updated_input: { cmd: "first" } })),
          hook(kit, "broken", permits("allow", "fine", { updated_input: ["lost"] })),
          hook(kit, "last", `${observes(PRE)}; exit 0`),
        ),
      expect: {
        verdict: {
          decision: "deny",
          reason: /^policy: policy\nbroken \(.*\): invalid-output: .*updated_input must be an object/,
          systemMessage: "saw first",
          updatedInput: null,
        },
        runs: { last: 1 },
      },
    },
    {
      id: "P8",
      title: "a late hook takes no time from the next hook, and has failed",
      payload: line(TRANSFORM).payload,
      event: canonical(TRANSFORM),
      config: (kit) =>
        on(
          TRANSFORM,
          hook(kit, "late", "exec sleep 5", { timeout: 1 }),
          hook(kit, "rewriter", replaces(TRANSFORM, "second"), { timeout: 1 }),
        ),
      expect: {
        verdict: {
          ...GOES_ON,
          updatedInput: { cmd: "second" },
          systemMessage: /^hookbox: late \(.*\): timeout: no answer within 1000 ms of work.*; the agent goes on$/m,
        },
        runs: { rewriter: 1 },
      },
    },
    {
      id: "P8/gate",
      title: "a late hook at an event where failures refuse",
      payload: line(PRE).payload,
      config: (kit) =>
        on(
          PRE,
          hook(kit, "late", "exec sleep 5", { timeout: 1 }),
          hook(kit, "rewriter", replaces(PRE, "second"), { timeout: 1 }),
        ),
      expect: {
        either: {
          verdict: { decision: "deny", reason: /^late \(.*\): timeout: no answer within 1000 ms/ },
          runs: { rewriter: 1 },
        },
      },
    },
    ...transforms,
  ],
};
