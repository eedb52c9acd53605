import { readdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { admit } from "../../src/sandbox/admission/admission.ts";
import type { GuestAnswer } from "../../src/sandbox/guest/protocol.ts";
import { ThreadPool } from "../../src/sandbox/pool/thread-pool.ts";
import { guest } from "../helpers/guests.ts";
import { guestTask } from "./guest-task.ts";
import { requirements } from "./module-requirements.ts";

/**
 * Extism instantiates guests in the pool's threads, and Node alone in a first try: a guest must not see a difference.
 */

const FOLDER = path.resolve(import.meta.dirname, "../fixtures/guests");
const names = readdirSync(FOLDER).map((file) => file.replace(/\.wat$/, ""));
const INPUT = JSON.stringify({
  abi: 1,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

const FIRST_TRY_FUEL = 1_000_000;
let answered = 0;

beforeAll(() => {
  vi.resetModules();
});

test.each(names)("%s answers in a first try as in the pool, for the same fuel, or not at all", async (name) => {
  const admission = await admit(guest(name), requirements());
  if (!admission.ok) return;
  const pool = new ThreadPool({ threads: 1 });
  onTestFinished(async () => void (await pool.close()));
  // As in a new process: no fuel spent, no earlier instance.
  vi.resetModules();
  const { firstTry } = await import("../../src/sandbox/guest/first-try.ts");
  const task = guestTask(admission, { input: INPUT });
  if (task.setup === undefined) throw new Error("a task without its setup");

  const inPool = await pool.run(task, new AbortController().signal);
  const here = await firstTry(task, task.setup, new AbortController().signal, { isOurs: false });
  if (inPool.kind === "needs-setup") throw new Error("the setup was sent");
  if (here === undefined) expect(inPool.kind === "failed" || inPool.usage.fuel > FIRST_TRY_FUEL).toBe(true);
  else {
    answered += 1;
    expect(withoutTime(here)).toEqual(withoutTime(inPool));
  }
});

test("most of them answered", () => {
  expect(answered).toBeGreaterThan(10);
});

function withoutTime(answer: GuestAnswer): unknown {
  if (answer.kind === "needs-setup") return answer;
  const { doneAtMs: _, ...usage } = answer.usage;
  return { ...answer, usage };
}
