import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ConfigFile } from "../../src/config/load.ts";
import type { EngineOptions } from "../../src/engine/options.ts";
import { createEngine, type Engine } from "../../src/engine.ts";
import type { JsonObject } from "../../src/json.ts";
import { FAMILIES } from "../conformance/cases/index.ts";
import { HookServer } from "../conformance/hook-server.ts";
import { type StubAnswer, startStubModel } from "../helpers/stub-model.ts";
import { patternsPage } from "./patterns.ts";

/** What the generic page shows, with our own examples, and real processes and sockets. */

const EXAMPLES = join(import.meta.dirname, "patterns");
const example = (name: string): string => readFileSync(join(EXAMPLES, name), "utf8");

/** All events that the page names, phase by phase. */
const PAGE_EVENTS = [
  ...["SessionStart", "SessionEnd", "Setup"],
  ...["UserPromptSubmit", "Stop", "StopFailure"],
  ...["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"],
  ...["PreCompact", "PostCompact"],
  ...["SubagentStart", "SubagentStop", "TeammateIdle", "TaskCreated", "TaskCompleted"],
  "Notification",
  ...["Elicitation", "ElicitationResult"],
  ...["ConfigChange", "InstructionsLoaded"],
  ...["CwdChanged", "FileChanged", "WorktreeCreate", "WorktreeRemove"],
];

interface Running {
  readonly engine: Engine;
  readonly folder: string;
  /** Returns the lines that hooks have logged. */
  seen(): string[];
}

/** Replaces the default model, for hooks that name none. */
const noModel = async (): Promise<string> => {
  throw new Error("nobody is there");
};

async function running(
  files: Readonly<Record<string, string>>,
  layers: Partial<ConfigFile> = {},
  models: EngineOptions["models"] = { anthropic: noModel },
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const configFiles = Object.keys(files).map((file) => ({
    file,
    layer: "user" as const,
    dialect: "patterns",
    ...layers,
  }));
  const engine = await createEngine({
    configFiles,
    cwd: folder,
    dialect: "patterns",
    cacheDir: false,
    models,
  });
  onTestFinished(() => engine.close());
  const log = join(folder, "seen.log");
  const seen = (): string[] => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  return { engine, folder, seen };
}

const at = ({ folder }: Running, more: JsonObject): JsonObject => ({ session_id: "s", cwd: folder, ...more });
const edits = (one: Running, file_path: string): JsonObject =>
  at(one, { tool_name: "Edit", tool_input: { file_path, old_string: "red", new_string: "blue" } });
const runs = (one: Running, command: string): JsonObject => at(one, { tool_name: "Bash", tool_input: { command } });

/** Returns one hook that prints an example. */
const printing = (event: string, name: string): Record<string, string> => ({
  "hooks.yaml": `hooks_config: { ${event}: [{ hooks: [{ type: command, command: "cat '${join(EXAMPLES, name)}'" }] }] }`,
});

/** Starts the provider of the default model, for hooks that name none, on this machine. */
async function anthropic(answer: (asked: string, said: string) => StubAnswer): Promise<void> {
  const model = await startStubModel(({ body }) => {
    const messages = body["messages"] as readonly JsonObject[];
    return answer(JSON.stringify(messages[0]), JSON.stringify(messages.at(-1)));
  });
  vi.stubEnv("ANTHROPIC_BASE_URL", model.url);
  vi.stubEnv("ANTHROPIC_API_KEY", "a-key");
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await model.close();
  });
}

describe("a configuration", () => {
  test("binds modes to events, and each works", async () => {
    const server = await HookServer.open();
    onTestFinished(() => server.close());
    const bodies: string[] = [];
    const url = server.add(({ method, body }) => {
      bodies.push(`${method} ${(JSON.parse(body) as JsonObject)["hook_event_name"]}`);
      return {};
    });
    const one = await running({ "hooks.yaml": example("whole.yaml").replace("http://localhost:PORT/diary", url) });

    expect((await one.engine.dispatch("PreToolUse", edits(one, "styles/main/a.css"))).decision).toBe("none");
    const refused = await one.engine.dispatch("PreToolUse", edits(one, "styles/main/a.gen.css"));
    expect(refused).toMatchObject({ decision: "deny", reason: expect.stringContaining("change its source") });
    await one.engine.dispatch("PreToolUse", edits(one, "src/a.ts"));
    await one.engine.dispatch("PreToolUse", runs(one, "ls"));
    expect(one.seen()).toEqual(["formatter saw styles/main/a.css", "formatter saw styles/main/a.gen.css"]);

    // The agent hook gets no answer, and at Stop no failure may keep the agent going.
    expect(one.engine.problems).toEqual([]);
    const stop = await one.engine.dispatch("Stop", at(one, { stop_hook_active: false }));
    expect(stop).toMatchObject({ decision: "none", rules: [{ type: "agent", status: "failed" }] });

    const fetched = at(one, { tool_name: "WebFetch", tool_input: { url: "https://a.example/" }, tool_response: "x" });
    expect((await one.engine.dispatch("PostToolUse", fetched)).decision).toBe("none");
    await one.engine.close();
    expect(bodies).toEqual(["POST PostToolUse"]);
  });

  test("has two levels: the matcher tests the tool, the condition its input", async () => {
    const one = await running({ "hooks.yaml": example("one-group.yaml") });
    for (const file of ["styles/a.css", "dist/a.css"]) await one.engine.dispatch("PreToolUse", edits(one, file));
    await one.engine.dispatch("PreToolUse", at(one, { tool_name: "Write", tool_input: { file_path: "styles/a.css" } }));
    expect(one.seen()).toEqual(["checked styles/a.css"]);
  });

  test("has modes that ask a model, and shut their gates without an answer", async () => {
    const one = await running({ "hooks.yaml": example("model-modes.yaml") });
    expect(one.engine.problems).toEqual([]);
    const asked = await one.engine.dispatch("UserPromptSubmit", at(one, { prompt: "hello" }));
    expect(asked).toMatchObject({ decision: "block", rules: [{ type: "model", status: "failed" }] });
    expect((await one.engine.dispatch("PreToolUse", runs(one, "ls"))).decision).toBe("deny");
    expect((await one.engine.dispatch("PostToolUse", runs(one, "ls"))).decision).toBe("none");
  });

  test("has modes that ask a model, which reads what it needs and whose answer counts", async () => {
    const answers = (input: JsonObject): StubAnswer => ({ calls: [{ name: "answer", input }] });
    await anthropic((asked, said) => {
      if (asked.includes("Is this about the site?")) {
        return { text: JSON.stringify({ ok: asked.includes("palette"), reason: "about something else" }) };
      }
      if (!asked.includes("palette.css")) return answers({ ok: true, reason: "" });
      if (said === asked) return { calls: [{ name: "read", input: { path: "styles/palette.css" } }] };
      return answers({ ok: said.includes("blue"), reason: said.includes("red") ? "only red is there" : "?" });
    });
    const one = await running({ "hooks.yaml": example("model-modes.yaml") }, {}, {});
    mkdirSync(join(one.folder, "styles"));
    const palette = join(one.folder, "styles/palette.css");
    writeFileSync(palette, "a { color: red }");
    const edit = edits(one, "styles/a.css");
    expect(await one.engine.dispatch("PreToolUse", edit)).toMatchObject({
      decision: "deny",
      reason: expect.stringMatching(/only red is there$/),
      rules: [{ type: "agent", receipt: { turns: 2 } }],
    });
    writeFileSync(palette, "a { color: blue }");
    expect((await one.engine.dispatch("PreToolUse", edit)).decision).toBe("none");
    const prompt = (text: string) => one.engine.dispatch("UserPromptSubmit", at(one, { prompt: text }));
    expect((await prompt("Change the palette")).decision).toBe("none");
    expect(await prompt("Sing to me")).toMatchObject({ decision: "block", continue: false });
    expect((await one.engine.dispatch("PostToolUse", runs(one, "ls"))).decision).toBe("none");
  });
});

test.each(PAGE_EVENTS)("a hook at %s runs at that event, and at no other", async (event) => {
  const hooks = `hooks_config: { ${event}: [{ hooks: [{ type: command, command: "echo ${event} >>seen.log" }] }] }`;
  const one = await running({ "hooks.yaml": hooks });
  expect(one.engine.problems).toEqual([]);
  const other = PAGE_EVENTS[(PAGE_EVENTS.indexOf(event) + 1) % PAGE_EVENTS.length] ?? event;
  for (const name of [event, other]) {
    const call = { tool_name: "Bash", tool_input: {}, prompt: "p", command_name: "c" };
    await one.engine.dispatch(name, at(one, call));
  }
  expect(one.seen()).toEqual([event]);
});

test("a condition is tested before anything is started: by file, by command, or not at all", async () => {
  const one = await running({ "hooks.yaml": example("conditions.yaml") });
  const starts: [JsonObject, string[]][] = [
    [edits(one, "styles/deep/er/a.css"), ["always", "styles"]],
    [edits(one, "styles/a.scss"), ["always"]],
    [runs(one, "npm publish --tag next"), ["always", "publish"]],
    [runs(one, "npm test && npm publish"), ["always", "publish"]],
    [runs(one, "npm pack"), ["always"]],
  ];
  for (const [payload, expected] of starts) {
    rmSync(join(one.folder, "seen.log"), { force: true });
    await one.engine.dispatch("PreToolUse", payload);
    expect(one.seen().sort()).toEqual(expected);
  }
});

describe("an answer", () => {
  test("stops the agent, with its reason, and its block is a refusal", async () => {
    const one = await running(printing("PreToolUse", "stop.json"));
    expect(await one.engine.dispatch("PreToolUse", runs(one, "ls"))).toMatchObject({
      decision: "deny",
      continue: false,
      stopReason: expect.stringContaining("closed until Monday"),
      suppressOutput: true,
      rules: [{ outcome: "blocking" }],
    });
  });

  test("that detaches the hook is not waited for, and decides nothing", async () => {
    const late = `hooks_config: { PreToolUse: [{ hooks: [{ type: command, command: "cat '${join(EXAMPLES, "later.json")}'; sleep 0.2; echo late >>seen.log; exit 2" }] }] }`;
    const one = await running({ "hooks.yaml": late });
    const verdict = await one.engine.dispatch("PreToolUse", runs(one, "ls"));
    expect(verdict).toMatchObject({ decision: "none", rules: [{ outcome: "success" }] });
    expect(one.seen()).toEqual([]);
    await one.engine.close();
    expect(one.seen()).toEqual(["late"]);
  });

  test("before a tool may change its input, decide, and add text", async () => {
    const one = await running(printing("PreToolUse", "rewrite.json"));
    expect(await one.engine.dispatch("PreToolUse", edits(one, "styles/a.css"))).toMatchObject({
      decision: "allow",
      updatedInput: { file_path: "/srv/site/styles/a.css", old_string: "red", new_string: "blue" },
      additionalContext: expect.stringContaining("made absolute"),
    });
    const blocked = await running(printing("PreToolUse", "blocked.json"));
    expect((await blocked.engine.dispatch("PreToolUse", edits(blocked, "styles/a.css"))).decision).toBe("deny");
  });

  test("after a tool may replace the tool's output", async () => {
    const one = await running(printing("PostToolUse", "output.json"));
    const call = at(one, { tool_name: "mcp__crm__list", tool_input: {}, tool_response: { rows: 3, names: ["a"] } });
    expect((await one.engine.dispatch("PostToolUse", call)).updatedOutput).toEqual({ rows: 3, names: "withheld" });
  });

  test("by exit code 2 refuses, with standard error for the model; no output and 0 are consent", async () => {
    const sh = (name: string): string => `{ type: command, command: "sh '${join(EXAMPLES, name)}'" }`;
    const one = await running({ "hooks.yaml": `hooks_config: { PreToolUse: [{ hooks: [${sh("refuses.sh")}] }] }` });
    expect(await one.engine.dispatch("PreToolUse", edits(one, "styles/a.css"))).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("frozen for the release"),
    });
    const silent = await running({
      "hooks.yaml": "hooks_config: { PreToolUse: [{ hooks: [{ type: command, command: 'exit 0' }] }] }",
    });
    const verdict = await silent.engine.dispatch("PreToolUse", edits(silent, "styles/a.css"));
    expect(verdict).toMatchObject({ decision: "none", systemMessage: null, rules: [{ outcome: "success" }] });
  });
});

describe("several hooks", () => {
  test("have one of four outcomes each, and none of them ends the agent", async () => {
    const one = await running({ "hooks.yaml": example("outcomes.yaml") });
    const { rules } = await one.engine.dispatch("PostToolUse", runs(one, "ls"));
    expect(rules.map(({ rule, outcome }) => [rule, outcome])).toEqual([
      ["fine", "success"],
      ["refusal", "blocking"],
      ["halt", "blocking"],
      ["broken", "non_blocking_error"],
      ["slow", "non_blocking_error"],
    ]);
    const called = await running({
      "hooks.yaml": "hooks_config: { PostToolUse: [{ hooks: [{ type: command, command: 'sleep 20' }] }] }",
    });
    const verdict = await called.engine.dispatch("PostToolUse", runs(called, "ls"), {
      signal: AbortSignal.timeout(150),
    });
    expect(verdict.rules).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("block if one of them does: all reasons are reported, errors are logged, and texts are combined", async () => {
    const one = await running({ "hooks.yaml": example("several.yaml") });
    const verdict = await one.engine.dispatch("PreToolUse", edits(one, "styles/a.css"));
    expect(verdict.decision).toBe("deny");
    expect(verdict.reason).toMatch(/not on a Friday[\s\S]*no ticket/);
    expect(verdict.systemMessage).toMatch(/shaky.*exit code 3/);
    expect(verdict.additionalContext).toContain("mind the palette");
    const harmless = example("several.yaml").replaceAll("exit 2", "exit 0");
    const without = await running({ "hooks.yaml": harmless });
    expect((await without.engine.dispatch("PreToolUse", edits(without, "styles/a.css"))).decision).toBe("none");
  });

  test("that are async end in any order, and take no time from the event", async () => {
    const one = await running({ "hooks.yaml": example("audit.yaml") });
    await one.engine.dispatch("PreToolUse", runs(one, "ls"));
    await one.engine.close();
    expect(one.seen()).toEqual(["quick", "slow"]);
  });
});

describe("a web hook", () => {
  test("may ask a server on this machine, by name or number", async () => {
    const server = await HookServer.open();
    onTestFinished(() => server.close());
    const url = new URL(server.add(() => ({ body: { decision: "block", reason: "asked" } })));
    for (const host of ["127.0.0.1", "localhost"]) {
      const address = `http://${host}:${url.port}${url.pathname}`;
      const one = await running({ "hooks.yaml": example("addresses.yaml").replace("http://ADDRESS/ask", address) });
      const verdict = await one.engine.dispatch("PreToolUse", runs(one, "ls"));
      expect(verdict).toMatchObject({ decision: "deny", reason: expect.stringContaining("asked") });
    }
  });

  test.each([
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "[::ffff:10.1.2.3]",
    "[::ffff:a01:203]",
    "0xa010203",
  ])("may not ask %s, and nothing is sent", async (address) => {
    const one = await running({ "hooks.yaml": example("addresses.yaml").replace("ADDRESS", address) });
    const verdict = await one.engine.dispatch("PreToolUse", runs(one, "ls"));
    expect(verdict).toMatchObject({ decision: "deny", rules: [{ status: "failed", failure: { kind: "capability" } }] });
  });
});

test("GP46: hooks in a skill's frontmatter join the same registry, as do settings of each layer and code", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "skill"));
  copyFileSync(join(EXAMPLES, "SKILL.md"), join(folder, "skill", "SKILL.md"));
  const files = (["user", "project", "session"] as const).map((layer) => ({
    file: join(EXAMPLES, `${layer}.yaml`),
    layer,
    dialect: "patterns",
  }));
  const engine = await createEngine({
    configFiles: [...files, { file: "skill/SKILL.md", layer: "project", dialect: "patterns" }],
    cwd: folder,
    dialect: "patterns",
    cacheDir: false,
  });
  onTestFinished(() => engine.close());
  let calls = 0;
  const countCall = (): undefined => {
    calls += 1;
  };
  await engine.register([{ event: "SessionStart", type: "function", run: () => countCall() }]);
  expect(engine.problems).toEqual([]);
  const { rules } = await engine.dispatch("SessionStart", { session_id: "s", cwd: folder, source: "startup" });
  expect(rules.map(({ outcome }) => outcome)).toEqual(Array(5).fill("success"));
  expect(readFileSync(join(folder, "seen.log"), "utf8").trim().split("\n").sort()).toEqual([
    "project",
    "session",
    "skill",
    "user",
  ]);
  expect(calls).toBe(1);
});

test("a hook with once runs once in a session, and the one next to it each time", async () => {
  const one = await running({ "hooks.yaml": example("once.yaml") });
  for (let time = 0; time < 3; time += 1) await one.engine.dispatch("SessionStart", at(one, { source: "startup" }));
  expect(one.seen().sort()).toEqual(["filled", "greeted", "greeted", "greeted"]);
});

test("each section of the page names tests that exist", () => {
  const own = readFileSync(import.meta.filename, "utf8");
  const ids = new Set(FAMILIES.flatMap(({ cases }) => cases.flatMap(({ id }) => [id, id.split("/")[0] as string])));
  const named = patternsPage.sections.flatMap((section) => ("tests" in section ? section.tests : []));
  const missing = named.filter((name) => !ids.has(name) && !own.includes(`"${name}"`));
  expect(missing).toEqual([]);
});
