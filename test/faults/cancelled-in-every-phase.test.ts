import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createEngine, type Engine } from "../../src/index.ts";
import type { ModelFunction } from "../../src/models/model.ts";
import type { Verdict } from "../../src/verdict.ts";
import { type Inventory, surplus, takeInventory } from "../chaos/inventory.ts";
import { type StubModel, startStubModel } from "../helpers/stub-model.ts";
import { answerBadly } from "./faulty-model.ts";
import { FaultyServer } from "./faulty-server.ts";

/** The caller gives up, or the deadline comes, in the middle of everything that hooks which think wait for. */

/** Long enough for any phase to be reached on a busy machine, and short of what anything waits for by itself. */
const DEADLINE_MS = 2_000;
const PATIENT_MS = 60_000;
const SETTLE_MS = 10_000;
/** How much longer than that of a function that never answers an end may take. */
const SLOWER = 25;
const FLOOR_MS = 20;

const MCP_SERVER = join(import.meta.dirname, "../fixtures/mcp/server.mjs");

const marker = randomUUID();
const root = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-phases-")));
const [temporary, state, folder, bin] = ["tmp", "state", "repository", "bin"].map((name) => join(root, name)) as [
  string,
  string,
  string,
  string,
];
const log = join(root, "log");
/** Lines of the servers' starts, of git's, and of what the tools note of themselves. */
const logged = (word: string): number =>
  [log, `${log}.notes`]
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .filter((line) => line === word).length;

let stub: StubModel;
let web: FaultyServer;
let mute: Server;
const connections = new Set<Socket>();

beforeAll(async () => {
  for (const path of [temporary, state, folder, bin]) mkdirSync(path);
  execFileSync("git", ["init", "--quiet", folder]);
  for (let file = 0; file < 400; file += 1) writeFileSync(join(folder, `${file}.txt`), "all is well\n".repeat(20_000));
  mkdirSync(join(folder, "many"));
  for (let file = 0; file < 4_000; file += 1) writeFileSync(join(folder, "many", String(file)), "");
  writeFileSync(join(folder, "staged.txt"), "1");
  execFileSync("git", ["add", "staged.txt"], { cwd: folder });
  // Hangs where it is told to, and is git otherwise.
  const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh
case " $* " in *" status "*|*" write-tree "*|*"--others"*) echo git >> ${log}; sleep 600;; esac
exec ${git} "$@"
`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}${delimiter}${process.env["PATH"]}`);
  vi.stubEnv("TMPDIR", temporary);
  vi.stubEnv("XDG_STATE_HOME", state);
  vi.stubEnv("HOOKBOX_CHAOS", marker);
  stub = await startStubModel(answerBadly);
  web = await FaultyServer.open();
  mute = createServer((socket) => {
    connections.add(socket.resume());
    socket.on("error", () => {}).on("close", () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const socket of connections) socket.destroy();
  mute.close();
  await Promise.all([stub.close(), web.close()]);
  rmSync(root, { recursive: true, force: true });
});

let asked = 0;
const own: ModelFunction = async ({ model }) => {
  asked += 1;
  if (model === "hangs") return new Promise(() => {});
  const [name, input] = model === "greps" ? ["grep", { pattern: "not (there|here)+" }] : ["glob", { pattern: "**/*" }];
  const calls = Array.from({ length: 16 }, (_, at) => ({ id: String(at), name: String(name), input }));
  return { text: "", calls, end: "calls", inputTokens: 1, outputTokens: 1 };
};

interface Phase {
  readonly event: string;
  readonly hook: () => Readonly<Record<string, unknown>>;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Whether the phase has begun, after `before` things of its kind. */
  readonly isReached: (before: number) => boolean;
  readonly count?: () => number;
  /** Too short for a deadline to come in its middle on any machine. */
  readonly isShort?: boolean;
  /** Has no opinion and says why, some time before its deadline would come. */
  readonly givesUp?: boolean;
  /** Other calls that are at work meanwhile. */
  readonly beside?: number;
}

const requests = (): number => stub.requests.length;
const more =
  (count: () => number): Phase["isReached"] =>
  (before) =>
    count() > before;
const prompt = (model: string): Phase => ({
  event: "PreToolUse",
  hook: () => ({ type: "prompt", model, prompt: "May it? $ARGUMENTS" }),
  count: requests,
  isReached: more(requests),
});
const agent = (model: string): Phase => ({
  event: "PreToolUse",
  hook: () => ({ type: "agent", model, prompt: "May it?" }),
  count: () => asked,
  isReached: more(() => asked),
});
const tool = (server: string, name: string, word: string, beside = 0): Phase => ({
  event: "PreToolUse",
  hook: () => ({ type: "mcp_tool", server, tool: name }),
  count: () => logged(word),
  isReached: (before) => logged(word) > before + Math.max(0, beside - 1),
  beside,
});
const builtin = (name: string, event: string, more: Partial<Phase> & Pick<Phase, "isReached">): Phase => ({
  event,
  hook: () => ({ type: "function", run: `builtin:${name}` }),
  ...more,
});
const git = { count: () => logged("git"), isReached: more(() => logged("git")) };
const spilled = (): number =>
  readdirSync(temporary, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".txt")).length;

const PHASES: Readonly<Record<string, Phase>> = {
  "a model, connecting": {
    ...prompt("mute/small"),
    count: () => connections.size,
    isReached: () => connections.size > 0,
  },
  "a model, before the first byte": prompt("stub/hangs"),
  "a model, in its answer": prompt("stub/hangs-half-way"),
  "a model, in a stream": prompt("stream/drips-for-ever"),
  "a model, waiting for another try": prompt("stub/wants-a-long-wait"),
  "a model of the embedder's": {
    ...agent("own/hangs"),
    hook: () => ({ type: "prompt", model: "own/hangs", prompt: "?" }),
  },
  "an agent, asking": { ...prompt("stub/hangs"), hook: () => ({ type: "agent", model: "stub/hangs", prompt: "?" }) },
  "an agent, walking": { ...agent("own/globs"), isShort: true },
  "an agent, reading": agent("own/greps"),
  "a tool, starting its server": { ...tool("well", "hangs", "hangs"), isReached: () => true },
  "a tool, shaking hands": {
    ...tool("silent", "hangs", "started"),
    hook: () => ({ type: "mcp_tool", server: "silent", tool: "pid" }),
  },
  "a tool, waiting for its turn": tool("well", "hangs", "hangs", 8),
  "a tool, at work": tool("well", "hangs", "hangs"),
  "a tool, blocking its server": tool("well", "blocks", "blocks"),
  "a tool of a web server": { ...tool("web", "any", ""), isReached: () => true },
  "a built-in, running git": builtin("add_git_status", "UserPromptSubmit", git),
  "a built-in, posting": builtin("http_post", "PreToolUse", {
    hook: () => ({ type: "function", run: "builtin:http_post", args: [web.url("hangs"), "hello"] }),
    isReached: () => true,
  }),
  "a built-in, putting a result into a file": builtin("limit_large_tool_results", "PostToolUse", {
    payload: { tool_response: Array.from({ length: 200 }, () => "line\n".repeat(100_000)) },
    count: spilled,
    isShort: true,
    isReached: more(spilled),
  }),
  "a built-in, taking a snapshot": { ...builtin("snapshot", "PreToolUse", git), givesUp: true },
  "a built-in, asking for a message": builtin("smart-commit", "Stop", {
    givesUp: true,
    hook: () => ({ type: "function", run: "builtin:smart-commit", args: ["own/hangs"] }),
    count: () => asked,
    isReached: more(() => asked),
  }),
};

async function open(hook: Readonly<Record<string, unknown>>, event: string, timeoutMs: number): Promise<Engine> {
  const openai = { type: "openai", baseUrl: `${stub.url}/v1`, apiKeyEnv: null };
  const started = `echo started >> ${log}; `;
  const server = (MODE: string): object => ({
    command: "/bin/sh",
    args: ["-c", `${started}exec ${process.execPath} ${MCP_SERVER}`],
    env: { MODE, LOG: log, HOOKBOX_CHAOS: marker },
  });
  const engine = await createEngine({
    config: {
      hooks: { [event]: [{ hooks: [{ name: "the judge", timeoutMs, ...hook }] }] },
      modelProviders: {
        stub: openai,
        stream: { ...openai, stream: true },
        mute: { ...openai, baseUrl: `https://127.0.0.1:${(mute.address() as { port: number }).port}/v1` },
      },
      mcpServers: { well: server(""), silent: server("silent"), web: { type: "http", url: web.url("hangs") } },
    },
    cwd: folder,
    cacheDir: false,
    // Nothing is to be asked before the event.
    prepare: "on-demand",
    models: { own },
  });
  expect(engine.problems).toEqual([]);
  return engine;
}

const inventory = (): Inventory => takeInventory({ marker, folder: root, signal: new AbortController().signal });
/** Sockets and pipes are counted where they are waited for; files that stay are the log and the last snapshot. */
const left = (before: Inventory): string[] =>
  surplus(before, inventory()).filter(
    (one) => one.startsWith("process ") || / × file (?:tmp|.*(?:lock|index\.))/.test(one) || one.includes("listener"),
  );

async function until(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + SETTLE_MS; performance.now() < end && !isSo(); ) await sleep(5);
}

async function floor(): Promise<number> {
  const engine = await createEngine({
    config: { hooks: { Stop: [{ hooks: [{ type: "function", run: () => new Promise(() => {}) }] }] } },
    cacheDir: false,
  });
  const caller = new AbortController();
  const asking = engine.dispatch("Stop", { session_id: "s", cwd: folder }, { signal: caller.signal });
  await turn();
  const begun = performance.now();
  caller.abort();
  await asking;
  const ms = performance.now() - begun;
  await engine.close();
  return Math.max(ms, FLOOR_MS);
}

const CASES = Object.entries(PHASES).flatMap(([name, { isShort }]) =>
  ["the caller", ...(isShort === true ? [] : ["the deadline"])].map((who) => [name, who] as const),
);

test.each(CASES)("%s, is ended by %s at once, and nothing is left", async (name, who) => {
  const { event, hook, payload = {}, isReached, count = () => 0, beside = 0, givesUp } = PHASES[name] as Phase;
  const before = inventory();
  const counted = count();
  const engine = await open(hook(), event, who === "the caller" || beside > 0 ? PATIENT_MS : DEADLINE_MS);
  const caller = new AbortController();
  const others = new AbortController();
  const ask = ({ signal }: AbortController, more = {}): Promise<Verdict> =>
    engine.dispatch(
      event,
      { session_id: "s", cwd: folder, tool_name: "Bash", tool_input: {}, prompt: "hi", ...payload },
      { signal, ...more },
    );
  const working = Array.from({ length: beside }, () => ask(others));
  if (beside > 0) await until(() => isReached(counted));
  const asking = ask(caller, who === "the deadline" && beside > 0 ? { budgetMs: DEADLINE_MS } : {});
  if (beside === 0) await until(() => isReached(counted));
  expect(isReached(counted)).toBe(true);
  await turn();
  let tookMs = 0;
  if (who === "the caller") {
    const begun = performance.now();
    caller.abort();
    await asking;
    tookMs = performance.now() - begun;
  }
  const verdict = await asking;
  const kind = who === "the caller" ? "cancelled" : "timeout";
  if (givesUp === true && who === "the deadline")
    expect(verdict.rules[0]).toMatchObject({ failure: null, decision: null });
  else expect(verdict.rules[0]?.failure).toMatchObject({ kind });
  expect(verdict.cancelled).toBe(who === "the caller");
  expect(verdict.decision === "allow" || verdict.updatedInput !== null).toBe(false);
  expect(tookMs).toBeLessThan(SLOWER * (await floor()));
  others.abort();
  await Promise.all(working);
  await engine.close();
  const isSettled = (): boolean => left(before).length === 0 && stub.openSockets() === 0 && connections.size === 0;
  await until(isSettled);
  expect({ left: left(before), sockets: stub.openSockets() + connections.size }).toEqual({ left: [], sockets: 0 });
});
