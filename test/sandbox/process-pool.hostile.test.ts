import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { HttpReply } from "../../src/sandbox/guest/capabilities/capability.ts";
import { deadline } from "../executors/wasm/wasm-rule.ts";
import { guest } from "../helpers/guests.ts";
import { never, openProcessPool, processTask } from "./process-pools.ts";

/**
 * A process that a guest has taken over sends arbitrary messages. Its call fails, it is killed, and the next process
 * serves.
 */

const file = new URL("../fixtures/sandbox/hostile-child.mjs", import.meta.url);
const denying = await processTask(guest("denies"));
const withWish = (wish: string) =>
  openProcessPool(
    {},
    { file, probe: new TextEncoder().encode(wish), stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );

describe("a process that answers with", () => {
  test.each([
    ["a huge message", "announced a message of 4294967295 bytes"],
    ["huge bytes", "announced a message of 4 bytes with 4294967295 bytes after it"],
    ["no JSON", "sent invalid JSON"],
    ["no message", "sent a message that is not an object"],
    ["a kind that there is not", "sent a message of an unknown kind"],
    ["another call's answer", "sent an answer out of order"],
    ["no text", "sent an answer without its text"],
    ["text with a key twice", "sent an answer whose output has the key"],
    ["text that is no object", "sent an answer whose output is not a JSON object"],
    ["text that is no UTF-8", "sent an answer whose output is not valid UTF-8"],
    ["bytes that nothing is about", "sent bytes that its answer does not refer to"],
    ["a part beyond the end", "sent a part with an invalid length"],
    ["a state change without its value", "sent a value without its bytes"],
    ["no usage", "sent an answer without its usage"],
    ["fuel below zero", 'sent no number "fuel"'],
    ["a cancellation", "sent a failure of a kind that a process may not report"],
    ["a timeout", "sent a failure of a kind that a process may not report"],
    ["a code that there is not", "sent an unknown error code"],
    ["a request without a grant", "sent a request that its rule does not grant"],
    ["readiness again", "reported twice that it is ready"],
  ])("%s breaks the protocol, and fails its call", async (wish, message) => {
    const pool = withWish(wish);
    await expect(pool.run(denying, never())).rejects.toMatchObject({
      name: "GuestLost",
      message: expect.stringContaining(message),
    });
    await expect(pool.run(denying, never())).rejects.toMatchObject({ name: "GuestLost" });
  });
});

test("a call whose process dies twice fails", async () => {
  await expect(withWish("its end").run(denying, never())).rejects.toMatchObject({
    name: "GuestLost",
    message: expect.stringContaining("and so did the one before"),
  });
});

test("a call that has asked for something outside is not repeated", async () => {
  let asked = 0;
  const serve = () => {
    asked += 1;
    return Promise.resolve({ kind: "failed" as const, message: "nobody is there" });
  };
  await expect(withWish("a request, and its end").run(denying, never(), serve)).rejects.toMatchObject({
    name: "GuestLost",
    message: expect.not.stringContaining("and so did the one before"),
  });
  expect(asked).toBe(1);
});

test("a call that is given up while its guest waits for a host function does not cost its process", async () => {
  const pool = withWish("a request, and what it was told");
  const { signal, pass } = deadline();
  const stopped: HttpReply = { kind: "refused", failure: { kind: "cancelled", message: "stopped" } };
  const serve = () => {
    setTimeout(pass, 50);
    return new Promise<HttpReply>((resolve) => signal.addEventListener("abort", () => resolve(stopped)));
  };
  await expect(pool.run(denying, signal, serve)).rejects.toMatchObject({ name: "Error" });
  const pids = pool.processes.map(({ pid }) => pid);
  await sleep(200);
  expect(pool.processes.map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
  expect(pool.processes.some(({ isBusy }) => isBusy)).toBe(false);
});
