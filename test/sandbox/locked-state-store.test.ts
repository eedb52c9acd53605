import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ownerOf } from "../../src/executors/wasm/calls/guard-calls.ts";
import type { WasmRule } from "../../src/executors/wasm/wasm-rule.ts";
import { type LockedState, SessionState } from "../../src/sandbox/grants/session-state.ts";
import { DiskStateStore } from "../../src/state/locked-state-store.ts";
import { countingRule, eventOf } from "../executors/wasm/counting-guest.ts";
import { deadline } from "../executors/wasm/wasm-rule.ts";

/** State variables on disk, as calls of guards see them. */

function twoProcesses(): { readonly folder: string; readonly states: readonly [SessionState, SessionState] } {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-disk-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = (): SessionState => new SessionState({ store: new DiskStateStore(folder) });
  return { folder, states: [open(), open()] };
}

const rule = countingRule() as WasmRule;
const GRANT = { maxKeys: 10, maxBytes: 1_000 };
/** The file with which a process waits for a mutex. */
const TICKET = /wait-[^/]*~[^/]*$/;
const enter = (state: SessionState, { signal } = deadline()) => state.enter(ownerOf(rule, eventOf("s")), GRANT, signal);

test("a call that waits for another process until its timeout names what it waited for", async () => {
  const { folder, states } = twoProcesses();
  const turn = (await enter(states[0])) as LockedState;
  const isQueued = () => readdirSync(folder, { recursive: true }).some((path) => TICKET.test(String(path)));
  // In most attempts, the timeout comes while the call reads the folder and not while it sleeps.
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const timeout = deadline();
    const entered = enter(states[1], timeout);
    await vi.waitFor(() => expect(isQueued()).toBe(true), { interval: 1, timeout: 20_000 });
    timeout.pass();
    // A busy machine: timers are late, and so are the answers of the disk.
    const until = performance.now() + 30;
    while (performance.now() < until);
    expect(await entered).toMatchObject({
      kind: "unavailable",
      code: "HOOK_STATE",
      message: expect.stringContaining(`is in use by process ${process.pid}`),
    });
    await states[1].settled();
  }
  turn.end();
  await states[0].settled();
  expect(await enter(states[1])).toMatchObject({ values: new Map() });
});

test("a call whose lock another process has taken saves nothing, and fails by name", async () => {
  const { folder, states } = twoProcesses();
  const turn = (await enter(states[0])) as LockedState;
  rmSync(join(folder, "guards"), { recursive: true });
  expect(await turn.save([["n", Uint8Array.of(1)]])).toMatchObject({ kind: "unavailable", code: "HOOK_STATE" });
  turn.end();
  await states[0].settled();
  expect(((await enter(states[1])) as LockedState).values.size).toBe(0);
});

test("the end of a session is visible to other processes once the engine has closed", async () => {
  const { folder, states } = twoProcesses();
  const turn = (await enter(states[0])) as LockedState;
  expect(await turn.save([["n", Uint8Array.of(1)]])).toBeUndefined();
  // A call of the session is running, and is waited for.
  states[0].sessionEnded("s");
  turn.end();
  await states[0].settled();
  await states[0].settled();
  expect(readdirSync(join(folder, "guards", rule.layer))).toEqual([]);
});
