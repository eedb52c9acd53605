import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { HttpReply } from "../../../src/executors/wasm/guest/capabilities/capability.ts";
import { guest } from "../../helpers/guests.ts";
import { never, openProcessPool, processTask } from "./process-pools.ts";
import { deadline } from "./wasm-rule.ts";

/**
 * A process that a guest has taken over sends arbitrary messages. Its call fails, it is killed, and the next process
 * serves.
 */

const file = new URL("../../fixtures/sandbox/hostile-child.mjs", import.meta.url);
const denying = await processTask(guest("denies"));
const withWish = (wish: string) =>
  openProcessPool(
    {},
    { file, probe: new TextEncoder().encode(wish), stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );

describe("a process that answers with", () => {
  test.each([
    ["a huge message", "announced a message of 4294967295 bytes"],
    ["huge bytes", "announced a message of 4 bytes and 4294967295 bytes behind it"],
    ["no JSON", "sent what is no JSON"],
    ["no message", "sent a message that is no object"],
    ["a kind that there is not", "sent a message of a kind that there is not"],
    ["another call's answer", "sent an answer out of turn"],
    ["no text", "sent an answer without its text"],
    ["text with a key twice", "sent an answer whose output has the key"],
    ["text that is no object", "sent an answer whose output is not a JSON object"],
    ["text that is no UTF-8", "sent an answer whose output is not valid UTF-8"],
    ["bytes that nothing is about", "sent bytes that nothing in the answer is about"],
    ["a part beyond the end", "sent a part of no length that it could have"],
    ["a state change without its value", "sent a value without its bytes"],
    ["no usage", "sent an answer that has used nothing"],
    ["fuel below zero", 'sent no number "fuel"'],
    ["a cancellation", "sent a failure of a kind that no guest has"],
    ["a timeout", "sent a failure of a kind that no guest has"],
    ["a code that there is not", "sent no code"],
    ["a request that nobody granted", "asked for what its rule does not grant"],
    ["readiness again", "was ready twice"],
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
