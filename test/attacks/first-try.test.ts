import { beforeEach, describe, expect, test, vi } from "vitest";
import { type AdmittedModule, admit } from "../../src/executors/wasm/admission.ts";
import { admitted, terms } from "../executors/wasm/admission-terms.ts";
import { guestTask } from "../executors/wasm/guest-task.ts";
import { guest } from "../helpers/guests.ts";
import { ATTACKS } from "./attacks.ts";
import { moduleOf } from "./siege.ts";

/** The same attacks on a process that serves one event, which tries each guard in its own thread first. */

type FirstTry = typeof import("../../src/executors/wasm/first-try.ts");
let firstTry: FirstTry["firstTry"];

// As a new process has it: the fuel of all tries together, the host, no instance.
beforeEach(async () => {
  vi.resetModules();
  ({ firstTry } = await import("../../src/executors/wasm/first-try.ts"));
});

const INPUT = JSON.stringify({
  abi: 1,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

const tryOnce = (admission: AdmittedModule): ReturnType<FirstTry["firstTry"]> => {
  const { setup, ...task } = guestTask(admission, { input: INPUT });
  if (setup === undefined) throw new Error("a task without its setup");
  return firstTry({ ...task, setup: undefined }, setup);
};

describe("a first try", () => {
  test("of a guard that answers is its answer", async () => {
    const answer = await tryOnce(await admitted(guest("denies")));
    expect(answer).toMatchObject({ kind: "answered", text: expect.stringContaining('"permissionDecision":"deny"') });
  });

  test("is not made any more when the tries before have cost a lot", async () => {
    const looping = await admitted(guest("allows-then-loops-for-ever"));
    for (let tries = 0; tries < 10; tries += 1) expect(await tryOnce(looping)).toBeUndefined();
    expect(await tryOnce(await admitted(guest("denies")))).toBeUndefined();
  });

  test("of several guards at once gives each its own answer", async () => {
    const silent = await admitted(guest("says-nothing"));
    const denying = await admitted(guest("denies"));
    const answers = await Promise.all([tryOnce(denying), tryOnce(silent), tryOnce(denying), tryOnce(silent)]);
    expect(answers).toMatchObject([{ kind: "answered" }, undefined, { kind: "answered" }, undefined]);
  });

  test("is counted before it is made, so that many at once have no more fuel together than many in a row", async () => {
    const looping = await admitted(guest("allows-then-loops-for-ever"));
    const denying = await admitted(guest("denies"));
    const tries = Array.from({ length: 10 }, () => tryOnce(looping));
    expect(await tryOnce(denying)).toBeUndefined();
    await Promise.all(tries);
  });

  const runnable = ATTACKS.filter(({ ends }) => !("code" in ends));
  test.each(runnable)("of an attack that $name comes to nothing, and good guards answer after it", async (attack) => {
    const admission = await admit(moduleOf(attack), terms());
    if (!admission.ok) throw new Error(admission.message);
    const { ends } = attack;
    for (let call = 0; call < Math.min(attack.calls, 3); call += 1) {
      const answer = await tryOnce(admission);
      // Whether what was answered means anything is judged by whoever asked, wherever it was answered.
      const mayAnswer = "decision" in ends || ends.kind === "invalid-output";
      if (!mayAnswer) expect(answer).toBeUndefined();
    }
    expect(await tryOnce(await admitted(guest("denies")))).toMatchObject({ kind: "answered" });
  });
});
