import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { MCP_SERVER } from "../helpers/mcp-server.ts";
import { type StubAnswer, type StubModel, type StubRequest, startStubModel } from "../helpers/stub-model.ts";
import { agentNamed } from "./agents-by-hand.ts";
import { type CliResult, hookbox, type Project, project, replyOf, verdictOf } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** Model hooks, MCP tools and built-in hooks in a process that an agent starts for one event. */

const KEY = "key-that-nobody-may-see";
const NO = '{"ok":false,"reason":"it deploys"}';
const YES = '{"ok":true}';

const textOf = ({ body }: StubRequest): string => JSON.stringify(body);

async function stub(answer: (request: StubRequest) => StubAnswer = () => ({ text: NO })): Promise<StubModel> {
  const model = await startStubModel(answer);
  onTestFinished(() => model.close());
  return model;
}

type Run = (
  place: Project,
  args: readonly string[],
  event: object | string,
  env?: Readonly<Record<string, string>>,
) => Promise<CliResult>;

/** None of the output shows a key. */
const running =
  (start: typeof inProcess): Run =>
  async ({ folder }, args, event, env = {}) => {
    const stdin = typeof event === "string" ? event : JSON.stringify(event);
    const keys = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, XDG_STATE_HOME: join(folder, "state") };
    const result = await start(args, { stdin, env: { ...keys, ...env } });
    expect(`${result.stdout}${result.stderr}`).not.toContain(KEY);
    return result;
  };

/** Runs one process. */
const run = running(hookbox);
/** For tests whose output another test has checked in a process. */
const runHere = running(inProcess);

const bash = (place: Project, command: string): JsonObject => ({
  session_id: "s",
  cwd: place.folder,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command },
});

const stopped = (place: Project): object => ({
  session_id: "s",
  cwd: place.folder,
  hook_event_name: "Stop",
  stop_hook_active: false,
});

const asked = (...hooks: object[]): object[] => [{ hooks }];

const modelsAt = (url: string): object => ({
  defaultModel: "here/small",
  modelProviders: { here: { type: "openai", baseUrl: `${url}/v1`, apiKeyEnv: "OPENAI_API_KEY" } },
});

const DENIES = JSON.stringify({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: "the tool says no",
  },
});

describe("a hookbox.json", () => {
  test("has each kind of hook answer, and says what each cost", async () => {
    const model = await stub((request) => {
      if (request.protocol === "anthropic") return { text: '{"decision":"ask","reason":"look first"}', inputTokens: 7 };
      if (textOf(request).includes('"name":"answer"')) {
        const call = request.n === 1 || !textOf(request).includes("the notes say so");
        return call
          ? { calls: [{ name: "read", input: { path: "notes.txt" } }] }
          : { calls: [{ name: "answer", input: { ok: false, reason: "the notes forbid it" } }] };
      }
      return { text: `Here it is: ${NO}` };
    });
    const place = project();
    place.write("notes.txt", "the notes say so\n");
    const config = place.write(
      "hookbox.json",
      JSON.stringify({
        ...modelsAt(model.url),
        mcpServers: { policy: { command: process.execPath, args: [MCP_SERVER] } },
        hooks: {
          PreToolUse: [
            {
              matcher: "Bash",
              hooks: [
                { type: "wasm", module: "builtin:shell-guard", timeoutMs: 20_000 },
                { type: "prompt", name: "judge", prompt: "Does it deploy? $ARGUMENTS" },
                {
                  type: "model",
                  model: "haiku",
                  prompt: "{{ .ToolName }}: {{ .ToolInput | toJSON }}",
                  schema: "pre_tool_use_decision",
                  may: ["deny", "ask"],
                },
                { type: "agent", name: "reader", prompt: "What do the notes say?" },
                { type: "mcp_tool", server: "policy", tool: "say", input: { texts: [DENIES] } },
              ],
            },
          ],
        },
      }),
    );
    const env = { ANTHROPIC_BASE_URL: model.url };
    const event = bash(place, "make deploy");
    const [answer, told] = await Promise.all([
      run(place, ["run", "--config", config], event, env),
      runHere(place, ["run", "--json", "--config", config], event, env),
    ]);
    // The judge's "no" stops the agent, too.
    expect(answer).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("the notes forbid it") });
    expect(replyOf(answer)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: "judge: it deploys\nreader: the notes forbid it\npolicy/say: the tool says no",
    });
    expect(verdictOf(told).rules).toMatchObject([
      { rule: "shell-guard", status: "abstained" },
      {
        rule: "judge",
        decision: "deny",
        receipt: { model: "here/small", inputTokens: 10, outputTokens: 5, turns: 1 },
      },
      { decision: "ask", receipt: { model: "anthropic/claude-haiku-4-5", inputTokens: 7, turns: 1 } },
      { rule: "reader", decision: "deny", receipt: { model: "here/small", turns: 2, inputTokens: 20 } },
      { rule: "policy/say", decision: "deny" },
    ]);
  });

  test("adds text of models and built-in hooks to a prompt", async () => {
    const model = await stub(() => ({ text: "It is about the weather." }));
    const place = project();
    place.write("NOTES.md", "Say please.\n");
    const config = place.write(
      "hookbox.json",
      JSON.stringify({
        ...modelsAt(model.url),
        hooks: {
          UserPromptSubmit: asked(
            { type: "model", prompt: "What is this about? {{ .Prompt }}" },
            { type: "function", run: "builtin:add_prompt_files", args: ["NOTES.md"] },
          ),
        },
      }),
    );
    const event = { session_id: "s", cwd: place.folder, hook_event_name: "UserPromptSubmit", prompt: "Will it rain?" };
    const { stdout, exitCode } = await runHere(place, ["run", "--config", config], event);
    const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } };
    expect([exitCode, hookSpecificOutput.additionalContext]).toEqual([
      0,
      expect.stringMatching(/^It is about the weather\.\n[\s\S]*Say please\./),
    ]);
    expect(textOf(model.requests[0] as StubRequest)).toContain("Will it rain?");
  });

  test("keeps a gate shut when a provider hangs, and leaves no connection", async () => {
    const model = await stub(() => ({ hangs: true }));
    const place = project();
    const config = place.write(
      "hookbox.json",
      JSON.stringify({
        ...modelsAt(model.url),
        hooks: {
          PreToolUse: asked(
            { type: "prompt", name: "slow judge", prompt: "?", timeoutMs: 1_000 },
            { type: "agent", name: "slow reader", prompt: "?", timeoutMs: 1_000 },
          ),
        },
      }),
    );
    const { exitCode, stdout } = await runHere(place, ["run", "--json", "--config", config], bash(place, "ls"));
    const { decision, rules } = verdictOf({ stdout } as CliResult);
    const late = { failure: { kind: "timeout", limit: 1_000 }, onFailure: "deny" };
    expect([exitCode, decision, rules]).toMatchObject([0, "deny", [late, late]]);
    await expect.poll(() => model.openSockets()).toBe(0);
  });

  test("answers from the cache, and asks the provider that the environment and another file name", async () => {
    const [model, other] = [await stub(), await stub(() => ({ text: YES }))];
    const place = project();
    const hooks = { PreToolUse: asked({ type: "prompt", name: "judge", prompt: "Does it deploy? $ARGUMENTS" }) };
    const config = place.write("hookbox.json", JSON.stringify({ ...modelsAt(model.url), hooks }));
    mkdirSync(join(place.folder, "cache"));
    const ask = (env: Readonly<Record<string, string>> = {}): Promise<CliResult> =>
      runHere(place, ["run", "--config", config], bash(place, "make deploy"), {
        XDG_CACHE_HOME: join(place.folder, "cache"),
        ...env,
      });
    const first = await ask();
    expect(replyOf(first).permissionDecision).toBe("deny");
    expect(existsSync(join(place.folder, "cache/hookbox"))).toBe(true);
    expect((await ask({ OPENAI_API_KEY: "another-key" })).stdout).toBe(first.stdout);
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, "Bearer another-key"]);
    place.write("hookbox.json", JSON.stringify({ ...modelsAt(other.url), hooks }));
    expect((await ask()).stdout).toBe("");
    expect([model.requests.length, other.requests.length]).toEqual([2, 1]);
  });

  test("shows in check which data leaves, and for which provider", async () => {
    const place = project();
    const config = place.write(
      "hookbox.json",
      JSON.stringify({
        ...modelsAt("http://127.0.0.1:9"),
        hooks: {
          PreToolUse: asked(
            { type: "prompt", name: "judge", prompt: "?" },
            { type: "model", name: "bare", model: "haiku", prompt: "{{ .ToolName }}", redact: false },
          ),
        },
      }),
    );
    const { stdout, exitCode } = await runHere(place, ["check", config], "");
    const sent = stdout.split("\n").filter((line) => line.includes(" sends "));
    expect([exitCode, sent.map((line) => line.trim())]).toEqual([
      0,
      [
        "PreToolUse  judge  sends the whole event to here (127.0.0.1:9), with secrets redacted",
        "PreToolUse  bare   sends ToolName to anthropic (api.anthropic.com, or where ANTHROPIC_BASE_URL says), as it is",
      ],
    ]);
  });
});

test("many events share one MCP server", async () => {
  const place = project();
  const log = join(place.folder, "started");
  const config = place.write(
    "hookbox.json",
    JSON.stringify({
      mcpServers: { policy: { command: process.execPath, args: [MCP_SERVER], env: { LOG: log } } },
      hooks: { PreToolUse: asked({ type: "mcp_tool", server: "policy", tool: "say", input: { texts: [DENIES] } }) },
    }),
  );
  const lines = Array.from({ length: 6 }, (_, id) => JSON.stringify({ id, ...bash(place, `echo ${id}`) }));
  const { stdout, exitCode } = await run(place, ["run", "--lines", "--config", config], `${lines.join("\n")}\n`);
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; exitCode: number; stdout: string });
  expect([exitCode, answers.map(({ id }) => id)]).toEqual([0, [0, 1, 2, 3, 4, 5]]);
  for (const answer of answers) expect(answer.stdout).toContain("policy/say: the tool says no");
  const [process_, ...others] = readFileSync(log, "utf8").trim().split("\n");
  expect(others).toEqual([]);
  expect(() => process.kill(Number(process_), 0)).toThrow(/ESRCH/);
});

describe("a file of", () => {
  test("Claude Code has its prompt and agent hooks asked, and their answers read as Claude Code reads them", async () => {
    const model = await stub((request) =>
      textOf(request).includes('"name":"answer"')
        ? { calls: [{ name: "answer", input: { ok: false, reason: "no test was run" } }] }
        : { text: NO },
    );
    const place = project();
    const hooks = {
      PreToolUse: [{ matcher: "Bash", hooks: [{ type: "prompt", prompt: "Does it deploy? $ARGUMENTS" }] }],
      Stop: [{ hooks: [{ type: "agent", prompt: "Were the tests run? $ARGUMENTS" }] }],
    };
    const args = [
      "run",
      "--format",
      "claude-code",
      "--config",
      place.write("settings.json", JSON.stringify({ hooks })),
    ];
    const env = { ANTHROPIC_BASE_URL: model.url };
    const [call, stop] = await Promise.all([
      run(place, args, bash(place, "make deploy"), env),
      runHere(place, args, stopped(place), env),
    ]);
    expect(agentNamed("claude-code").next(call)).toBe("refuses");
    // Without `continueOnBlock` the turn goes back to the user.
    expect(JSON.parse(call.stdout)).toMatchObject({
      continue: false,
      stopReason: expect.stringMatching(/it deploys$/),
    });
    expect([stop.exitCode, JSON.parse(stop.stdout)]).toMatchObject([
      0,
      { decision: "block", reason: expect.stringMatching(/no test was run$/) },
    ]);
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
  });

  test("docker-agent has its models asked in its own format, and its built-in hooks", async () => {
    const model = await stub(() => ({ text: '{"decision":"deny","reason":"production is closed"}' }));
    const place = project();
    const config = place.write(
      "agent.yaml",
      `agents:
  root:
    model: openai/gpt-4.1-mini
    hooks:
      pre_tool_use:
        - matcher: shell
          hooks:
            - type: model
              model: openai/gpt-4.1-mini
              schema: pre_tool_use_decision
              prompt: "{{ .ToolName }} runs {{ .ToolInput | toJSON | truncate 200 }}"
      turn_start:
        - type: builtin
          command: add_date
`,
    );
    const args = ["run", "--format", "docker-agent", "--config", config];
    const docker = agentNamed("docker-agent");
    const turn = { session_id: "9a2", cwd: place.folder, hook_event_name: "turn_start", agent_name: "root" };
    const [call, start] = await Promise.all([
      run(place, args, docker.shell("make deploy"), { OPENAI_BASE_URL: `${model.url}/v1` }),
      runHere(place, args, turn),
    ]);
    expect(docker.next(call)).toBe("refuses");
    expect(call.stdout).toContain("openai/gpt-4.1-mini: production is closed");
    expect(textOf(model.requests[0] as StubRequest)).toContain("shell runs {");
    expect([start.exitCode, start.stdout]).toEqual([0, expect.stringMatching(/Today's date: \d{4}-\d\d-\d\d/)]);
  });

  test("Autohand has built-in hooks in place of commands, and a guard in place of its judge", async () => {
    const place = project();
    const written = (event: string, command: string): string =>
      place.write(`${event}.json`, JSON.stringify({ hooks: { hooks: [{ event, command }] } }));
    const args = (file: string): string[] => ["run", "--format", "autohand", "--config", file];
    const autohand = agentNamed("autohand");
    const [logged, shut] = await Promise.all([
      runHere(place, args(written("stop", "builtin:log-stop")), {
        session_id: "ah-1",
        cwd: place.folder,
        hook_event_name: "stop",
      }),
      run(place, args(written("pre-tool", "builtin:security-guard")), autohand.shell("rm -rf /")),
    ]);
    expect([logged.exitCode, logged.stderr]).toEqual([0, ""]);
    expect(readFileSync(join(place.folder, "state/hookbox/hooks.log"), "utf8")).toContain("Stop session=ah-1");
    expect(autohand.next(shut)).toBe("refuses");
    expect(`${shut.stdout}${shut.stderr}`).toContain("security-guard");
  });
});
