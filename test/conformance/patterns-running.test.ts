import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type BackgroundReport, createEngine, type Engine } from "../../src/engine.ts";
import { httpServer, type TestServer } from "../net/servers.ts";

/** What the generic page says about time, which no table of verdicts can express. */

const SLOW_MS = 400;
let server: TestServer;
beforeAll(async () => {
  server = await httpServer((response) => setTimeout(() => response.end("{}"), SLOW_MS));
});
afterAll(() => server.close());

async function engineWith(hook: object, onBackgroundEnd?: (report: BackgroundReport) => void): Promise<Engine> {
  const cwd = mkdtempSync(join(tmpdir(), "hookbox-pattern-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "hooks.json"), JSON.stringify({ hooks_config: { PreToolUse: [{ hooks: [hook] }] } }));
  const engine = await createEngine({
    configFiles: [{ file: "hooks.json", layer: "user", dialect: "patterns" }],
    cwd,
    dialect: "patterns",
    cacheDir: false,
    ...(onBackgroundEnd === undefined ? {} : { onBackgroundEnd }),
  });
  onTestFinished(() => engine.close());
  return engine;
}

const call = { tool_name: "Bash", tool_input: { command: "ls" }, session_id: "s" };

async function timed(engine: Engine): Promise<number> {
  const begun = performance.now();
  await engine.dispatch("PreToolUse", call);
  return performance.now() - begun;
}

test.each([
  ["command", () => ({ type: "command", command: `cat >/dev/null; sleep ${SLOW_MS / 1_000}` })],
  ["http", () => ({ type: "http", url: `${server.origin}/audit` })],
])("GP53: async: true takes no time from the event: %s", async (_type, hook) => {
  const reports: BackgroundReport[] = [];
  const waited = await timed(await engineWith(hook()));
  const engine = await engineWith({ ...hook(), async: true }, (report) => reports.push(report));
  // The best of three, because a machine that is busy for a moment distorts the waiting times.
  const added = Math.min(await timed(engine), await timed(engine), await timed(engine));
  expect(waited).toBeGreaterThanOrEqual(SLOW_MS - 5);
  expect(added).toBeLessThan(waited / 2);
  await engine.close();
  expect(reports).toMatchObject(Array(3).fill({ outcome: { status: "abstained" } }));
});

test("GP54: asyncTimeout ends a hook that has detached itself, however long its own timeout is", async () => {
  const reports: BackgroundReport[] = [];
  const later = `printf '{"async": true, "asyncTimeout": 0.2}\\n'; exec sleep 20`;
  const engine = await engineWith({ type: "command", command: later, timeout: 60 }, (report) => reports.push(report));
  const begun = performance.now();
  const verdict = await engine.dispatch("PreToolUse", call);
  expect(verdict).toMatchObject({ decision: "none", rules: [{ outcome: "success" }] });
  await engine.close();
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(reports).toMatchObject([{ outcome: { status: "failed", failure: { kind: "timeout", limit: 200 } } }]);
});

test("GP60: each hook's outcome is reported with its time", async () => {
  const engine = await engineWith({ type: "http", url: `${server.origin}/check` });
  const { rules } = await engine.dispatch("PreToolUse", call);
  expect(rules).toMatchObject([{ type: "http", outcome: "success" }]);
  expect(rules[0]?.receipt.micros).toBeGreaterThanOrEqual((SLOW_MS - 5) * 1_000);
});
