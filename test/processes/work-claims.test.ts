import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { onceAmongProcesses, ownClaim, takeClaim, untilFree } from "../../src/processes/work-claims.ts";

const DIST = new URL("../../dist/processes/work-claims.js", import.meta.url).href;

function folder(): string {
  const parent = mkdtempSync(join(tmpdir(), "hookbox-claims-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, "cache");
}

const filesIn = (path: string): readonly string[] => (existsSync(path) ? readdirSync(path) : []);

/** A process that runs this code with the functions under test. */
function start(code: string): ChildProcess {
  const source = `import { appendFileSync, existsSync, writeFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { onceAmongProcesses, takeClaim } from ${JSON.stringify(DIST)};
    ${code}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const ended = (child: ChildProcess): Promise<void> => new Promise((resolve) => child.once("exit", () => resolve()));
const firstWord = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.stdout?.once("data", (data) => resolve(String(data))));

/** Works for this long, logs that it has, and leaves a result. */
const working = (path: string, log: string, ms: number): string => `
  const result = ${JSON.stringify(join(path, "..", "result"))};
  await onceAmongProcesses(${JSON.stringify(path)}, "work", {
    find: async () => existsSync(result) || undefined,
    work: async () => {
      appendFileSync(${JSON.stringify(log)}, "x");
      console.log("at work");
      await sleep(${ms});
      writeFileSync(result, "");
      return true;
    },
    maxWaitMs: 60000,
  });`;

describe("work that many processes need", () => {
  test("is done by one of twenty, and leaves no claim behind", async () => {
    const path = folder();
    const log = join(path, "..", "log");
    writeFileSync(log, "");
    await Promise.all(Array.from({ length: 20 }, () => ended(start(working(path, log, 1_500)))));
    expect(readFileSync(log, "utf8")).toBe("x");
    expect(filesIn(path)).toEqual([]);
  });

  test("is taken over from a process that was killed, and the dead process's claim is removed", async () => {
    const path = folder();
    const log = join(path, "..", "log");
    writeFileSync(log, "");
    const first = start(working(path, log, 600_000));
    await firstWord(first);
    const second = start(working(path, log, 0));
    await sleep(200);
    expect(filesIn(path)).toHaveLength(1);
    first.kill("SIGKILL");
    await ended(second);
    expect(filesIn(path)).toEqual([]);
  });

  test("is done by each process if claims cannot be written", async () => {
    const path = folder();
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o777);
    let times = 0;
    const work = async (): Promise<number> => ++times;
    const find = async (): Promise<undefined> => undefined;
    await onceAmongProcesses(path, "work", { find, work, maxWaitMs: 60_000 });
    await onceAmongProcesses(undefined, "work", { find, work, maxWaitMs: 60_000 });
    const file = join(path, "..", "file");
    writeFileSync(file, "");
    await onceAmongProcesses(join(file, "below"), "work", { find, work, maxWaitMs: 60_000 });
    expect(times).toBe(3);
    expect(filesIn(path)).toEqual([]);
  });

  test("is done here once the other process has ended without a result", async () => {
    const path = folder();
    const other = start(`
      const claim = await takeClaim(${JSON.stringify(path)}, "work");
      console.log("claimed");
      await sleep(500);
      await claim.end();
      await sleep(60000);`);
    await firstWord(other);
    const found = await onceAmongProcesses(path, "work", {
      find: async () => undefined,
      work: async () => "done here",
      maxWaitMs: 60_000,
    });
    expect(found).toBe("done here");
  });

  test("is not waited for by a caller whose deadline has passed", async () => {
    const path = folder();
    const other = start(
      `await takeClaim(${JSON.stringify(path)}, "work"); console.log("claimed"); await sleep(60000);`,
    );
    await firstWord(other);
    expect(await takeClaim(path, "work")).toBe("taken");
    expect(await untilFree(path, "work", { signal: AbortSignal.timeout(100), maxWaitMs: 60_000 })).toBe("stopped");
    expect(await untilFree(path, "work", { maxWaitMs: 50 })).toBe("stopped");
  });
});

test("a claim that is passed on is valid as long as the process that has it", async () => {
  const path = folder();
  const claim = await takeClaim(path, "work");
  if (claim === undefined || claim === "taken") throw new Error("nobody else has it");
  const other = start(`console.log("here"); await sleep(60000);`);
  await firstWord(other);
  await claim.passTo(other.pid ?? 0);
  expect(await takeClaim(path, "work")).toBe("taken");
  other.kill("SIGKILL");
  await ended(other);
  const next = await takeClaim(path, "work");
  if (next === undefined || next === "taken") throw new Error("its process is dead");
  await next.end();
  expect(filesIn(path)).toEqual([]);
});

test("the process that has a claim can end it, and gets none after it has ended", async () => {
  const path = folder();
  expect(await ownClaim(path, "work")).toBeUndefined();
  expect(filesIn(path)).toEqual([]);
  const claim = await takeClaim(path, "work");
  if (claim === undefined || claim === "taken") throw new Error("nobody else has it");
  await (await ownClaim(path, "work"))?.end();
  expect(filesIn(path)).toEqual([]);
  const other = start(`await takeClaim(${JSON.stringify(path)}, "work"); console.log("claimed"); await sleep(60000);`);
  await firstWord(other);
  expect(await ownClaim(path, "work")).toBeUndefined();
});

test("claims of dead processes are removed by processes that claim other work", async () => {
  const path = folder();
  const other = start(`await takeClaim(${JSON.stringify(path)}, "work"); console.log("claimed"); await sleep(60000);`);
  await firstWord(other);
  other.kill("SIGKILL");
  await ended(other);
  expect(filesIn(path)).toHaveLength(1);
  const claim = await takeClaim(path, "other work");
  if (claim === undefined || claim === "taken") throw new Error("nobody has it");
  await claim.end();
  expect(filesIn(path)).toEqual([]);
});
