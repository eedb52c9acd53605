import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { createEngine, type Engine } from "../../src/index.ts";
import { fingerprint } from "../executors/builtin/repository.ts";
import { FaultyServer } from "../faults/faulty-server.ts";
import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";
import { startStubModel } from "../helpers/stub-model.ts";
import { times } from "../helpers/tier.ts";
import { bytesInUse, surplus, takeInventory } from "./inventory.ts";
import { type Act, type Call, configOf, make, makeActs, makeForeignActs } from "./mixed-runs.ts";
import { answerOrNot, makeRepositories, makeThinkingActs, own, whoIsAsked } from "./thinking-runs.ts";

/** Hundreds of calls of hooks that misbehave in every way, after which the process has the same resources as before. */

vi.setConfig({ testTimeout: 300_000 });

const RUNS = times(1_000, 400);
const THINKING_RUNS = times(240, 120);
/** Calls before the measured ones, as a fraction of those. */
const WARM_UP_PART = 10;
const AT_ONCE = 16;
const SESSIONS = 40;
const QUARTERS = 4;
/** The maximum time of hooks that are not waited for. */
const BACKGROUND_MS = 10_000;
/** The longest wait after the engine is closed, until sockets are closed and killed processes are gone. */
const SETTLE_MS = 20_000;
/** For the second half of the runs. A process that kept each event would have grown four times as much. */
const MAX_GROWTH_BYTES = 1_500_000;

/** Threads of Node's own, and what they wait for. */
const FIRST_USE = / × (?:thread|descriptor of anon_inode:\[event(?:poll|fd)\])$/;

const root = mkdtempSync(join(tmpdir(), "hookbox-chaos-"));
const temporary = join(root, "tmp");
const stateFolder = join(root, "state");
mkdirSync(temporary);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function calls(random: Random, acts: readonly Act[], count: number): Call[] {
  const weighted = acts.flatMap((act) => Array.from({ length: act.weight }, () => act));
  return random.times(count, () => {
    const how = random.chance(12) ? "registers" : random.chance(6) ? "gives up" : "waits";
    const session = `session-${random.below(SESSIONS)}`;
    return { act: random.pick(weighted), how, givesUpAfterMs: random.below(60), session };
  });
}

async function makeAll(engine: Engine, planned: readonly Call[], signal: AbortSignal): Promise<string[]> {
  const waiting = [...planned];
  const wrong: string[] = [];
  const work = async (): Promise<void> => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      const problem = await make(engine, call, signal);
      if (problem !== undefined) wrong.push(problem);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const end = performance.now() + BACKGROUND_MS; performance.now() < end && engine.background.running > 0; )
    await sleep(10);
  const { running } = engine.background;
  return running === 0 ? wrong : [...wrong, `${running} in the background do not end`];
}

interface Trial {
  readonly all: readonly Act[];
  readonly runs: number;
  readonly open: () => Promise<Engine>;
  readonly marker: string;
  /** Made last, each twice, because nothing after them would clean up. */
  readonly last?: readonly Act[];
  /** What a server of the test's own keeps of each call does not count. */
  readonly forget?: () => void;
}

/** Makes random calls, and returns what exists afterwards that did not before. */
async function expectNothingLeft({ all, runs, open, marker, last = [], forget }: Trial): Promise<void> {
  console.info(`seed ${SEED}`);
  const random = new Random(SEED);
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));

  // What is loaded and compiled on first use is no leak.
  const { signal } = new AbortController();
  const terms = { marker, folder: temporary, signal };
  const start = takeInventory(terms);
  const first = await open();
  onTestFinished(() => first.close());
  expect(await makeAll(first, [...all.map(waiting), ...calls(random, all, runs / WARM_UP_PART)], signal)).toEqual([]);
  await first.close();

  const more = (): string[] => surplus(start, takeInventory(terms)).filter((one) => !FIRST_USE.test(one));
  for (const end = performance.now() + SETTLE_MS; performance.now() < end && more().length > 0; ) await sleep(20);
  expect(more()).toEqual([]);
  const before = takeInventory(terms);
  const engine = await open();
  onTestFinished(() => engine.close());
  const planned = calls(random, all, runs);
  const bytes: number[] = [];
  const begun = performance.now();
  for (let quarter = 0; quarter < QUARTERS; quarter += 1) {
    const part = planned.slice((quarter * runs) / QUARTERS, ((quarter + 1) * runs) / QUARTERS);
    expect(await makeAll(engine, part, signal)).toEqual([]);
    forget?.();
    bytes.push(bytesInUse());
  }
  expect(await makeAll(engine, [...last, ...last].map(waiting), signal)).toEqual([]);
  const { dropped } = engine.background;
  console.info(`${Math.round(performance.now() - begun)} ms, ${dropped} dropped, ${bytes.join(", ")} bytes`);
  await engine.close();

  const isSettled = (): boolean => surplus(before, takeInventory(terms)).length === 0;
  for (const end = performance.now() + SETTLE_MS; performance.now() < end && !isSettled(); ) await sleep(20);
  expect(surplus(before, takeInventory(terms))).toEqual([]);
  expect(warnings).toEqual([]);
  const [, second = 0, , fourth = 0] = bytes;
  expect(fourth - second).toBeLessThan(MAX_GROWTH_BYTES);
}

test(`${RUNS} mixed runs with faults leave nothing behind`, async () => {
  const marker = randomUUID();
  vi.stubEnv("TMPDIR", temporary);
  const server = await FaultyServer.open();
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });
  const acts = await makeActs(root, marker, server);
  const settings = { hooks: { PreToolUse: [{ matcher: "imported", hooks: [importedHook(marker)] }] } };
  writeFileSync(join(root, "settings.json"), JSON.stringify(settings));
  const imported: Act = { tool: "imported", hooks: [], kinds: [undefined], weight: 3 };
  const foreign = makeForeignActs(marker);
  writeFileSync(join(root, "agentao.json"), JSON.stringify(foreign.agentao));
  writeFileSync(join(root, "autohand.json"), JSON.stringify(foreign.autohand));
  const open = async (): Promise<Engine> => {
    const engine = await createEngine({
      config: configOf(acts),
      configFiles: [
        { file: join(root, "settings.json"), layer: "user" },
        { file: join(root, "agentao.json"), layer: "user", dialect: "agentao" },
        { file: join(root, "autohand.json"), layer: "user", dialect: "autohand" },
      ],
      cwd: root,
      cacheDir: join(root, "cache"),
      stateFolder,
      sandbox: { threads: 2 },
    });
    expect(engine.problems.filter(({ severity }) => severity === "error")).toEqual([]);
    return engine;
  };
  const all = [...acts.filter(({ weight }) => weight > 0), imported, ...foreign.acts];
  const sessions = acts.filter(({ tool }) => tool === "command-leaves-a-session");
  await expectNothingLeft({ all, runs: RUNS, open, marker, last: sessions });
  // The file of a rule that has run is kept; the claim of a running rule is not.
  const kept = readdirSync(stateFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(kept.map(({ name }) => name).filter((name) => !/^(?:kept|data)-[0-9a-f]{32}$/.test(name))).toEqual([]);
  expect(readdirSync(join(root, "cache")).filter((name) => /\.[0-9a-f]{12}$/.test(name))).toEqual([]);
});

test(`${THINKING_RUNS} runs of model hooks and built-in hooks leave nothing behind`, async () => {
  const marker = randomUUID();
  const place = join(root, "thinking");
  mkdirSync(place);
  const repositories = makeRepositories(place, marker);
  const [state, home] = [join(place, "state"), join(place, "home")];
  mkdirSync(home);
  vi.stubEnv("TMPDIR", temporary);
  vi.stubEnv("XDG_STATE_HOME", state);
  vi.stubEnv("HOME", home);
  vi.stubEnv("PATH", repositories.searchPath);
  const [stub, web] = await Promise.all([startStubModel(answerOrNot), FaultyServer.open()]);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await Promise.all([stub.close(), web.close()]);
  });
  const acts = makeThinkingActs(repositories, web);
  const asked = whoIsAsked(stub, marker);
  const open = async (): Promise<Engine> => {
    const engine = await createEngine({
      config: { ...configOf(acts), ...asked },
      cwd: repositories.well,
      askServers: "none",
      cacheDir: false,
      models: { own },
    });
    expect(engine.problems.filter(({ severity }) => severity === "error")).toEqual([]);
    return engine;
  };
  const users = fingerprint(join(repositories.well, ".git"));
  const forget = (): void => void (stub.requests as unknown[]).splice(0);
  await expectNothingLeft({ all: acts, runs: THINKING_RUNS, open, marker, forget });
  expect(stub.openSockets()).toBe(0);
  // One for each repository: the list of states, and the shadow repository.
  const snapshots = join(state, "hookbox/snapshots");
  expect([readdirSync(place).sort(), readdirSync(state), readdirSync(home)]).toEqual([
    ["bin", "home", "state", "stuck", "well"],
    ["hookbox"],
    [],
  ]);
  expect(readdirSync(snapshots).length).toBeGreaterThan(0);
  const kept = readdirSync(snapshots, { recursive: true, encoding: "utf8" });
  expect(kept.filter((name) => /lock|index\.|draft|\.user$/.test(name))).toEqual([]);
  expect(fingerprint(join(repositories.well, ".git"))).toEqual(users);
});

/** Many more calls, of hooks that cost almost nothing: even a small leak in each becomes visible. */
test("thousands of calls of cheap hooks keep nothing", async () => {
  const server = await FaultyServer.open();
  onTestFinished(() => server.close());
  const folder = mkdtempSync(join(tmpdir(), "hookbox-chaos-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const acts = await makeActs(folder, "none", server);
  const cheap = acts.filter(({ tool }) => CHEAP.includes(tool));
  expect(cheap).toHaveLength(CHEAP.length);
  const engine = await createEngine({ config: configOf(cheap), cwd: folder, cacheDir: false });
  onTestFinished(() => engine.close());
  const { signal } = new AbortController();
  const bytes: number[] = [];
  for (let part = 0; part < 4; part += 1) {
    const planned = Array.from({ length: 200 }, () => cheap.map(waiting)).flat();
    expect(await makeAll(engine, planned, signal)).toEqual([]);
    bytes.push(bytesInUse());
  }
  console.info(`${bytes.join(", ")} bytes`);
  const [, second = 0, , last = 0] = bytes;
  expect(last - second).toBeLessThan(CHEAP_GROWTH_BYTES);
});

const CHEAP = ["function-answers", "function-throws", "function-rewrites", "context", "guard-denies", "guard-traps"];
/** 2,400 calls, or half as many. */
const CHEAP_GROWTH_BYTES = 500_000;

const waiting = (act: Act): Call => ({ act, how: "waits", givesUpAfterMs: 0, session: "session" });

/** A process that an agent's own hook leaves running goes on; this one does so for a moment. */
function importedHook(marker: string): object {
  return { type: "command", command: `HOOKBOX_CHAOS=${marker} sleep 0.1 & exit 0` };
}
