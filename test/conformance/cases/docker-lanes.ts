import type {
  BothWays,
  CaseFamily,
  ConformanceCase,
  EitherWay,
  Expectation,
  Expected,
  JsonObject,
  Kit,
  RunCase,
} from "../case.ts";
import { prints } from "../claude-hooks.ts";
import { GOES_ON, grouped, hook, NOTHING, permits, reads, refused, specific } from "../docker-hooks.ts";

/**
 * One `pre_tool_use` event, both lanes: the groups with `preempt_yolo` first, then the others. The group of the default
 * lane comes first in each file, because the order in the file must not matter.
 */

type Hooks = (kit: Kit) => readonly JsonObject[];

function lanes(usual: Hooks, ahead: Hooks): (kit: Kit) => string {
  return (kit) => grouped("pre_tool_use", { hooks: [...usual(kit)] }, { preempt_yolo: true, hooks: [...ahead(kit)] });
}

const one =
  (name: string, text: string, more: JsonObject = {}): Hooks =>
  (kit) => [hook(kit, name, text, more)];
const usual = (text: string): Hooks => one("usual", text);
const ahead = (text: string, more?: JsonObject): Hooks => one("ahead", text, more);

const METADATA = { blast_radius: "high", category: "fs-delete" };
const reply = (fields: Readonly<Record<string, Expected>>): Expectation => ({
  reply: { exitCode: 0, stdout: { hook_specific_output: { hook_event_name: "pre_tool_use", ...fields } } },
});

const ALLOWED = /^usual: go on$/;
const GOES: Hooks = usual(permits("allow", "go on"));

/** The preempt lane's answer -> the result next to a default lane that allows. */
const WORDS: readonly (readonly [title: string, text: string, expected: Expectation | BothWays | EitherWay])[] = [
  [
    "allow is advice: the default lane decides",
    permits("allow", "fine", { metadata: METADATA }),
    {
      verdict: { decision: "allow", reason: ALLOWED, metadata: METADATA },
      ...reply({ permission_decision: "allow", permission_decision_reason: ALLOWED, metadata: METADATA }),
      runs: { ahead: 1, usual: 1 },
    },
  ],
  [
    "ask outranks the default lane; as the page has it, that lane is not asked",
    permits("ask", "look", { metadata: METADATA }),
    {
      default: {
        verdict: { decision: "ask", reason: "ahead: look", metadata: METADATA },
        ...reply({ permission_decision: "ask", permission_decision_reason: "ahead: look", metadata: METADATA }),
        runs: { ahead: 1, usual: 1 },
      },
      faithful: {
        verdict: { decision: "ask", reason: "ahead: look", metadata: METADATA },
        ...reply({ permission_decision: "ask", permission_decision_reason: "ahead: look", metadata: METADATA }),
        runs: { ahead: 1, usual: 0 },
      },
    },
  ],
  ["deny ends it", permits("deny", "no"), { either: { ...refused(/^ahead: no$/), runs: { ahead: 1, usual: 0 } } }],
  ["exit code 2 ends it", "exit 2", { either: { ...refused(/^ahead: /), runs: { ahead: 1, usual: 0 } } }],
  [
    "continue: false ends it",
    prints({ continue: false, stop_reason: "over" }),
    { ...refused(/^ahead: over$/), runs: { usual: 0 } },
  ],
  ["a crash ends it", "exit 1", { either: { ...refused(/exit code 1; the gate stays shut$/), runs: { usual: 0 } } }],
  ["silence is no opinion", ":", { verdict: { decision: "allow", reason: ALLOWED }, runs: { ahead: 1, usual: 1 } }],
];

const words = WORDS.map(
  ([title, text, expect]): RunCase => ({
    id: `L1/${title.replaceAll(/[^a-z0-9]+/gi, "-")}`,
    title,
    matrix: "each decision of the preempt lane, next to a default lane that allows",
    config: lanes(GOES, ahead(text)),
    expect,
  }),
);

/** Each of two hooks ends only after the other has started. */
const waitsFor = (own: string, other: string): string =>
  `: > ${own}; n=0; until [ -e ${other} ] || [ $n -gt 500 ]; do sleep 0.02; n=$((n+1)); done; [ -e ${other} ]`;

const single: readonly ConformanceCase[] = [
  {
    id: "L2",
    title: "a permission of the preempt lane alone permits nothing, and the verdict keeps its annotations",
    config: (kit) =>
      grouped("pre_tool_use", {
        preempt_yolo: true,
        hooks: [...ahead(permits("allow", "fine", { metadata: METADATA }))(kit)],
      }),
    expect: {
      verdict: { ...GOES_ON, reason: null, metadata: METADATA, rules: [{ dropped: [/allow.*advice/] }] },
      ...reply({ metadata: METADATA }),
    },
  },
  {
    id: "L3",
    title: "hooks of the preempt lane run in parallel",
    config: lanes(usual(":"), (kit) => [
      hook(kit, "ahead", waitsFor("a", "b")),
      hook(kit, "beside", waitsFor("b", "a")),
    ]),
    expect: { verdict: GOES_ON, runs: { ahead: 1, beside: 1, usual: 1 } },
  },
  {
    id: "L4",
    title: "hookbox ignores a new input of the preempt lane, and the default lane sees the original call",
    payload: { tool_name: "shell", tool_input: { cmd: "ls" } },
    config: lanes(
      usual(`${reads("cmd")}; printf '{"system_message":"%s"}' "$text"`),
      ahead(prints(specific({ updated_input: { cmd: "rm" } }))),
    ),
    expect: { verdict: { ...GOES_ON, updatedInput: null, systemMessage: "ls" } },
  },
  {
    id: "L5",
    title: "a strict hook of the preempt lane may annotate, but a new input is a failure",
    config: lanes(usual(":"), (kit) => [
      hook(kit, "ahead", prints(specific({ metadata: METADATA })), { strict_output: true }),
    ]),
    expect: { verdict: { ...GOES_ON, metadata: METADATA } },
  },
  {
    id: "L5/input",
    title: "a strict hook of the preempt lane with a new input denies",
    config: lanes(usual(":"), ahead(prints(specific({ updated_input: {} })), { strict_output: true })),
    expect: { ...refused(/updated_input/), runs: { usual: 0 } },
  },
  {
    id: "L6",
    title: "the last of two annotations with the same name counts",
    config: lanes(usual(":"), (kit) => [
      hook(kit, "slow", `sleep 0.05; ${prints(specific({ metadata: { who: "first", a: "1" } }))}`),
      hook(kit, "quick", prints(specific({ metadata: { who: "last" } }))),
    ]),
    expect: { verdict: { metadata: { who: "last", a: "1" } } },
  },
  {
    id: "L7",
    title: "the preempt lane judges a new input of the default lane again",
    payload: { tool_name: "shell", tool_input: { cmd: "ls" } },
    config: lanes(
      usual(permits("allow", "better", { updated_input: { cmd: "rm" } })),
      ahead(`${reads("cmd")}; [ "$text" = ls ] || { echo "not $text" >&2; exit 2; }`),
    ),
    expect: { ...refused(/^ahead: not rm$/), runs: { ahead: 2, usual: 1 } },
  },
  {
    id: "L8",
    title: "a question of the preempt lane does not outrank a refusal of the default lane",
    config: lanes(usual("echo never >&2; exit 2"), ahead(permits("ask", "look"))),
    expect: {
      default: { ...refused(/^usual: never$/), runs: { ahead: 1, usual: 1 } },
      faithful: { verdict: { decision: "ask" }, runs: { ahead: 1, usual: 0 } },
    },
  },
  {
    id: "L9",
    title: "a question in a project's file does not prevent the user's hooks from running",
    moreFiles: (kit) => [
      {
        layer: "project",
        config: grouped("pre_tool_use", { preempt_yolo: true, hooks: [...ahead(permits("ask", "look"))(kit)] }),
      },
    ],
    config: (kit) => grouped("pre_tool_use", { hooks: [...usual("echo never >&2; exit 2")(kit)] }),
    expect: { either: { ...refused(/^usual: never$/), runs: { ahead: 1, usual: 1 } } },
  },
  {
    id: "L10",
    title: "a hook that could not be loaded runs once, in the preempt lane",
    config: (kit) =>
      grouped(
        "pre_tool_use",
        { hooks: [{ type: "builtin", command: "no_such_guard" }, ...usual(":")(kit)] },
        { preempt_yolo: true, hooks: [...ahead(":")(kit)] },
      ),
    expect: {
      verdict: { decision: "deny", reason: /^no_such_guard /, rules: [{ status: "failed" }, { rule: "ahead" }] },
      runs: { ahead: 1, usual: 0 },
      problems: ["HOOK_BUILTIN"],
    },
  },
  {
    id: "L11",
    title: "without hooks in the preempt lane, only the default lane decides",
    config: (kit) => grouped("pre_tool_use", { hooks: [...usual(":")(kit)] }),
    expect: { ...NOTHING, runs: { usual: 1 } },
  },
];

export const dockerLanes: CaseFamily = {
  title: "docker-agent: the lanes of pre_tool_use",
  source: "docker-agent's hooks page (mid-2026), preempting yolo; its dispatcher (September 2026)",
  dialect: "docker-agent",
  cases: [...words, ...single],
};
