import type { CaseFamily, ConformanceCase, Expectation, JsonObject, Kit, RunCase } from "../case.ts";
import { grouped, hook, on } from "../docker-hooks.ts";

const START = "SessionStart";
const TURN = "TurnStart";

/** Two hooks with one command, which differ as given. */
function twice(kit: Kit, one: JsonObject, other: JsonObject): string {
  const { name: _, ...shared } = hook(kit, "hook", ":");
  return on("session_start", { ...shared, ...one }, { ...shared, ...other });
}

const both = (problems?: readonly string[]): Expectation => ({
  runs: { hook: 2 },
  ...(problems === undefined ? {} : { problems }),
});

/** docker-agent has these fields for other types of hooks; for a command they still make hooks different. */
const INERT = ["HOOK_CONFIG_INERT"];

const FIELDS: Readonly<Record<string, readonly [one: JsonObject, other: JsonObject, problems?: readonly string[]]>> = {
  name: [{ name: "a" }, { name: "b" }],
  args: [{ args: ["a"] }, { args: ["b"] }, [...INERT, ...INERT]],
  timeout: [{ timeout: 30 }, { timeout: 31 }],
  env: [{ env: { A: "1" } }, { env: { A: "2" } }],
  working_dir: [{ working_dir: "/" }, { working_dir: "/tmp" }],
  on_error: [{ on_error: "warn" }, { on_error: "ignore" }],
  strict_output: [{ strict_output: true }, { strict_output: false }],
  model: [{ model: "a" }, { model: "b" }],
  prompt: [{ prompt: "a" }, { prompt: "b" }],
  schema: [{ schema: "a" }, { schema: "b" }],
};

/**
 * The same for fields that other types of hooks read: one field, its two values, and whether the hooks are the same
 * nevertheless.
 */
const SCHEMA = "pre_tool_use_decision";
const MODEL_FIELDS: Readonly<
  Record<string, readonly [one: JsonObject, other: JsonObject, problems?: readonly string[]]>
> = {
  prompt: [{ prompt: "a" }, { prompt: "b" }],
  // At a turn's start there is nothing to decide.
  schema: [{}, { schema: SCHEMA }, INERT],
  timeout: [{}, { timeout: 60 }],
  on_error: [{}, { on_error: "warn" }],
};
const BUILTIN_FIELDS: Readonly<Record<string, readonly [one: JsonObject, other: JsonObject]>> = {
  command: [{ command: "add_user_info" }, { command: "add_environment_info" }],
  args: [
    { command: "add_recent_commits", args: ["1"] },
    { command: "add_recent_commits", args: ["2"] },
  ],
  env: [{ env: { A: "1" } }, { env: { A: "2" } }],
  working_dir: [{ working_dir: "/" }, { working_dir: "/tmp" }],
};
const TWO: Expectation = { verdict: { rules: [{ decision: null }, { decision: null }] } };

const matrix = "hooks that differ in a field both run, in the order of the configuration";
const fields: readonly ConformanceCase[] = [
  ...Object.entries(FIELDS).map(
    ([field, [one, other, problems]]): RunCase => ({
      id: `D2/${field}`,
      title: field,
      matrix,
      event: START,
      config: (kit) => twice(kit, one, other),
      expect: both(problems),
    }),
  ),
  {
    id: "D2/command",
    title: "command",
    matrix,
    event: START,
    config: (kit) =>
      on("session_start", hook(kit, "a", "echo a", { name: "" }), hook(kit, "b", "echo b", { name: "" })),
    expect: { verdict: { additionalContext: "a\nb" }, runs: { a: 1, b: 1 } },
  },
  ...Object.entries(MODEL_FIELDS).map(
    ([field, [one, other, problems]]): RunCase => ({
      id: `D2/model-${field}`,
      title: `${field}, of a model`,
      matrix,
      event: TURN,
      config: (kit) => {
        const asks = { type: "model", model: kit.model("model", "a word"), prompt: "a" };
        return on("turn_start", { ...asks, ...one }, { ...asks, ...other }, { ...asks, ...one });
      },
      expect: { runs: { model: 2 }, ...(problems === undefined ? {} : { problems }) },
    }),
  ),
  {
    id: "D2/model-model",
    title: "model, of a model",
    matrix,
    event: TURN,
    config: (kit) => {
      const asks = (name: string): JsonObject => ({ type: "model", model: kit.model(name, name), prompt: "a" });
      return on("turn_start", asks("a"), asks("b"), asks("a"));
    },
    expect: { verdict: { additionalContext: "a\nb" }, runs: { a: 1, b: 1 } },
  },
  ...Object.entries(BUILTIN_FIELDS).map(
    ([field, [one, other]]): RunCase => ({
      id: `D2/builtin-${field}`,
      title: `${field}, of a built-in`,
      matrix,
      event: START,
      config: () => {
        const asks = { type: "builtin", command: "add_user_info" };
        return on("session_start", { ...asks, ...one }, { ...asks, ...other }, { ...asks, ...one });
      },
      expect: TWO,
    }),
  ),
  {
    id: "D2/type",
    title: "a built-in and a command of one name are two hooks",
    matrix,
    event: START,
    config: () =>
      on("session_start", { type: "builtin", command: "add_user_info" }, { type: "command", command: "add_user_info" }),
    expect: TWO,
  },
];

/** What is the same, and what only looks the same. */
const PAIRS: Readonly<
  Record<string, readonly [runs: number, one: JsonObject, other: JsonObject, problems?: readonly string[]]>
> = {
  "no args and an empty list": [1, {}, { args: [] }],
  "no env and an empty mapping": [1, {}, { env: {} }],
  "env in another order": [1, { env: { A: "1", B: "2" } }, { env: { B: "2", A: "1" } }],
  "args in another order": [2, { args: ["a", "b"] }, { args: ["b", "a"] }, [...INERT, ...INERT]],
  "no args and an empty one": [2, {}, { args: [""] }, INERT],
  "no variable and an empty one": [2, {}, { env: { A: "" } }],
  "two args and one with a NUL between": [2, { args: ["a", "b"] }, { args: ["a\u0000b"] }, [...INERT, ...INERT]],
  "no strict_output and false": [1, {}, { strict_output: false }],
  "no on_error and an empty one": [1, {}, { on_error: "" }],
  "no timeout and 0": [1, {}, { timeout: 0 }],
  "no name and an empty one": [1, {}, { name: "" }],
  "no working_dir and an empty one": [1, {}, { working_dir: "" }],
  "the usual timeout, said and unsaid": [2, {}, { timeout: 60 }],
  "the usual on_error, said and unsaid": [2, {}, { on_error: "warn" }],
};

const pairs = Object.entries(PAIRS).map(
  ([name, [runs, one, other, problems]]): RunCase => ({
    id: `D3/${name.replaceAll(/[^a-z_]+/gi, "-")}`,
    title: name,
    matrix: "a field that is empty, false or 0 counts as absent, but an explicit default does not",
    event: START,
    config: (kit) => twice(kit, one, other),
    expect: { runs: { hook: runs }, ...(problems === undefined ? {} : { problems }) },
  }),
);

export const dockerDuplicates: CaseFamily = {
  title: "docker-agent: hooks that are written twice",
  source: "docker-agent's hook tests (September 2026), identity of hooks",
  dialect: "docker-agent",
  cases: [
    {
      id: "D1",
      title: "three of four hooks with the same command run, because two have the same name",
      event: START,
      config: (kit) => {
        const { name: _, ...shared } = hook(kit, "hook", ":");
        const named = (name: string): JsonObject => ({ name, ...shared });
        return on("session_start", named("a"), named("a"), named("b"), shared);
      },
      expect: { runs: { hook: 3 } },
    },
    ...fields,
    ...pairs,
    {
      id: "D4",
      title: "a duplicate hook in several groups runs at its first place, in each dispatch",
      times: 2,
      config: (kit) => {
        const [one, other] = ["one", "other"].map((name) => hook(kit, name, `echo '{"system_message":"${name}"}'`)) as [
          JsonObject,
          JsonObject,
        ];
        return grouped(
          "pre_tool_use",
          { matcher: "Bash", hooks: [one] },
          { matcher: "*", hooks: [other, one] },
          { matcher: "Ba.*", hooks: [other] },
        );
      },
      expect: { verdict: { systemMessage: "one\nother" }, runs: { one: 2, other: 2 } },
    },
    {
      id: "D5",
      title: "the same command with another environment or folder is another hook",
      event: START,
      config: (kit) => {
        const says = (more: JsonObject): JsonObject =>
          hook(kit, "hook", `printf '%s in %s' "$WHO" "$PWD"`, { env: { WHO: "one" }, working_dir: "/", ...more });
        return on("session_start", says({}), says({ env: { WHO: "two" } }), says({ working_dir: "/tmp" }), says({}));
      },
      expect: { verdict: { additionalContext: "one in /\ntwo in /\none in /tmp" }, runs: { hook: 3 } },
    },
  ],
};
