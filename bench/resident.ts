import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { scratchFolder } from "./small-guards.ts";

/**
 * Measures one event with the resident server, as an agent starts a hook: from spawn to exit. The floor is a shell that
 * decides nothing. The relay is started directly, as the `args` form of a hook does, and through a shell.
 */

const MAIN = fileURLToPath(new URL("../dist/bundle/hookbox.cjs", import.meta.url));
const RELAY = fileURLToPath(new URL(`../relay/relay-linux-${process.arch}`, import.meta.url));
const PROJECTS = 10;

const projects = Array.from({ length: PROJECTS }, (_, index) => join(scratchFolder, `project-${index}`));
const [project = scratchFolder] = projects;
const folder = join(scratchFolder, "resident");
const socket = join(folder, "s");
const env = { PATH: process.env["PATH"] ?? "", HOME: scratchFolder, XDG_CACHE_HOME: join(scratchFolder, "cache") };

const event = (cwd: string): string =>
  JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "bench",
    cwd,
    tool_name: "Bash",
    tool_input: { command: "rm -rf / production" },
  });

function start(file: string, args: readonly string[], expected: string, cwd = project): void {
  const { stdout, status, stderr } = spawnSync(file, args, { input: event(cwd), encoding: "utf8", env, cwd });
  if (status !== 0 || !stdout.includes(expected)) throw new Error(`${file}: ${status} ${stdout}${stderr}`);
}

const relayArgs = ["claude-code", "--socket", socket, "--main", MAIN, "--event", "PreToolUse"];

let server: ChildProcess | undefined;

async function startServer(): Promise<void> {
  for (const one of projects) {
    mkdirSync(one, { recursive: true });
    const rules = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] };
    writeFileSync(join(one, "hookbox.json"), JSON.stringify({ version: 1, hooks: rules }));
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  server = spawn(process.execPath, [MAIN, "serve", "--supervised", "--http", "--socket", socket], { env, cwd: "/" });
  await new Promise<void>((listening) => {
    let said = "";
    server?.stderr?.on("data", (chunk) => {
      said += String(chunk);
      if (said.includes("the token is in")) listening();
    });
  });
}

const IDLE_MS = 3_000;

interface Health {
  readonly pid: number;
  readonly resident_memory_bytes: number;
}

const agent = new Agent({ keepAlive: true });

function ask(path: string, method: string, body = ""): Promise<string> {
  const { url, token } = JSON.parse(readFileSync(join(folder, "http.json"), "utf8")) as { url: string; token: string };
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return new Promise((done, reject) => {
    const asked = request(`${url}${path}`, { method, agent, headers }, async (response) => {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      done(text);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

const health = async (): Promise<Health> => JSON.parse(await ask("/health", "GET")) as Health;

/** The server's state after it has prepared all rules. */
async function settledHealth(): Promise<Health> {
  await sleep(IDLE_MS);
  return health();
}

/** Clock ticks of processor time that a process has used. */
function ticks(pid: number): number {
  const [user = 0, system = 0] =
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13).map(Number) ?? [];
  return user + system;
}

async function run(rounds: number): Promise<readonly Figure[]> {
  await startServer();
  try {
    start(RELAY, relayArgs, '"deny"');
    const one = await settledHealth();
    for (const cwd of projects) start(RELAY, relayArgs, '"deny"', cwd);
    const all = await settledHealth();
    const before = ticks(all.pid);
    await sleep(IDLE_MS);
    const facts = {
      residentBytesOfOneProject: one.resident_memory_bytes,
      residentBytesOfTenProjects: all.resident_memory_bytes,
      idleProcessorMsPerMinute: ((ticks(all.pid) - before) * 10 * 60_000) / IDLE_MS,
    };
    const throughShell = `exec ${[RELAY, ...relayArgs].map((arg) => `'${arg}'`).join(" ")}`;
    return await measure(
      [
        { name: "empty sh", perBlock: 10, run: () => start("/bin/sh", ["-c", "cat >/dev/null; echo {}"], "{}") },
        { name: "true", perBlock: 10, run: () => start("/bin/true", [], "") },
        { name: "relay", perBlock: 10, run: () => start(RELAY, relayArgs, '"deny"'), facts },
        { name: "sh -c relay", perBlock: 10, run: () => start("/bin/sh", ["-c", throughShell], '"deny"') },
        { name: "keep-alive HTTP", perBlock: 10, run: () => ask("/v1/hooks/claude-code", "POST", event(project)) },
        { name: "run", perBlock: 2, run: () => start(process.execPath, [MAIN, "run"], '"deny"') },
      ],
      rounds,
    );
  } finally {
    agent.destroy();
    server?.kill("SIGTERM");
  }
}

const GOALS: readonly Goal[] = [
  { name: "the relay as agents start it (args form)", of: "relay", against: "empty sh", atMost: 1 },
  { name: "the relay, compared with one-shot run", of: "relay", against: "run", atMost: 1 / 25 },
];

export const resident: Scope = {
  name: "resident",
  question: "one event with the resident server, compared with a shell that decides nothing",
  floor: "empty sh",
  run,
  goals: GOALS,
};
