import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { ModelFunction } from "../../../src/models/model.ts";
import type { CaseFamily, ConformanceCase, Expectation, JsonObject, Kit, RunCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";
import { canonical, GOES_ON, grouped, hook, judge, on, permits, reads, specific } from "../docker-hooks.ts";
import { appends, LINES, line, observes, replaces } from "../docker-lines.ts";

const EMPTY = Object.entries(LINES).map(
  ([event, { payload, none }]): RunCase => ({
    id: `P5/${event}`,
    title: event,
    matrix: "an empty object rewrites nothing",
    event: canonical(event),
    payload,
    config: (kit) => on(event, hook(kit, "hook", "printf '{}'")),
    expect: { verdict: { ...GOES_ON, ...none }, reply: { stdout: "" }, runs: { hook: 1 } },
  }),
);

/** Both ends of a pipe: each hook waits until the other has opened it. */
function waitForEachOther(kit: Kit, first: JsonObject, second: JsonObject): readonly JsonObject[] {
  const [there, back] = ["there", "back"].map((name) => join(kit.folder, name)) as [string, string];
  execFileSync("mkfifo", [there, back]);
  return [
    hook(kit, "first", `echo >'${there}'; read -r _ <'${back}'; ${prints(first)}`, { timeout: 5 }),
    hook(kit, "second", `read -r _ <'${there}'; echo >'${back}'; ${prints(second)}`, { timeout: 5 }),
  ];
}

const saysAll = (text: string): JsonObject =>
  specific({ additional_context: text, summary: text, updated_input: { cmd: text } });

const ALL_DROPPED = { additionalContext: null, summary: null };
const SIDE_BY_SIDE: Readonly<Record<string, NonNullable<Expectation["verdict"]>>> = {
  session_start: { ...ALL_DROPPED, additionalContext: "first\nsecond" },
  permission_request: ALL_DROPPED,
  before_compaction: { ...ALL_DROPPED, summary: "first" },
  "preempt lane": ALL_DROPPED,
  tool_guard: ALL_DROPPED,
};

const together = Object.entries(SIDE_BY_SIDE).map(([event, said]): RunCase => {
  const isAhead = event === "preempt lane";
  return {
    id: `P10/${event.replaceAll(/[^a-z]+/g, "-")}`,
    title: event,
    matrix: "at events without rewrites, hooks run in parallel and answer in the order of the configuration",
    event: canonical(isAhead ? "pre_tool_use" : event),
    ...(isAhead ? { options: { lane: "preempt" } } : {}),
    config: (kit) => {
      const hooks = waitForEachOther(kit, saysAll("first"), saysAll("second"));
      return isAhead ? grouped("pre_tool_use", { preempt_yolo: true, hooks }) : on(event, ...hooks);
    },
    expect: {
      verdict: { ...GOES_ON, updatedInput: null, ...said, rules: [{ failure: null }, { failure: null }] },
      runs: { first: 1, second: 1 },
    },
  };
});

/** The caller's own object must not change. */
const frozen = Object.freeze({ cmd: "original", cwd: "/work", nested: Object.freeze({ deep: 1 }) });
const PRE = "pre_tool_use";
const RESPONSE = "tool_response_transform";
const MODEL = "before_llm_call";

const single: readonly ConformanceCase[] = [
  {
    id: "P1",
    title: "each hook patches the input of the previous hook, but on the page a new input replaces the whole input",
    payload: { tool_name: "shell", tool_input: frozen },
    options: { secondLook: false },
    config: (kit) => {
      const showsNested =
        'read -r input; case $input in *nested*) echo \'{"system_message":"nested is there"}\';; *) echo \'{"system_message":"nested is gone"}\';; esac';
      return grouped(
        PRE,
        { matcher: "shell", hooks: [hook(kit, "one", replaces(PRE, "ls")), hook(kit, "two", appends(PRE, " -l"))] },
        { matcher: "edit_file", hooks: [hook(kit, "other", "exit 2")] },
        { matcher: "*", hooks: [hook(kit, "three", appends(PRE, " -h")), hook(kit, "shows", showsNested)] },
      );
    },
    expect: {
      default: {
        verdict: {
          ...GOES_ON,
          updatedInput: { cmd: "ls -l -h", cwd: "/work", nested: { deep: 1 } },
          systemMessage: "nested is there",
        },
        runs: { one: 1, two: 1, three: 1, other: 0 },
      },
      faithful: {
        verdict: { ...GOES_ON, updatedInput: { cmd: "ls -l -h" }, systemMessage: "nested is gone" },
        runs: { one: 1, two: 1, three: 1, other: 0 },
      },
    },
  },
  {
    id: "P2",
    title: "a hook replaces the whole list of messages, and an empty list replaces nothing",
    event: canonical(MODEL),
    payload: line(MODEL).payload,
    config: (kit) =>
      on(
        MODEL,
        hook(kit, "one", appends(MODEL, "-a")),
        hook(kit, "two", "printf '{}'"),
        hook(kit, "three", appends(MODEL, "-b")),
        hook(kit, "four", prints(specific({ updated_messages: [] }))),
      ),
    expect: {
      verdict: { ...GOES_ON, updatedMessages: [{ content: "original-a-b" }] },
      reply: { stdout: { hook_specific_output: { updated_messages: [{ content: "original-a-b" }] } } },
    },
  },
  ...[
    ["appended", appends(RESPONSE, "-second"), "first-second"],
    ["cleared", replaces(RESPONSE, ""), ""],
  ].map(
    ([name, text, left]): RunCase => ({
      id: `P3/${name}`,
      title: name as string,
      matrix: "the last rewrite of a response counts, even an empty rewrite, and later hooks see the rewrite",
      event: canonical(RESPONSE),
      payload: line(RESPONSE).payload,
      config: (kit) =>
        on(
          RESPONSE,
          hook(kit, "one", replaces(RESPONSE, "first")),
          hook(kit, "two", text as string),
          hook(kit, "three", observes(RESPONSE)),
        ),
      expect: {
        verdict: { ...GOES_ON, updatedOutput: left as string, systemMessage: `saw ${left}` },
        reply: { stdout: { hook_specific_output: { updated_tool_response: left as string } } },
      },
    }),
  ),
  {
    id: "P4/input",
    title: "of an input",
    matrix: "an empty patch is a rewrite to the same input",
    payload: { tool_name: "shell", tool_input: { cmd: "ls", cwd: "/work" } },
    config: (kit) => on(PRE, hook(kit, "hook", prints(specific({ updated_input: {} })))),
    expect: {
      default: {
        verdict: { ...GOES_ON, updatedInput: { cmd: "ls", cwd: "/work" } },
        reply: { stdout: { hook_specific_output: { updated_input: { cmd: "ls", cwd: "/work" } } } },
      },
      faithful: { verdict: { ...GOES_ON, updatedInput: {} } },
    },
  },
  {
    id: "P4/no input",
    title: "of none",
    matrix: "an empty patch is a rewrite to the same input",
    payload: { tool_name: "shell", tool_input: null },
    config: (kit) => on(PRE, hook(kit, "hook", prints(specific({ updated_input: {} })))),
    expect: { verdict: { ...GOES_ON, updatedInput: {} } },
  },
  ...EMPTY,
  {
    id: "P9",
    title: "a model judges the input after an earlier hook's rewrite",
    payload: line(PRE).payload,
    config: (kit) => {
      const asks: ModelFunction = async ({ messages }) =>
        JSON.stringify({
          decision: JSON.stringify(messages).includes("rm it") ? "ask" : "allow",
          reason: "look first",
        });
      return on(PRE, hook(kit, "rewriter", replaces(PRE, "rm it")), judge(kit, "judge", asks));
    },
    expect: {
      verdict: { decision: "ask", reason: /look first$/, updatedInput: { cmd: "rm it" } },
      runs: { judge: 1 },
    },
  },
  {
    id: "P9/command",
    title: "a command judges the input after an earlier hook's rewrite",
    payload: line(PRE).payload,
    config: (kit) =>
      on(
        PRE,
        hook(kit, "rewriter", replaces(PRE, "rm")),
        hook(kit, "judge", `${reads("cmd")}; [ "$text" != rm ] || ${permits("ask", "rm it is")}`),
      ),
    expect: { verdict: { decision: "ask", reason: "judge: rm it is", updatedInput: { cmd: "rm" } } },
  },
  ...together,
];

export const dockerPipeline: CaseFamily = {
  title: "docker-agent: hooks in a row, and rewrites",
  source: "docker-agent's hook tests (September 2026) and hooks page (mid-2026), updated_input and its kin",
  dialect: "docker-agent",
  cases: single,
};
