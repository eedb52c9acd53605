import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { MAIN } from "../e2e/cli.ts";
import { times } from "../helpers/tier.ts";
import { surplus, takeInventory } from "./inventory.ts";
import { makeForeignActs } from "./mixed-runs.ts";

/** `run --lines` with failing hooks of Agentao: it answers each line, and keeps nothing of any line. */

const LINES = times(200, 80);
const SETTLE_MS = 20_000;
/** A second each, which is the minimum for Agentao's hooks. */
const HANGS_EACH = times(60, 40);
const TOOLS = ["agentao-denies", "agentao-breaks-json", "nobody-asks"];

test(`${LINES} lines with faults are answered, and leave no process, descriptor or file`, {
  timeout: 60_000,
}, async () => {
  const marker = randomUUID();
  const root = mkdtempSync(join(tmpdir(), "hookbox-lines-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const temporary = join(root, "tmp");
  const work = join(root, "work");
  for (const folder of [temporary, work]) mkdirSync(folder);
  const config = join(root, "hooks.json");
  writeFileSync(config, JSON.stringify(makeForeignActs(marker).agentao));
  const terms = { marker, folder: temporary, signal: new AbortController().signal };
  const before = takeInventory(terms);

  const child = spawn(
    process.execPath,
    [MAIN, "run", "--lines", "--dialect", "agentao", "--format", "agentao", "--config", config],
    {
      // Outside of the home, because a cache in the project would not be used.
      cwd: work,
      env: { PATH: process.env["PATH"], HOME: root, TMPDIR: temporary, XDG_CACHE_HOME: join(root, "cache") },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const answers: { readonly id?: number; readonly stdout?: string; readonly error?: object }[] = [];
  const reader = createInterface({ input: child.stdout }).on("line", (line) => answers.push(JSON.parse(line)));
  const tools: string[] = [];
  const ask = (tool: string): void => {
    tools.push(tool);
    const data = { toolName: tool, toolInput: {}, sessionId: "s" };
    const question = JSON.stringify({ id: tools.length - 1, event: "PreToolUse", data });
    child.stdin.write(`${tool === "cut off" ? question.slice(0, 20) : question}\n`);
  };
  const answered = (): Promise<void> =>
    vi.waitFor(() => expect(answers).toHaveLength(tools.length), { timeout: 30_000, interval: 20 });
  const open = (): number => readdirSync(`/proc/${child.pid}/fd`).length;

  // What is loaded and opened on first use is no leak.
  for (const tool of [...TOOLS, "agentao-hangs", "cut off"]) ask(tool);
  await answered();
  const descriptors = open();
  for (let line = 0; line < LINES; line += 1) {
    ask(
      line % HANGS_EACH === 0 ? "agentao-hangs" : line % 20 === 1 ? "cut off" : (TOOLS[line % TOOLS.length] as string),
    );
  }
  await answered();
  await vi.waitFor(() => expect(open()).toBeLessThanOrEqual(descriptors), { timeout: SETTLE_MS });

  const wrong = answers.flatMap(({ id, stdout = "", error }, index) => {
    const tool = tools[index] as string;
    if (tool === "cut off") return error === undefined ? [`${index}: no error`] : [];
    const isRefused = stdout.includes('"permissionDecision":"deny"');
    return id === index && isRefused === (tool !== "nobody-asks") ? [] : [`${index} ${tool}: ${stdout}`];
  });
  expect(wrong).toEqual([]);
  child.stdin.end();
  const [exitCode] = (await once(child, "close")) as [number];
  reader.close();
  expect(exitCode).toBe(0);
  const isSettled = (): void => expect(surplus(before, takeInventory(terms)).filter(isOfChild)).toEqual([]);
  await vi.waitFor(isSettled, { timeout: SETTLE_MS });
});

/** This process waits for its own pipes and timers. */
const isOfChild = (one: string): boolean => one.startsWith("process ") || one.includes(" file ");
