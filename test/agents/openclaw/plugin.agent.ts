import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../e2e/cli.ts";
import { inProcess } from "../../e2e/in-process.ts";
import { installPackage } from "../install.ts";
import { startModelServer } from "../model-servers.ts";
import { CLIENTS_NODE, nodeIn } from "../other-clients.ts";

/** The plugin that `convert --to openclaw` writes, in a real OpenClaw, installed as its report says. */

const VERSION = process.env["HOOKBOX_TEST_OPENCLAW"] ?? "2026.9.6";
const RUN_MS = 100_000;

let node: string;
let program: string;
beforeAll(async () => {
  node = nodeIn((await installPackage(`node-${process.platform}-${process.arch}`, CLIENTS_NODE)).packages);
  program = join((await installPackage("openclaw", VERSION)).packages, "openclaw", "openclaw.mjs");
}, 600_000);

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

class World {
  readonly root = mkdtempSync(join(tmpdir(), "hookbox-openclaw-"));
  readonly #env: NodeJS.ProcessEnv;
  /** What hookbox reported about the conversion. */
  report: { readonly losses: readonly object[]; readonly asked: readonly string[]; readonly proof: string } | undefined;

  constructor() {
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 5 }));
    this.write("bin/hookbox", `#!/bin/sh\n: >'${this.root}/asked'\nexec "${process.execPath}" "${MAIN}" "$@"\n`, 0o755);
    this.#env = {
      PATH: `${join(this.root, "bin")}:${dirname(node)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: join(this.root, "home"),
      HTTPS_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1",
      NO_COLOR: "1",
    };
  }

  write(name: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true });
    writeFileSync(join(this.root, name), text, { mode });
  }

  has(name: string): boolean {
    return existsSync(join(this.root, name));
  }

  /** Converts these hooks, and writes what the report prints into OpenClaw's settings. */
  async install(hooks: object, modelUrl = "http://127.0.0.1:9"): Promise<void> {
    this.write("hookbox.json", JSON.stringify({ hooks }));
    const args = ["convert", "--from", "hookbox", "--to", "openclaw", "hookbox.json", "--out", "plugin", "--json"];
    const { stdout } = await inProcess(args, { cwd: this.root });
    const { settings, ...report } = JSON.parse(stdout) as World["report"] & { readonly settings: object };
    this.report = report;
    const model = { id: "stand-in", name: "stand-in", input: ["text"], contextWindow: 100_000, maxTokens: 4_000 };
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const provider = {
      baseUrl: `${modelUrl}/v1`,
      api: "openai-completions",
      apiKey: "made-up-for-a-test",
      models: [{ ...model, reasoning: false, cost }],
    };
    const agents = { defaults: { model: { primary: "here/stand-in" } } };
    this.write(
      "home/.openclaw/openclaw.json",
      JSON.stringify({ ...settings, models: { providers: { here: provider } }, agents }),
    );
  }

  openclaw(...args: readonly string[]): Promise<Ended> {
    return new Promise((done, reject) => {
      const child = spawn(node, [program, ...args], { cwd: this.root, env: this.#env, timeout: RUN_MS });
      let [stdout, stderr] = ["", ""];
      child.stdin.end();
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      child.on("error", reject);
      child.on("close", (exitCode) => done({ exitCode, stdout, stderr }));
    });
  }

  /** Runs the agent once with a model that asks for this call. Returns what the model was sent. */
  async run(input: { readonly command: string; readonly [field: string]: string }): Promise<string> {
    const { command, ...more } = input;
    const model = await startModelServer(command, more);
    onTestFinished(() => model.close());
    await this.install(GUARDED(this.root), model.url);
    const { exitCode, stderr } = await this.openclaw(
      "agent",
      "--local",
      "--agent",
      "main",
      "--message",
      "Do it.",
      "--json",
    );
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    return model.sent();
  }
}

const GUARDED = (root: string): object => ({
  PreToolUse: [
    { hooks: [{ type: "wasm", module: "builtin:shell-guard", config: { protectedPaths: [join(root, "kept")] } }] },
  ],
});

test("is asked: the command that the report names lists its hooks", async () => {
  const world = new World();
  await world.install(GUARDED(world.root));
  expect(world.report).toMatchObject({ losses: [], proof: "openclaw plugins inspect hookbox --runtime" });
  const { stdout } = await world.openclaw(...(world.report?.proof ?? "").split(" ").slice(1));
  expect(stdout).toMatch(/Status: loaded[\s\S]*Typed hooks:\nbefore_tool_call\n/);
});

test("is asked at hooks that see conversations with the printed settings, and not without", async () => {
  const world = new World();
  await world.install({ Stop: [{ hooks: [{ type: "command", command: "true" }] }] });
  expect(world.report).toMatchObject({ losses: [{ what: "permission", consequence: "looser" }] });
  const inspect = (world.report?.proof ?? "").split(" ").slice(1);
  expect((await world.openclaw(...inspect)).stdout).toMatch(/Typed hooks:\nbefore_agent_finalize\n/);
  const file = "home/.openclaw/openclaw.json";
  const settings = JSON.parse(readFileSync(join(world.root, file), "utf8")) as {
    plugins: { entries: { hookbox: object } };
  };
  settings.plugins.entries.hookbox = { enabled: true };
  world.write(file, JSON.stringify(settings));
  const { stdout } = await world.openclaw(...inspect);
  expect(stdout).not.toContain("Typed hooks:");
  expect(stdout).toContain("allowConversationAccess=true");
});

test("refuses a command for the directory that the call names", async () => {
  const world = new World();
  world.write("kept/data/a", "1");
  const sent = await world.run({ command: "rm -rf data", workdir: join(world.root, "kept") });
  expect([world.has("asked"), world.has("kept/data/a")]).toEqual([true, true]);
  expect(sent).toContain("shell-guard: rm -rf of a protected path: data");
});

test("knows the workspace, from which a relative path leads to a protected file", async () => {
  const world = new World();
  world.write("kept/data/a", "1");
  const sent = await world.run({ command: "rm -rf ../../../kept" });
  expect(world.has("kept/data/a")).toBe(true);
  expect(sent).toContain("shell-guard: rm -rf of a protected path");
});

test("lets other calls pass", async () => {
  const world = new World();
  await world.run({ command: `touch '${world.root}/ran'` });
  expect([world.has("asked"), world.has("ran")]).toEqual([true, true]);
});

test("blocks if hookbox is not installed", async () => {
  const world = new World();
  rmSync(join(world.root, "bin/hookbox"));
  const sent = await world.run({ command: `touch '${world.root}/ran'` });
  expect(world.has("ran")).toBe(false);
  expect(sent).toContain("hookbox could not be asked");
});
