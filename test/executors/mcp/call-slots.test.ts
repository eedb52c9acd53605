import { describe, expect, test } from "vitest";
import { CallSlots } from "../../../src/executors/call-slots.ts";
import { MCP_LIMITS } from "../../../src/executors/mcp/limits.ts";
import { Restarts } from "../../../src/executors/mcp/restarts.ts";
import { Stop } from "../../../src/stop-signal.ts";

const late = { kind: "timeout", message: "late" } as const;

describe("slots for calls", () => {
  test("are given in the order of the calls", async () => {
    const slots = new CallSlots(1, 10);
    const turns: string[] = [];
    const take = (name: string) => slots.take(new Stop()).then(() => void turns.push(name));
    await take("first");
    const others = [take("second"), take("third")];
    slots.giveBack();
    await others[0];
    expect(turns).toEqual(["first", "second"]);
    slots.giveBack();
    await others[1];
    slots.giveBack();
    expect(slots.taken).toBe(0);
  });

  test("are not given to callers that have stopped waiting", async () => {
    const slots = new CallSlots(1, 10);
    await slots.take(new Stop());
    const stop = new Stop();
    const given = slots.take(stop);
    const next = slots.take(new Stop());
    stop.abort(late);
    expect(await given).toBe(late);
    slots.giveBack();
    expect(await next).toBeUndefined();
    expect(slots.taken).toBe(1);
    expect(await slots.take(stop)).toBe(late);
  });

  test("have a queue of bounded length", async () => {
    const slots = new CallSlots(1, 1);
    await slots.take(new Stop());
    void slots.take(new Stop());
    expect(await slots.take(new Stop())).toMatchObject({ kind: "unavailable", limit: 1, value: 2 });
  });
});

describe("restarts", () => {
  test("over the limit are refused, by name, until the window has passed", () => {
    let now = 0;
    const restarts = new Restarts({ ...MCP_LIMITS, restarts: 1, restartWindowMs: 1_000 }, () => now);
    const died = { kind: "unavailable", message: "ended with exit code 1" } as const;
    restarts.noteFailure(died);
    expect(restarts.refusal()).toBeUndefined();
    now = 400;
    restarts.noteFailure(died);
    expect(restarts.refusal()).toEqual({
      kind: "unavailable",
      message:
        "has failed 2 times within 1000 ms, over the limit of 1 restarts, and is left alone for another 600 ms; the last time: ended with exit code 1",
      limit: 1,
      value: 2,
    });
    now = 1_000;
    expect(restarts.refusal()).toBeUndefined();
  });
});
