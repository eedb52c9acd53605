import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { identityOf, isAtWork, isReplaced } from "../../src/processes/process-identity.ts";

/** A process is known by its number and its birth, as numbers are given to others. */

test("a process that is at work is the one it was", () => {
  const own = identityOf(process.pid);
  expect([isAtWork(own), isReplaced(own)]).toEqual([true, false]);
});

test("a process that has ended is not at work, and its number has not been given away yet", async () => {
  const child = spawn("sleep", ["100"]);
  const identity = identityOf(child.pid as number);
  expect(isAtWork(identity)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect([isAtWork(identity), isReplaced(identity)]).toEqual([false, false]);
  expect(identityOf(identity.pid)).toEqual({ pid: identity.pid, born: "" });
});

// Elsewhere nothing is known of births.
test.runIf(process.platform === "linux").each(["", "1"])(
  "a process with the number of one that was born at %j is another one",
  (born) => {
    const former = { pid: process.pid, born };
    expect([isAtWork(former), isReplaced(former)]).toEqual([false, true]);
  },
);
