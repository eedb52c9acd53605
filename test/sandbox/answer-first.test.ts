import { expect, test } from "vitest";
import { directImports } from "../../src/sandbox/guest/direct-link.ts";
import type { Instantiate } from "../../src/sandbox/guest/guest-run.ts";
import { restoreUsed, runGuest } from "../../src/sandbox/guest/guest-run.ts";
import { ThreadPool } from "../../src/sandbox/pool/thread-pool.ts";
import { Stop } from "../../src/stop-signal.ts";
import { guest } from "../helpers/guests.ts";
import { guestTask } from "./guest-task.ts";
import { admitted } from "./module-requirements.ts";

/** The guest keeps its input in its memory from this address on, and denies if it finds an earlier input. */
const KEPT_AT = 65_536;
const INPUT = '{"secret":"of the first call"}';

/** Instantiates guests and lists their memories. */
function recording(): { instantiate: Instantiate; memories: () => Buffer[] } {
  const made: WebAssembly.Memory[] = [];
  return {
    memories: () => made.map(({ buffer }) => Buffer.from(buffer)),
    instantiate: async (module, functions) => {
      const instance = await WebAssembly.instantiate(module, directImports(functions));
      made.push(instance.exports["hookbox:memory"] as WebAssembly.Memory);
      return instance;
    },
  };
}

test("the answer comes before the memory is restored, and the next call gets restored memory", async () => {
  const { instantiate, memories } = recording();
  const task = guestTask(await admitted(guest("looks-for-leftovers")), { input: INPUT });
  const isKept = (): boolean => memories()[0]?.includes(INPUT, KEPT_AT) === true;
  for (const restores of [true, false, true]) {
    expect(await runGuest(task, instantiate)).toMatchObject({ kind: "answered", text: "{}" });
    expect(isKept()).toBe(true);
    if (restores) restoreUsed();
    expect(isKept()).toBe(!restores);
  }
  expect(memories()).toHaveLength(1);
  // Nothing is left to restore.
  restoreUsed();
  expect(isKept()).toBe(false);
});

test("an instance that cannot be restored is replaced", async () => {
  const { instantiate, memories } = recording();
  const task = guestTask(await admitted(guest("grows-by-a-page")));
  for (let call = 0; call < 3; call++) {
    expect(await runGuest(task, instantiate)).toMatchObject({ kind: "answered" });
    restoreUsed();
  }
  expect(memories()).toHaveLength(3);
});

test("a thread answers each of many calls at once with a restored memory", async () => {
  const pool = new ThreadPool({ threads: 1 });
  try {
    const task = guestTask(await admitted(guest("looks-for-leftovers")), { input: INPUT });
    const answers = await Promise.all(Array.from({ length: 200 }, () => pool.run(task, new Stop())));
    expect(new Set(answers.map((answer) => answer.kind === "answered" && answer.text))).toEqual(new Set(["{}"]));
  } finally {
    await pool.close();
  }
});
