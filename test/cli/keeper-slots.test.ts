import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { leaveSlots, takeSlot } from "../../src/cli/background/slots.ts";
import { scratchFolder } from "../executors/command/command-rule.ts";

describe("slots for keepers", () => {
  test("are limited, and one that is released can be taken again", () => {
    const folder = scratchFolder();
    const taken = Array.from({ length: 3 }, () => takeSlot([folder], 3));
    expect(taken.every(({ ok }) => ok)).toBe(true);
    expect(takeSlot([folder], 3)).toMatchObject({ ok: false, full: { limit: 3, value: 4 } });
    expect(readdirSync(folder)).toHaveLength(3);
    if (taken[0]?.ok) taken[0].slot.giveBack();
    expect(takeSlot([folder], 3)).toMatchObject({ ok: true });
  });

  test("belong to the process that they were passed to, and each process releases only its own", () => {
    const folder = scratchFolder();
    const [first, second] = [takeSlot([folder], 3), takeSlot([folder], 3)];
    if (first.ok) first.slot.passTo(process.ppid);
    leaveSlots([folder]);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(new RegExp(`^${process.ppid}\\.`))]);
    if (second.ok) second.slot.giveBack();
    if (first.ok) first.slot.giveBack();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("are none if they cannot be counted", () => {
    expect(takeSlot(["/proc/nowhere", "/dev/null/x"], 3)).toEqual({
      ok: false,
      reason: expect.stringMatching(/cannot be counted: ENOENT/),
    });
    expect(() => leaveSlots(["/proc/nowhere"])).not.toThrow();
  });
});
