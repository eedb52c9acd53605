import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
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
import { MCP_SERVER } from "../helpers/mcp-server.ts";
import { type StubModel, startStubModel } from "../helpers/stub-model.ts";
import { answerBadly } from "./faulty-model.ts";
import { FaultyServer } from "./faulty-server.ts";
import { type Phase, phasesOf } from "./phases.ts";

/** The caller cancels, or the deadline passes, during everything that model hooks wait for. */

/** Long enough to reach many phases at the same time on a busy machine, and shorter than any built-in limit. */
const DEADLINE_MS = 4_000;
const PATIENT_MS = 60_000;
const SETTLE_MS = 10_000;
/** How many times longer than for a function that never answers an end may take. */
const SLOWER = 25;
const FLOOR_MS = 20;

const marker = randomUUID();
const root = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-phases-")));
const [temporary, state, folder, bin] = ["tmp", "state", "repository", "bin"].map((name) => join(root, name)) as [
  string,
  string,
  string,
  string,
];
const log = join(root, "log");
/** The lines that servers, git and tools write when they start. */
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
  // One file to be read for each file to be written.
  const text = join(folder, "0.txt");
  writeFileSync(text, "all is well\n".repeat(20_000));
  for (let file = 1; file < 400; file += 1) linkSync(text, join(folder, `${file}.txt`));
  mkdirSync(join(folder, "many"));
  for (let file = 0; file < 4_000; file += 1) writeFileSync(join(folder, "many", String(file)), "");
  writeFileSync(join(folder, "staged.txt"), "1");
  execFileSync("git", ["add", "staged.txt"], { cwd: folder });
  // A git that hangs if it is told to, and otherwise runs the real git.
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

const asked: string[] = [];
const own: ModelFunction = async ({ model }) => {
  asked.push(model);
  if (model === "hangs") return new Promise(() => {});
  const [name, input] = model === "greps" ? ["grep", { pattern: "not (there|here)+" }] : ["glob", { pattern: "**/*" }];
  const calls = Array.from({ length: 16 }, (_, at) => ({ id: String(at), name: String(name), input }));
  return { text: "", calls, end: "calls", inputTokens: 1, outputTokens: 1 };
};

const named = (model: string): string => model.slice(model.indexOf("/") + 1);
const PHASES = phasesOf({
  requests: (model) => stub.requests.filter(({ body }) => body["model"] === named(model)).length,
  questions: (model) => asked.filter((one) => one === named(model)).length,
  lines: logged,
  connections: () => connections.size,
  results: () =>
    readdirSync(temporary, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".txt")).length,
  hangingUrl: () => web.url("hangs"),
});

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
    // Nothing is asked before the event.
    prepare: "on-demand",
    models: { own },
  });
  expect(engine.problems).toEqual([]);
  return engine;
}

const inventory = (): Inventory => takeInventory({ marker, folder: root, signal: new AbortController().signal });
/** Sockets and pipes are counted elsewhere; the log and the last snapshot are files that stay. */
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

type Giver = "the caller" | "the deadline";

interface Ended {
  readonly name: string;
  readonly isReached: boolean;
  readonly verdict: Verdict;
  /** Milliseconds from the caller's cancellation. */
  readonly tookMs: number;
  close(): Promise<void>;
}

/** Starts a phase and ends it. */
async function end(name: string, who: Giver): Promise<Ended> {
  const { event, hook, payload = {}, count, needs = 1, beside = 0 } = PHASES[name] as Phase;
  const counted = count?.() ?? 0;
  const isReached = (): boolean => count === undefined || count() >= counted + needs;
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
  if (beside > 0) await until(isReached);
  const asking = ask(caller, who === "the deadline" && beside > 0 ? { budgetMs: DEADLINE_MS } : {});
  if (beside === 0) await until(isReached);
  const wasReached = isReached();
  await turn();
  const begun = performance.now();
  if (who === "the caller") caller.abort();
  const verdict = await asking;
  return {
    name,
    isReached: wasReached,
    verdict,
    tookMs: performance.now() - begun,
    close: async () => {
      others.abort();
      await Promise.all(working);
      await engine.close();
    },
  };
}

function expectEnded({ name, isReached, verdict }: Ended, who: Giver): void {
  expect(isReached, name).toBe(true);
  const kind = who === "the caller" ? "cancelled" : "timeout";
  const gaveUp = PHASES[name]?.givesUp === true && who === "the deadline";
  if (gaveUp) expect(verdict.rules[0], name).toMatchObject({ failure: null, decision: null });
  else expect(verdict.rules[0]?.failure, name).toMatchObject({ kind });
  expect(verdict.cancelled, name).toBe(who === "the caller");
  expect(verdict.decision === "allow" || verdict.updatedInput !== null, name).toBe(false);
}

async function expectNothingLeft(before: Inventory): Promise<void> {
  // The cheapest check first, because an inventory reads every process and file.
  await until(() => stub.openSockets() === 0 && connections.size === 0 && left(before).length === 0);
  expect({ left: left(before), sockets: stub.openSockets() + connections.size }).toEqual({ left: [], sockets: 0 });
}

test.each(Object.keys(PHASES))("%s, is ended by the caller immediately, and nothing is left", async (name) => {
  const before = inventory();
  const ended = await end(name, "the caller");
  expectEnded(ended, "the caller");
  expect(ended.tookMs).toBeLessThan(SLOWER * (await floor()));
  await ended.close();
  await expectNothingLeft(before);
});

/** Phases that wait for their deadlines in parallel, each with separate marks. */
function together(): readonly (readonly string[])[] {
  const groups: string[][] = [];
  for (const [name, { marks, isShort }] of Object.entries(PHASES)) {
    if (isShort === true) continue;
    const group = groups.find((names) => marks === undefined || names.every((one) => PHASES[one]?.marks !== marks));
    if (group === undefined) groups.push([name]);
    else group.push(name);
  }
  return groups;
}

test.each(together().map((names) => [names.join("; "), names] as const))(
  "each is ended by its deadline, and nothing is left: %s",
  async (_, names) => {
    const before = inventory();
    const ended = await Promise.all(names.map((name) => end(name, "the deadline")));
    for (const one of ended) expectEnded(one, "the deadline");
    await Promise.all(ended.map((one) => one.close()));
    await expectNothingLeft(before);
  },
);
