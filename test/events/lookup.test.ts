import { describe, expect, test, vi } from "vitest";
import {
  contractOf,
  contractOfEvent,
  denialWord,
  EVENT_NAMES,
  isEventName,
  subjectOf,
} from "../../src/events/lookup.ts";
import { makeEvent } from "../helpers/rules.ts";

// No dialect of this version differs from the table, so the test gives it two that do.
vi.mock("../../src/events/table.ts", async (original) => {
  const { EVENTS } = await original<typeof import("../../src/events/table.ts")>();
  return {
    EVENTS: {
      ...EVENTS,
      PreCompact: {
        ...EVENTS.PreCompact,
        overrides: {
          gemini: { kind: "observer", verdicts: [] },
          codex: { order: "sequential", subject: "cause" },
        },
      },
    },
  };
});

describe("contractOf", () => {
  test("gives a dialect without an override the row itself", () => {
    expect(contractOf("PreCompact", "claude-code")).toMatchObject({
      kind: "gate",
      order: "parallel",
      subject: "trigger",
    });
    expect(contractOf("Stop", "gemini")).toBe(contractOf("Stop", "claude-code"));
  });

  test("gives a dialect its own columns in place of the row's", () => {
    const row = contractOf("PreCompact", "claude-code");
    expect(contractOf("PreCompact", "gemini")).toEqual({ ...row, kind: "observer", verdicts: [] });
    expect(contractOf("PreCompact", "codex")).toEqual({ ...row, order: "sequential", subject: "cause" });
  });

  test("creates an override once, frozen, and does not change the row", () => {
    const contract = contractOf("PreCompact", "gemini");
    expect(contractOf("PreCompact", "gemini")).toBe(contract);
    expect(Object.isFrozen(contract)).toBe(true);
    expect(contractOf("PreCompact", "claude-code")).toMatchObject({ kind: "gate", verdicts: ["block"] });
  });

  test("looks up an event of another dialect in that dialect's row", () => {
    expect(contractOfEvent(makeEvent("PreCompact", {}, "gemini")).kind).toBe("observer");
    expect(contractOfEvent(makeEvent("PreCompact")).kind).toBe("gate");
  });

  test.each(["pretooluse", "PreToolUse ", "", "*", "constructor", "__proto__", "toString"])(
    "has no row for %j",
    (name) => {
      expect(contractOf(name, "claude-code")).toBeUndefined();
      expect(isEventName(name)).toBe(false);
      expect(() => contractOfEvent(makeEvent(name))).toThrow(/no contract/);
    },
  );

  test.each(["constructor", "__proto__", "toString"])("changes no row for a dialect called %j", (dialect) => {
    expect(contractOf("PreCompact", dialect)).toEqual(contractOf("PreCompact", "claude-code"));
  });

  test("has a row for every name of the table in every dialect", () => {
    for (const name of EVENT_NAMES) {
      expect(isEventName(name)).toBe(true);
      for (const dialect of ["claude-code", "hookbox", "gemini", "nobody's"])
        expect(contractOf(name, dialect)).toBeDefined();
    }
  });
});

describe("subjectOf", () => {
  const subject = (name: string, payload: Parameters<typeof makeEvent>[1], dialect?: string): string | undefined => {
    const event = makeEvent(name, payload, dialect);
    return subjectOf(contractOfEvent(event), event);
  };

  test("is the text of the row's field", () => {
    expect(subject("PreToolUse", { tool_name: "Bash" })).toBe("Bash");
    expect(subject("PreToolUse", { tool_name: "" })).toBe("");
    expect(subject("SessionStart", { source: "resume" })).toBe("resume");
  });

  test("is the field that the dialect names", () => {
    expect(subject("PreCompact", { trigger: "auto", cause: "full" }, "codex")).toBe("full");
    expect(subject("PreCompact", { trigger: "auto", cause: "full" })).toBe("auto");
  });

  test.each([[undefined], [7], [null], [true], [["Bash"]], [{ name: "Bash" }]])("is undefined for %j", (value) => {
    expect(subject("PreToolUse", value === undefined ? {} : { tool_name: value })).toBeUndefined();
  });

  test("is undefined if the event has none", () => {
    expect(subject("Stop", { tool_name: "Bash" })).toBeUndefined();
  });

  test.each([
    ["/home/me/.env", ".env"],
    [".env", ".env"],
    ["C:\\work\\.env", ".env"],
    ["C:\\work/.env", ".env"],
    ["/", ""],
  ])("of the file %j is %j", (path, base) => {
    expect(subject("FileChanged", { file_path: path })).toBe(base);
  });
});

test("denialWord is the event's own word for a denial, or undefined", () => {
  const word = (name: string, dialect = "claude-code") => denialWord(contractOf(name, dialect)!);
  expect(word("PreToolUse")).toBe("deny");
  expect(word("Stop")).toBe("block");
  expect(word("PostToolUse")).toBe("block");
  expect(word("SessionEnd")).toBeUndefined();
  expect(word("PreCompact")).toBe("block");
  expect(word("PreCompact", "gemini")).toBeUndefined();
});
