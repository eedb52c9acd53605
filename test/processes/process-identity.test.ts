import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { identityOf, isAtWork, isReplaced } from "../../src/processes/process-identity.ts";

/** A process is identified by its id and its start time, because ids are reused. */

test("a running process is the same one", () => {
  const own = identityOf(process.pid);
  expect([isAtWork(own), isReplaced(own)]).toEqual([true, false]);
});

test("a process that has ended does not run, and its id has not been reused yet", async () => {
  const child = spawn("sleep", ["100"]);
  const identity = identityOf(child.pid as number);
  expect(isAtWork(identity)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect([isAtWork(identity), isReplaced(identity)]).toEqual([false, false]);
  expect(identityOf(identity.pid)).toEqual({ pid: identity.pid, born: "" });
});

// Other systems do not report start times.
test.runIf(process.platform === "linux").each(["", "1"])(
  "a process with the id of one that started at %j is another one",
  (born) => {
    const former = { pid: process.pid, born };
    expect([isAtWork(former), isReplaced(former)]).toEqual([false, true]);
  },
);
