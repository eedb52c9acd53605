import { afterEach, describe, expect, test, vi } from "vitest";
import type { Approve, HookContext } from "../../../src/hosts/openclaw/index.ts";
import { call, hosted, question } from "./hosted.ts";

afterEach(() => {
  vi.useRealTimers();
});

interface Setting {
  readonly approve?: Approve;
  readonly fields?: object;
  readonly compat?: "faithful";
  readonly ctx?: HookContext;
}

/** A call for which one handler asks for approval, with its parameters changed. */
async function asked({ approve, fields, compat, ctx }: Setting) {
  const { host, warnings, errors } = hosted(compat === undefined ? {} : { compat });
  const told: string[] = [];
  host.on("before_tool_call", () => ({
    ...question((decision) => void told.push(decision), fields),
    params: { mode: "dry" },
  }));
  const ran: unknown[] = [];
  const result = await host.toolCall(
    call,
    { execute: (params) => void ran.push(params), ...(approve === undefined ? {} : { approve }) },
    ctx ?? {},
  );
  const reason = result.status === "blocked" ? result.reason : undefined;
  return { ran, reason, told, warnings, errors };
}

const FINAL = { cmd: "ls", mode: "dry" };

describe("an approval", () => {
  test.each(["allow-once", "allow-always"] as const)(
    "OC-26: of %s lets the call run as it was asked about",
    async (word) => {
      const shown: unknown[] = [];
      const { ran, told } = await asked({
        approve: (one) => {
          shown.push(one);
          return word;
        },
      });
      expect([ran, told]).toEqual([[FINAL], [word]]);
      expect(shown).toMatchObject([
        { title: "Deploy", toolName: "exec", params: FINAL, toolCallId: "c1", pluginId: "host" },
      ]);
    },
  );

  test.each<[string, Setting, string, string]>([
    ["a refusal", { approve: () => "deny" }, "Denied by user", "deny"],
    ["no answer in time", { approve: () => "timeout" }, "Approval timed out", "timeout"],
    [
      "a decision that was not offered",
      { approve: () => "allow-always", fields: { allowedDecisions: ["allow-once", "deny"] } },
      "Approval timed out",
      "timeout",
    ],
    ["a word that nobody defines", { approve: (() => "yes") as unknown as Approve }, "Approval timed out", "timeout"],
    [
      "a reason of its own for no answer",
      { approve: () => "timeout", fields: { timeoutReason: "nobody was there" } },
      "nobody was there",
      "timeout",
    ],
    ["no way to ask", {}, "not available", "cancelled"],
    ["a question that got no number", { approve: () => undefined }, "could not be obtained", "cancelled"],
    ["a request that failed", { approve: () => Promise.reject(new Error("socket")) }, "request failed", "cancelled"],
    ["a broker that stopped", { approve: () => "cancelled" }, "could not be obtained", "cancelled"],
    ["a run that nobody watches", { approve: () => "allow-once", ctx: { trigger: "cron" } }, "no user", "cancelled"],
    ["a scheduled job", { approve: () => "allow-once", ctx: { jobId: "nightly" } }, "no user", "cancelled"],
    [
      "leave to go on without an answer, which counts no more",
      { approve: () => "timeout", fields: { timeoutBehavior: "allow" } },
      "Approval timed out",
      "timeout",
    ],
  ])("OC-26: with %s is no approval, which is reported once", async (_, setting, reason, resolution) => {
    const { ran, told, reason: said } = await asked(setting);
    expect(ran).toEqual([]);
    expect(said).toContain(reason);
    expect(told).toEqual([resolution]);
  });

  test("OC-26: that is not given in time counts only to the letter of the page, if the hook says so", async () => {
    const setting: Setting = { approve: () => "timeout", fields: { timeoutBehavior: "allow" }, compat: "faithful" };
    const { ran, told } = await asked(setting);
    expect([ran, told]).toEqual([[FINAL], ["timeout"]]);
    const wrong = await asked({ ...setting, approve: (() => "yes") as unknown as Approve });
    expect([wrong.ran, wrong.told]).toEqual([[], ["timeout"]]);
  });

  test("OC-26: is asked for in a scheduled job to the letter of the page", async () => {
    const { ran } = await asked({ approve: () => "allow-once", ctx: { jobId: "nightly" }, compat: "faithful" });
    expect(ran).toEqual([FINAL]);
  });

  test("without an answer is a refusal, and the plugin is warned once", async () => {
    const { host, warnings } = hosted();
    host.on("before_tool_call", () => question(undefined, { timeoutBehavior: "allow" }));
    for (const _ of [1, 2]) await host.beforeToolCall(call, {}, { approve: () => "allow-once" });
    expect(warnings).toEqual([expect.stringContaining("timeoutBehavior")]);
  });

  test("OC-26: is cancelled with the run, and the program that shows it is notified", async () => {
    const run = new AbortController();
    let shown: AbortSignal | undefined;
    const { reason, told, ran } = await asked({
      ctx: { abortSignal: run.signal },
      approve: (_, { signal }) => {
        shown = signal;
        setTimeout(() => run.abort(), 5);
        return new Promise(() => {});
      },
    });
    expect([reason, told, ran]).toEqual(["Approval cancelled (run aborted)", ["cancelled"], []]);
    expect(shown?.aborted).toBe(true);
  });

  test.each([
    [undefined, 130_000],
    [1_000, 11_000],
    [0, 10_001],
    [9_999_999, 610_000],
  ])("with timeoutMs %j is waited for %i ms", async (timeoutMs, waitedMs) => {
    vi.useFakeTimers();
    const ended: string[] = [];
    const outcome = asked({ approve: () => new Promise(() => {}), fields: { timeoutMs } }).then(({ told, reason }) => {
      ended.push(...told);
      return reason;
    });
    await vi.advanceTimersByTimeAsync(waitedMs - 1);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toBe("Approval timed out");
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("listener");
      },
    ],
    ["rejects", () => Promise.reject(new Error("listener"))],
  ])("is not cancelled by a listener that %s", async (_, onResolution) => {
    const { host, errors } = hosted();
    host.on("before_tool_call", () => question(onResolution));
    const result = await host.toolCall(call, { execute: () => "ran", approve: () => "allow-once" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([result.status, errors]).toEqual(["executed", [expect.stringContaining("listener")]]);
  });

  test("has a title, a text and details of bounded length", async () => {
    const shown: Record<string, unknown>[] = [];
    const long = {
      title: "t".repeat(999),
      description: "d".repeat(9_999),
      detail: "x".repeat(99_999),
      actions: [1, 2, 3, 4, 5, 6, 7],
    };
    await asked({
      approve: (one) => {
        shown.push({ ...one });
        return "deny";
      },
      fields: long,
    });
    const { title, description, detail, actions } = shown[0] as unknown as Record<string, { length: number }>;
    expect([title, description, detail, actions].map((one) => one?.length)).toEqual([80, 512, 16_384, 6]);
  });
});
