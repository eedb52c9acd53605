import { describe, expect, test } from "vitest";
import { contractOf, EVENT_NAMES } from "../../src/events/lookup.ts";
import type { EventName } from "../../src/events/table.ts";
import { ignoredOf, MODES, refusal, replyOf, specific } from "./read-reply.ts";

const row = (name: EventName) => contractOf(name, "hookbox")!;

const FIELDS = {
  input: ["updatedInput", { command: "ls" }, "updatedInput"],
  output: ["updatedToolOutput", "cut", "updatedOutput"],
  messages: ["updatedMessages", [{ role: "user", content: "hi" }], "updatedMessages"],
  summary: ["summary", "what was done", "summary"],
} as const;

describe.each(Object.entries(FIELDS))("a rewrite of the %s", (rewrites, [field, value, replyField]) => {
  const [takes, drops] = [true, false].map((does) =>
    EVENT_NAMES.filter((name) => (row(name).rewrites === rewrites) === does),
  );

  test.each(takes!)("counts at %s", (name) => {
    expect(replyOf(name, specific(name, { [field]: value }))).toEqual({ [replyField]: value });
  });

  test.each(drops!)("is dropped at %s, and named", (name) => {
    const json = specific(name, { [field]: value });
    expect(replyOf(name, json)).toEqual({});
    expect(ignoredOf(name, json)).toEqual([`${field}: ${name} does not honour it`]);
  });
});

describe("metadata", () => {
  test.each(EVENT_NAMES)("at %s counts if the row says so", (name) => {
    const json = specific(name, { metadata: { blast_radius: "high" } });
    expect(replyOf(name, json)).toEqual(row(name).metadata ? { metadata: { blast_radius: "high" } } : {});
  });

  test("is the guard's only", () => {
    expect(EVENT_NAMES.filter((name) => row(name).metadata)).toEqual(["ToolGuard"]);
  });
});

test.each<[EventName, object]>([
  ["BeforeModelCall", { updatedMessages: "x" }],
  ["BeforeModelCall", { updatedMessages: {} }],
  ["BeforeCompaction", { summary: 5 }],
  ["ToolGuard", { metadata: ["a"] }],
  ["ToolGuard", { metadata: null }],
])("at %s a reply with %j is invalid", (name, fields) => {
  for (const mode of MODES) expect(refusal(name, specific(name, { ...fields }), mode)).toMatch(/must be/);
});

test("an empty list of messages or an empty summary replaces nothing; an output may be cleared", () => {
  expect(replyOf("BeforeModelCall", specific("BeforeModelCall", { updatedMessages: [] }))).toEqual({});
  expect(replyOf("BeforeCompaction", specific("BeforeCompaction", { summary: "" }))).toEqual({});
  expect(replyOf("ToolResponseTransform", specific("ToolResponseTransform", { updatedToolOutput: "" }))).toEqual({
    updatedOutput: "",
  });
});
