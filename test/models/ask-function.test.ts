import { describe, expect, test, vi } from "vitest";
import type { ModelFunction, ModelRequest } from "../../src/models/model.ts";
import { Models } from "../../src/models/models.ts";
import type { ModelChoice } from "../../src/rule.ts";
import { Stop } from "../../src/stop-signal.ts";
import fc from "../helpers/fc.ts";
import { QUESTION, said } from "./asking.ts";

const OWN: ModelChoice = { model: "m", provider: { kind: "function", name: "own" } };
const ANSWER = { text: "yes", calls: [], end: "done", inputTokens: 1, outputTokens: 2 } as const;
const never = new Stop();

const askOwn = (own: ModelFunction, request: ModelRequest = QUESTION) =>
  new Models({ functions: { own } }).ask(OWN, request, never);

describe("a function of the embedder's", () => {
  test("answers with a text, or with a whole answer", async () => {
    expect(await askOwn(async () => "yes")).toMatchObject({
      ok: true,
      answer: { text: "yes", calls: [], end: "done" },
    });
    const answer = { ...ANSWER, end: "calls", calls: [{ id: "a", name: "look", input: { at: [1, null] } }] } as const;
    expect(await askOwn(async () => answer)).toEqual({ ok: true, answer });
  });

  test("gets a copy of the request that it cannot change", async () => {
    const request: ModelRequest = { ...QUESTION, model: "other", messages: [{ role: "user", text: "well?" }] };
    const result = await askOwn(async (got) => {
      expect(got).toEqual({ ...request, model: "m" });
      expect(got.messages[0]).not.toBe(request.messages[0]);
      (got.messages[0] as { text: string }).text = "something else";
      return "yes";
    }, request);
    expect(said(result)).toMatch(/^trap: threw: Cannot assign to read only property/);
  });

  test.each([
    ["an error", () => Promise.reject(new Error("no \u001b[2Jtoday"))],
    [
      "an error at once",
      () => {
        throw new Error("no [2Jtoday");
      },
    ],
    ["no error", () => Promise.reject("no [2Jtoday")],
  ])("fails when it throws %s", async (_, run) => {
    expect(said(await askOwn(run))).toBe("trap: threw: no [2Jtoday");
  });

  test("fails if reading what it throws throws", async () => {
    const hostile = new Proxy(new Error("x"), {
      get: () => {
        throw new Error("again");
      },
    });
    expect(said(await askOwn(() => Promise.reject(hostile)))).toBe("trap: threw: something that cannot be described");
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const call = { id: "a", name: "look", input: {} };
  test.each([
    undefined,
    null,
    7,
    { ok: true },
    { ...ANSWER, end: "finished" },
    { ...ANSWER, text: undefined },
    { ...ANSWER, inputTokens: -1 },
    { ...ANSWER, outputTokens: Number.NaN },
    { ...ANSWER, end: "calls" },
    { ...ANSWER, calls: [call] },
    { ...ANSWER, end: "calls", calls: [{ ...call, input: () => 1 }] },
    { ...ANSWER, end: "calls", calls: [{ ...call, input: cycle }] },
    { ...ANSWER, extra: 1 },
    Object.defineProperty({ ...ANSWER }, "text", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    }),
  ])("fails with an invalid answer (%#)", async (answer) => {
    expect(said(await askOwn(async () => answer as never))).toMatch(/^invalid-output: the answer /);
  });

  test("never fails in another way, whatever it answers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), async (answer) => {
        const result = await askOwn(async () => answer as never);
        if (typeof answer === "string") expect(result.ok).toBe(true);
        else expect(said(result)).toMatch(/^(invalid-output|trap): /);
      }),
      { numRuns: 100 },
    );
  });

  test("is cut off by the deadline, and its signal fires", async () => {
    const stop = new Stop();
    let heard: AbortSignal | undefined;
    const models = new Models({ functions: { own: (_, { signal }) => new Promise(() => (heard = signal)) } });
    const answered = models.ask(OWN, QUESTION, stop);
    const failure = { kind: "timeout", message: "no answer in time" };
    stop.abort(failure);
    expect(await answered).toEqual({ ok: false, failure });
    expect(heard?.aborted).toBe(true);
  });

  test("is cut off by a deadline that passed while it blocked the thread", async () => {
    const stop = new Stop();
    const failure = { kind: "timeout", message: "no answer in time" };
    const own: ModelFunction = async () => {
      const end = performance.now() + 30;
      while (performance.now() < end);
      return "yes";
    };
    const models = new Models({ functions: { own } });
    setTimeout(() => stop.abort(failure), 5);
    expect(await models.ask(OWN, QUESTION, stop)).toEqual({ ok: false, failure });
  });

  test("is given up when models are closed, and not called afterwards", async () => {
    const own = vi.fn(() => new Promise<string>(() => undefined));
    const models = new Models({ functions: { own } });
    const answered = models.ask(OWN, QUESTION, never);
    await models.close();
    expect(said(await answered)).toBe("cancelled: the engine was closed during the call");
    expect(said(await models.ask(OWN, QUESTION, never))).toBe("unavailable: models are closed");
    expect(own).toHaveBeenCalledTimes(1);
  });

  test("must be given", async () => {
    const models = new Models({ functions: { own: async () => "yes" } });
    for (const name of ["other", "constructor", "__proto__"]) {
      const choice: ModelChoice = { model: "m", provider: { kind: "function", name } };
      expect(await models.problemOf(choice)).toMatchObject({ code: "HOOK_MODEL_PROVIDER" });
      expect(await models.ask(choice, QUESTION, never)).toMatchObject({ failure: { kind: "unavailable" } });
    }
    expect(await models.problemOf(OWN)).toBeUndefined();
  });
});
