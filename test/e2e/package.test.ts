import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as library from "../../src/index.ts";
import { bashCall } from "./cli.ts";
import { installInto } from "./newcomer.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");
const INSTALL_MS = 240_000;

describe("the package", () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "hookbox-package-"));
    await installInto(folder);
    // Installed only by authors of TypeScript guards.
    for (const name of ["esbuild", "@esbuild", ".bin/esbuild"])
      rmSync(join(folder, "node_modules", name), { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"name":"user","private":true,"type":"module"}');
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] };
    writeFileSync(join(folder, "hookbox.json"), JSON.stringify({ hooks }));
    return () => rmSync(folder, { recursive: true, force: true });
  }, INSTALL_MS);

  test("runs its demo from an empty folder, with every hostile guard contained", async () => {
    const { stdout } = await run("npx", ["--no-install", "hookbox", "demo", "--json"], { cwd: folder });
    const { decisions, trials } = JSON.parse(stdout) as {
      decisions: { command: string; verdict: { decision: string } }[];
      trials: { guard: string; contained: boolean }[];
    };
    expect(decisions.map(({ command, verdict }) => [command, verdict.decision])).toEqual([
      ["rm -rf /", "deny"],
      ["npm test", "none"],
      ["make deploy", "deny"],
    ]);
    expect(trials.length).toBeGreaterThanOrEqual(5);
    expect(trials.filter(({ contained }) => !contained)).toEqual([]);
  });

  test("answers as an agent's hook", async () => {
    writeFileSync(join(folder, "event.json"), bashCall("rm -rf /"));
    const { stdout } = await run("sh", ["-c", "npx --no-install hookbox run < event.json"], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });

  test.each([
    ["names the installed file answers", 1, 0, "deny"],
    ["names hookbox alone is not found", 0, 127, ""],
  ])("started without being on PATH, the entry of Claude Code's page that %s", async (_, which, code, decision) => {
    const page = readFileSync(join(ROOT, "docs/claude-code.md"), "utf8");
    const entries = [...page.matchAll(/^ *"command": ("(?:[^"\\]|\\.)*\bhookbox run(?:[^"\\]|\\.)*"),?$/gm)];
    const commands = entries.map(([, text = ""]) => JSON.parse(text) as string);
    // As after `npm install --save-dev`: the agent's PATH has node and sh, but not hookbox.
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, CLAUDE_PROJECT_DIR: folder, HOME: folder };
    const { status, stdout } = spawnSync("sh", ["-c", commands[which] as string], {
      cwd: tmpdir(),
      env,
      input: bashCall("rm -rf /"),
      encoding: "utf8",
    });
    expect(status).toBe(code);
    expect(stdout).toContain(decision);
  });

  test("is a library with the names that its source exports, and types", async () => {
    const script = `import * as hookbox from "hookbox"; console.log(JSON.stringify(Object.keys(hookbox).sort()))`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(Object.keys(library).sort());
    expect(readFileSync(join(folder, "node_modules/hookbox/dist/types/index.d.ts"), "utf8")).toContain("createEngine");
  });

  test("exports Agentao's hook host under a separate name", async () => {
    const script = `import { createAgentaoHost } from "hookbox/agentao";
      const host = await createAgentaoHost();
      const answer = await host.turn({ sessionId: "s", cwd: "." }).userPromptSubmit("hi");
      console.log(answer.text);
      await host.close();`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    expect(stdout.trim()).toBe("hi");
    const types = readFileSync(join(folder, "node_modules/hookbox/dist/types/agentao.d.ts"), "utf8");
    expect(types).toContain("StopHookResult");
  });

  test("has its JSON schema where the documentation says", async () => {
    const script = `import schema from "hookbox/schema" with { type: "json" }; console.log(JSON.stringify(schema))`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--no-warnings", "-e", script], {
      cwd: folder,
    });
    const { properties } = JSON.parse(stdout) as { properties: Record<string, { type: string }> };
    expect(properties["hooks"]?.type).toBe("object");
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(["defaultModel", "modelProviders", "mcpServers"]));
    for (const type of ["prompt", "model", "agent", "mcp_tool"]) expect(stdout).toContain(`"const":"${type}"`);
  });

  test("works without the clients of providers and of MCP servers, and says how to install them", async () => {
    for (const name of ["openai", "@anthropic-ai/sdk", "@modelcontextprotocol/client"])
      expect(existsSync(join(folder, "node_modules", name))).toBe(false);
    const hooks = [
      { type: "wasm", module: "builtin:shell-guard", timeoutMs: 20_000 },
      { type: "prompt", name: "judge", prompt: "Fine?" },
      { type: "prompt", name: "own judge", prompt: "Fine?", model: "here/x" },
      { type: "mcp_tool", server: "policy", tool: "t" },
    ];
    const config = {
      modelProviders: { here: { type: "openai", baseUrl: "http://127.0.0.1:9/v1" } },
      mcpServers: { policy: { command: "policy" } },
      hooks: { PreToolUse: [{ hooks }] },
    };
    // The user's own file, because a project's file may name no provider.
    const own = mkdtempSync(join(tmpdir(), "hookbox-asking-"));
    onTestFinished(() => rmSync(own, { recursive: true }));
    writeFileSync(join(own, "asking.json"), JSON.stringify(config));
    const env = { ...process.env, ANTHROPIC_API_KEY: "k" };
    const { stdout } = await run(
      "sh",
      ["-c", `npx --no-install hookbox run --json --config ${own}/asking.json < event.json`],
      {
        cwd: folder,
        env,
      },
    );
    const { rules } = JSON.parse(stdout) as { rules: readonly object[] };
    const lacking = (rule: string, code: string, name: string): object => ({
      rule,
      decision: "deny",
      failure: { kind: "unavailable", code, message: expect.stringContaining(`run "npm install ${name}"`) },
    });
    expect(rules).toMatchObject([
      { rule: "shell-guard", decision: "deny", failure: null },
      lacking("judge", "HOOK_MODEL_PROVIDER", "@anthropic-ai/sdk"),
      lacking("own judge", "HOOK_MODEL_PROVIDER", "openai"),
      lacking("policy/t", "HOOK_MCP_SERVER", "@modelcontextprotocol/client"),
    ]);
  });

  test("has types that a strict program compiles against", async () => {
    const program = `
      import { createEngine, type ModelAnswer, type ModelFunction, type ModelMessage, type ModelTool } from "hookbox";
      const mine: ModelFunction = async ({ model, messages, tools = [], maxTokens }, { signal }) => {
        const last: ModelMessage | undefined = messages.at(-1);
        const names: string[] = tools.map((tool: ModelTool) => tool.name);
        if (signal.aborted || last?.role !== "user") return \`\${model} \${names} \${maxTokens}\`;
        const answer: ModelAnswer = { text: '{"ok":true}', calls: [], end: "done", inputTokens: 1, outputTokens: 1 };
        return answer;
      };
      const engine = await createEngine({
        models: { mine },
        config: { hooks: { PreToolUse: [{ hooks: [{ type: "prompt", prompt: "Fine?", model: "mine/x" }] }] } },
      });
      const { decision, rules } = await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: {} });
      const tokens: number | undefined = rules[0]?.receipt.inputTokens;
      console.log(decision, tokens);
      // @ts-expect-error An answer is a text or has all of its fields.
      const wrong: ModelFunction = async () => ({ text: "" });
      void wrong;
      await engine.close();
    `;
    writeFileSync(join(folder, "program.mts"), program);
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: "nodenext",
      types: [],
      outDir: "out",
    };
    const libs = { target: "es2022", lib: ["es2023", "dom"], skipLibCheck: true };
    const file = join(folder, "tsconfig.json");
    writeFileSync(file, JSON.stringify({ compilerOptions: { ...compilerOptions, ...libs }, files: ["program.mts"] }));
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const compiled = await run(process.execPath, [compiler, "-p", file], { cwd: folder }).catch((error) => error);
    expect(compiled.stdout).toBe("");
    const { stdout } = await run(process.execPath, ["out/program.mjs"], { cwd: folder });
    expect(stdout.trim()).toBe("none 1");
  });

  test.each([
    [
      "of every entry point need Node's types and no other package's",
      ["hookbox", "hookbox/guest", "hookbox/agentao", "hookbox/autohand", "hookbox/openclaw"],
      ["node"],
    ],
    ["that guards are written with need no package's types", ["hookbox/guest"], []],
  ])("with the library es2023 alone and without skipLibCheck, the types %s", async (_, entries, types) => {
    writeFileSync(
      join(folder, "all.mts"),
      entries.map((name, index) => `export type * as E${index} from "${name}";`).join("\n"),
    );
    const compilerOptions = {
      strict: true,
      module: "nodenext",
      target: "es2023",
      lib: ["es2023"],
      typeRoots: [join(ROOT, "node_modules/@types")],
      types,
      skipLibCheck: false,
      noEmit: true,
    };
    const file = join(folder, "tsconfig.all.json");
    writeFileSync(file, JSON.stringify({ compilerOptions, files: ["all.mts"] }));
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const compiled = await run(process.execPath, [compiler, "-p", file], { cwd: folder }).catch((error) => error);
    expect(compiled.stdout).toBe("");
    expect(
      readdirSync(join(folder, "node_modules/hookbox/dist"), { recursive: true }).filter((name) =>
        /\.d\.ts$/.test(String(name)),
      ).length,
    ).toBeLessThan(60);
  });
});

test("the library exports exactly the agreed names", () => {
  expect(Object.keys(library).sort()).toEqual([
    "ERROR_CODES",
    "EVENT_NAMES",
    "HookError",
    "createEngine",
    "shareThreads",
  ]);
});
