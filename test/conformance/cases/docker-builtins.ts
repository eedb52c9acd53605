import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CaseFamily, ConformanceCase, Expectation, Expected, JsonObject, Kit, RunCase } from "../case.ts";
import { canonical, GOES_ON, NOTHING, on } from "../docker-hooks.ts";

/** docker-agent's built-in hooks: each row of its page's table, in a real folder and a real repository. */

const builtin = (command: string, args?: readonly string[], more: JsonObject = {}): JsonObject => ({
  type: "builtin",
  command,
  ...(args === undefined ? {} : { args: [...args] }),
  ...more,
});

type Text = string | RegExp;
const adds = (additionalContext: Text): Expectation => ({
  verdict: { ...GOES_ON, additionalContext },
  reply: { exitCode: 0, stdout: { hook_specific_output: { additional_context: additionalContext } } },
});

interface Context {
  readonly event: string;
  readonly args?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly after?: (kit: Kit) => void;
  readonly expect: Expectation;
}

const repository = (kit: Kit, { files, after }: Context): string => {
  const { top } = kit.repository(files);
  after?.(kit);
  return top;
};

const CHANGES = { files: { "a.txt": "one\n" }, after: (kit: Kit) => kit.repository().write("a.txt", "two\n") };
const MANY = Object.fromEntries(Array.from({ length: 103 }, (_, n) => [`f${String(n).padStart(3, "0")}`, ""]));

/** In a repository of its own; the names of cases are those of hooks. */
const CONTEXT: Readonly<Record<string, Context>> = {
  add_date: { event: "turn_start", expect: adds(/^Today's date: \d{4}-\d\d-\d\d$/) },
  add_environment_info: {
    event: "session_start",
    expect: adds(new RegExp(`repository\\nIs a git repository: yes\\n.*\\nCPU architecture: ${process.arch}$`)),
  },
  add_prompt_files: {
    event: "turn_start",
    args: ["STOCK.md", "MISSING.md"],
    files: { "STOCK.md": "Count twice.\n" },
    expect: adds(/Count twice\./),
  },
  "add_prompt_files, walking up": {
    event: "turn_start",
    args: ["HOUSE-RULES.md"],
    after: (kit) => void kit.file("HOUSE-RULES.md", "Shut the door.\n"),
    expect: adds(/Shut the door\./),
  },
  "add_prompt_files with a depth that is no number": {
    event: "turn_start",
    args: ["--depth=x", "STOCK.md"],
    files: { "STOCK.md": "Count twice.\n" },
    expect: { ...adds(/Count twice\./), problems: ["HOOK_CONFIG_INERT"] },
  },
  "add_prompt_files without a name": {
    event: "turn_start",
    args: [],
    expect: { ...NOTHING, problems: ["HOOK_CONFIG_INERT"] },
  },
  "add_prompt_files, further down than ten levels": {
    event: "turn_start",
    args: ["--depth=12", "STOCK.md"],
    files: { "1/2/3/4/5/6/7/8/9/10/11/12/STOCK.md": "", "STOCK.md": "Count twice.\n" },
    expect: adds(/12\/STOCK\.md$/),
  },
  "add_git_diff of a word that it does not know": {
    event: "turn_start",
    args: ["stat"],
    ...CHANGES,
    expect: { ...adds(/a\.txt \| 2 \+-/), problems: ["HOOK_CONFIG_INERT"] },
  },
  "add_recent_commits of no number": {
    event: "session_start",
    args: ["many"],
    expect: { ...adds(/[0-9a-f]{7} begin$/), problems: ["HOOK_CONFIG_INERT"] },
  },
  add_git_status: { event: "turn_start", ...CHANGES, expect: adds(/## main\n M a\.txt/) },
  add_git_diff: { event: "turn_start", ...CHANGES, expect: adds(/a\.txt \| 2 \+-/) },
  "add_git_diff full": { event: "turn_start", args: ["full"], ...CHANGES, expect: adds(/-one\n\+two/) },
  "add_git_diff without a change": { event: "turn_start", expect: NOTHING },
  add_directory_listing: {
    event: "session_start",
    files: { "b.txt": "", "a/x": "", ".hidden": "" },
    expect: adds(/a\/?\n(?:.*\n)?.*b\.txt$/),
  },
  "add_directory_listing of many": { event: "session_start", files: MANY, expect: adds(/f099\n.*and 3 more/) },
  add_user_info: { event: "session_start", expect: adds(/./) },
  add_recent_commits: { event: "session_start", expect: adds(/[0-9a-f]{7} begin$/) },
  "add_recent_commits 1": {
    event: "session_start",
    args: ["1"],
    after: (kit) => void kit.repository().git("commit", "--quiet", "--allow-empty", "-m", "second"),
    expect: adds(/^(?![\s\S]*begin)[\s\S]*[0-9a-f]{7} second$/),
  },
  add_context: {
    event: "turn_start",
    args: ["In session {{ .SessionID }}.", "  ", "{{ if .Cwd }}At work.{{ end }}"],
    expect: adds("In session session.\nAt work."),
  },
};

const slug = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const contexts: readonly RunCase[] = Object.entries(CONTEXT).map(([title, one]) => ({
  id: `DB1/${slug(title)}`,
  title,
  matrix: "each built-in hook that adds text, at the event of the page",
  event: canonical(one.event),
  payload: (kit) => ({ cwd: repository(kit, one) }),
  config: () => on(one.event, builtin(title.split(/[ ,]/)[0] as string, one.args)),
  expect: one.expect,
}));

const outside: readonly RunCase[] = ["add_git_status", "add_git_diff"].map((name) => ({
  id: `DB2/${slug(name)}`,
  title: name,
  matrix: "outside of a repository, hooks that ask git add nothing",
  event: "TurnStart",
  config: () => on("turn_start", builtin(name)),
  expect: NOTHING,
}));

const iterations: readonly RunCase[] = [
  [1, GOES_ON],
  [3, GOES_ON],
  [4, { decision: "block", continue: true, reason: /over the limit of 3$/ }],
].map(([iteration, verdict]) => ({
  id: `DB3/${iteration as number}`,
  title: `call ${iteration as number} of a model, of 3`,
  matrix: "max_iterations stops the agent after the given number of calls",
  event: "BeforeModelCall",
  payload: { iteration: iteration as number },
  config: () => on("before_llm_call", builtin("max_iterations", ["3"])),
  expect: { verdict: verdict as { readonly [field: string]: Expected } },
}));

/** Files of results are stored by session, for all engines of a user. */
const ownSession = (kit: Kit): JsonObject => ({ session_id: kit.folder });

/** A result of the shell with the maximal length, and one that is too long. */
const KIB = 1_024;
const LINES = (n: number): string => Array.from({ length: n }, (_, line) => `line ${line + 1}`).join("\n");
const RESULTS: Readonly<
  Record<string, readonly [category: string, tool: string, response: string, left: Text | null]>
> = {
  "2,000 lines": ["shell", "shell", LINES(2_000), null],
  "2,001 lines": ["shell", "shell", LINES(2_001), /^(?![\s\S]*\nline 1\n)[\s\S]*line 2\n[\s\S]*line 2001$/],
  "50 KiB": ["mcp", "mcp_stock", "x".repeat(50 * KIB), null],
  "50 KiB and a byte": ["mcp", "mcp_stock", `a${"x".repeat(50 * KIB)}`, /^\[hookbox: too long.*\n\nx+$/],
  "a file that was read": ["filesystem", "Read", LINES(2_500), /line 1\n[\s\S]*line 2000(?!\d)(?![\s\S]*line 2500$)/],
  "of another category": ["think", "think", LINES(5_000), null],
};

const long: readonly RunCase[] = Object.entries(RESULTS).map(
  ([title, [tool_category, tool_name, tool_response, left]]) => ({
    id: `DB4/${slug(title)}`,
    title,
    matrix: "limit_large_tool_results cuts results of more than 2,000 lines or 50 KiB",
    event: "ToolResponseTransform",
    payload: (kit) => ({
      ...ownSession(kit),
      tool_category,
      tool_name,
      tool_response,
      tool_use_id: "1",
      tool_input: {},
    }),
    config: () => on("tool_response_transform", builtin("limit_large_tool_results")),
    expect: { verdict: { decision: "none", updatedOutput: left } },
  }),
);

const again: readonly RunCase[] = [1, 2, 3].map((times) => ({
  id: `DB5/${times}`,
  title: `time ${times}`,
  matrix: "elide_repeated_tool_results leaves out a repeated result, once",
  event: "ToolResponseTransform",
  times,
  payload: (kit) => ({
    ...ownSession(kit),
    tool_category: "filesystem",
    tool_name: "Read",
    tool_read_only: true,
    tool_response: "the same\n".repeat(100),
    tool_input: { path: "a" },
    tool_use_id: "1",
  }),
  config: () => on("tool_response_transform", builtin("elide_repeated_tool_results")),
  expect: { verdict: { decision: "none", updatedOutput: times === 2 ? /./ : null } },
}));

/** The number of runs shows what the server received. */
const posts: readonly RunCase[] = [
  {
    id: "DB6",
    title: "http_post sends its text as JSON, and needs no answer",
    event: "Stop",
    config: (kit) =>
      on(
        "stop",
        builtin("http_post", [
          kit.server("right", ({ method, headers, body }) => {
            const isRight =
              method === "POST" && headers["content-type"] === "application/json" && body === '{"done":1}';
            return { status: isRight ? 200 : 400, body: "ignored" };
          }),
          '{"done":1}',
        ]),
      ),
    expect: { ...NOTHING, runs: { right: 1 } },
  },
  {
    id: "DB7/dmr",
    title: "of the model runner, at the address of the model or at the usual one",
    matrix: "unload unloads only the models of the previous agent",
    event: "AgentSwitch",
    payload: (kit) => {
      const address = (name: string): string =>
        kit.server(name, ({ body }) => (body === '{"model":"ai/gemma3"}' ? {} : { status: 400 }));
      return {
        from_agent: "a",
        to_agent: "b",
        agent_switch_kind: "handoff",
        from_agent_models: [
          { provider: "dmr", model: "ai/gemma3", unload_api: address("runner") },
          { provider: "openai", model: "gpt-4o", unload_api: address("cloud"), base_url: address("cloud") },
        ],
      };
    },
    config: () => on("on_agent_switch", builtin("unload")),
    expect: { ...NOTHING, runs: { runner: 1, cloud: 0 } },
  },
  {
    id: "DB7/down",
    title: "of a model runner that is down, which is no matter",
    matrix: "unload unloads only the models of the previous agent",
    event: "AgentSwitch",
    payload: {
      from_agent: "a",
      to_agent: "b",
      agent_switch_kind: "handoff",
      from_agent_models: [{ provider: "dmr", model: "ai/gemma3", base_url: "http://127.0.0.1:1/engines/v1" }],
    },
    config: () => on("on_agent_switch", builtin("unload")),
    expect: NOTHING,
  },
];

const shorthand = (
  id: string,
  title: string,
  agent: string,
  event: string,
  expected: Text,
  cwd: string[] = [],
): RunCase => ({
  id: `DB8/${id}`,
  title,
  matrix: "an agent's setting creates the built-in hook",
  event: canonical(event),
  payload: (kit) => ({ cwd: join(kit.folder, ...cwd) }),
  config: (kit) => {
    kit.file("GUIDE.md", "Mind the step.");
    return `agents:\n  root:\n    model: openai/gpt-4o\n    ${agent}\n`;
  },
  expect: { verdict: { ...GOES_ON, additionalContext: expected } },
});

const rest: readonly ConformanceCase[] = [
  shorthand("add-date", "add_date", "add_date: true", "turn_start", /^Today's date: /),
  shorthand("add-environment-info", "add_environment_info", "add_environment_info: true", "session_start", /./),
  shorthand("add-prompt-files", "add_prompt_files", "add_prompt_files: [GUIDE.md]", "turn_start", /Mind the step\./),
  {
    id: "DB8/limit",
    title: "and without one, long results are cut",
    matrix: "an agent's setting creates the built-in hook",
    event: "ToolResponseTransform",
    payload: {
      tool_category: "shell",
      tool_name: "shell",
      tool_response: LINES(2_001),
      tool_input: {},
      tool_use_id: "1",
    },
    config: () => "agents:\n  root:\n    model: openai/gpt-4o\n",
    expect: { verdict: { updatedOutput: /line 2001$/ } },
  },
  {
    id: "DB9/safer-shell",
    title: "safer_shell",
    matrix:
      "a built-in hook that judges is a guard of hookbox: it asks about a command, and replaces a secret in a result",
    config: () => on("pre_tool_use", builtin("safer_shell")),
    payload: { tool_name: "shell", tool_input: { cmd: "rm -rf build" }, tool_use_id: "1" },
    expect: { verdict: { decision: "ask", reason: /safer_shell/ } },
  },
  {
    id: "DB9/redact-secrets",
    title: "redact_secrets",
    matrix:
      "a built-in hook that judges is a guard of hookbox: it asks about a command, and replaces a secret in a result",
    event: "ToolResponseTransform",
    config: () => on("tool_response_transform", builtin("redact_secrets")),
    payload: { tool_name: "shell", tool_input: {}, tool_use_id: "1", tool_response: "a glpat-abcdefghij0123456789" },
    expect: { verdict: { updatedOutput: "a [redacted]" } },
  },
  {
    id: "DB10",
    title: "working_dir is the folder in which a built-in hook works",
    event: "SessionStart",
    config: (kit) => {
      kit.file("shelf/only-this", "");
      return on("session_start", builtin("add_directory_listing", [], { working_dir: "shelf" }));
    },
    expect: adds(/^[\s\S]*only-this$/),
  },
  {
    id: "DB11",
    title: "env sets variables of the programs that a built-in hook starts",
    event: "TurnStart",
    payload: (kit) => ({ cwd: kit.repository().top }),
    config: (kit) => {
      const elsewhere = join(kit.folder, "nowhere");
      if (existsSync(elsewhere)) throw new Error("it is there");
      return on("turn_start", builtin("add_git_status", [], { env: { PATH: elsewhere } }));
    },
    // The folder has no git.
    expect: NOTHING,
  },
  ...(
    [
      ["a name that nobody has", builtin("add_weather"), "turn_start"],
      ["too few args", builtin("max_iterations"), "before_llm_call"],
    ] as const
  ).map(
    ([title, hook, event]): RunCase => ({
      id: `DB12/${slug(title)}`,
      title,
      matrix: "an impossible setting of a built-in hook is an error of the file",
      event: canonical(event),
      config: () => on(event, hook),
      expect: { problems: ["HOOK_BUILTIN"] },
    }),
  ),
  {
    id: "DB13",
    title: "a duplicate built-in hook runs once",
    event: "TurnStart",
    config: () => on("turn_start", builtin("add_date"), builtin("add_date", [])),
    expect: adds(/^Today's date: \d{4}-\d\d-\d\d$/),
  },
  {
    id: "DB14",
    title: "snapshots in a repository, and an undo",
    coveredBy: "test/agent-pages/docker-agent-running.test.ts",
  },
];

export const dockerBuiltins: CaseFamily = {
  title: "docker-agent: built-in hooks",
  source: "docker-agent's hooks page (mid-2026), available built-ins, and its newer code (September 2026)",
  note: "The folders, repositories and addresses in these cases are real.",
  dialect: "docker-agent",
  cases: [...contexts, ...outside, ...iterations, ...long, ...again, ...posts, ...rest],
};
