import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { CaseFamily, ConformanceCase, Expectation, JsonObject, Kit, RunCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";
import {
  canonical,
  GOES_ON,
  grouped,
  hook,
  IN_OUR_TERMS,
  on,
  permits,
  printsText,
  reads,
  specific,
} from "../docker-hooks.ts";

/** The four events at which hooks see each other's rewrites: what is rewritten, and how a hook reads and says it. */
interface Line {
  readonly payload: JsonObject;
  /** The field of the payload, or in it, that holds the text. */
  readonly reads: string;
  readonly says: (text: string) => JsonObject;
  readonly rewritten: (text: string) => NonNullable<Expectation["verdict"]>;
  readonly none: NonNullable<Expectation["verdict"]>;
}

const input: Line = {
  payload: { tool_name: "shell", tool_input: { cmd: "original" } },
  reads: "cmd",
  says: (cmd) => specific({ updated_input: { cmd } }),
  rewritten: (cmd) => ({ updatedInput: { cmd } }),
  none: { updatedInput: null },
};

const LINES: Readonly<Record<string, Line>> = {
  pre_tool_use: input,
  tool_input_transform: input,
  before_llm_call: {
    payload: { messages: [{ content: "original" }] },
    reads: "content",
    says: (content) => specific({ updated_messages: [{ content }] }),
    rewritten: (content) => ({ updatedMessages: [{ content }] }),
    none: { updatedMessages: null },
  },
  tool_response_transform: {
    payload: { tool_name: "shell", tool_response: "original" },
    reads: "tool_response",
    says: (updated_tool_response) => specific({ updated_tool_response }),
    rewritten: (text) => ({ updatedOutput: text }),
    none: { updatedOutput: null },
  },
};

const line = (event: string): Line => LINES[event] as Line;

const replaces = (event: string, text: string): string => prints(line(event).says(text));
const appends = (event: string, text: string): string =>
  `${reads(line(event).reads)}; ${printsText(line(event).says(`@${text}`))}`;
/** Tells what it was shown. */
const observes = (event: string): string => `${reads(line(event).reads)}; ${printsText({ system_message: "saw @" })}`;

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

const CANNOT_BLOCK = ["tool_response_transform"];
const FAIL_CLOSED = ["pre_tool_use"];

/** How the second of three hooks ends after it has printed a rewrite; whether that closes an event that can block. */
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
    // A call that is refused has no input any more, but the row goes on to its end.
    const { updatedInput: _, ...kept } = line(event).rewritten("first-last");
    const refused: Expectation = {
      verdict: { decision: word, ...kept, systemMessage: /saw first$/ },
      runs: { last: 1 },
    };
    return {
      id: `P6/${event}-${name.replaceAll(/[^a-z0-9]+/g, "-")}`,
      title: `${event}, ${name}`,
      matrix: "a failed hook's rewrite is dropped, the earlier one stays, and the last hook runs and sees it",
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
    matrix: "after a transform that fails the call goes on with the earlier rewrite, unless it is to block then",
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

/** Both ends of a pipe: each hook waits until the other is there. */
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
    matrix: "where nothing is rewritten hooks run at the same time, and answer in the order of the configuration",
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

/** What the caller has handed over is its own. */
const frozen = Object.freeze({ cmd: "original", cwd: "/work", nested: Object.freeze({ deep: 1 }) });
const PRE = "pre_tool_use";
const RESPONSE = "tool_response_transform";
const MODEL = "before_llm_call";

const single: readonly ConformanceCase[] = [
  {
    id: "P1",
    title: "each hook patches what the last one made; as the page has it, a new input replaces all of the old",
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
    title: "messages are replaced as a whole, and an empty list replaces nothing",
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
      matrix: "the last rewrite of a response counts, also an empty one, and later hooks see it",
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
  ...endings,
  {
    id: "P7",
    title: "a rewrite that is no input is that hook's failure; what came before it stays",
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
    title: "a hook that is late takes no time from the next, and its failure stays",
    payload: line(TRANSFORM).payload,
    event: canonical(TRANSFORM),
    config: (kit) =>
      on(
        TRANSFORM,
        hook(kit, "late", "exec sleep 5", { timeout: 1 }),
        hook(kit, "rewriter", `sleep 0.1; ${replaces(TRANSFORM, "second")}`, { timeout: 1 }),
      ),
    expect: {
      verdict: {
        ...GOES_ON,
        updatedInput: { cmd: "second" },
        systemMessage: /^hookbox: late \(.*\): timeout: no answer within 1000 ms; the agent goes on$/m,
      },
      runs: { rewriter: 1 },
    },
  },
  {
    id: "P8/gate",
    title: "the same where failures refuse",
    payload: line(PRE).payload,
    config: (kit) =>
      on(
        PRE,
        hook(kit, "late", "exec sleep 5", { timeout: 1 }),
        hook(kit, "rewriter", `sleep 0.1; ${replaces(PRE, "second")}`, { timeout: 1 }),
      ),
    expect: {
      either: {
        verdict: { decision: "deny", reason: /^late \(.*\): timeout: no answer within 1000 ms/ },
        runs: { rewriter: 1 },
      },
    },
  },
  { id: "P9", title: "a model judges what a rewriter has made", later: "hooks of type model are not built" },
  {
    id: "P9/command",
    title: "a command in the model's place judges what a rewriter has made",
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
  ...transforms,
];

export const dockerPipeline: CaseFamily = {
  title: "docker-agent: hooks in a row, and rewrites",
  source: "docker-agent's hook tests (September 2026) and hooks page (mid-2026), updated_input and its kin",
  note: `${IN_OUR_TERMS} A call that is refused has no input any more, so a rewrite beside a refusal shows only in what later hooks see.`,
  dialect: "docker-agent",
  cases: single,
};
