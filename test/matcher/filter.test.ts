import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { compileFilter } from "../../src/matcher/filter.ts";
import type { Rule } from "../../src/rule.ts";
import { makeEvent } from "../helpers/rules.ts";

function fits(filter: NonNullable<Rule["filter"]>, payload: JsonObject, event = "PreToolUse"): boolean {
  const compiled = compileFilter(filter);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.filter.test(makeEvent(event, payload)).fits;
}

describe("a filter for tools", () => {
  test("matches exact names", () => {
    expect(fits({ tools: ["write_file"] }, { tool_name: "read_file" })).toBe(false);
    expect(fits({ tools: ["write_file"] }, { tool_name: "write_file" })).toBe(true);
    expect(fits({ tools: ["write_file", "x"] }, { tool_name: "x" })).toBe(true);
    expect(fits({ tools: ["write*"] }, { tool_name: "write_file" })).toBe(false);
  });

  test("does not match an event without a tool", () => {
    expect(fits({ tools: ["write_file"] }, {}, "Stop")).toBe(false);
    expect(fits({ tools: ["write_file"] }, { tool_name: 7 })).toBe(false);
  });

  test("that is empty is none", () => {
    expect(fits({ tools: [], paths: [] }, {}, "Stop")).toBe(true);
    expect(fits({}, {})).toBe(true);
  });
});

describe("a filter for paths", () => {
  const path = (file_path: string, cwd = "/project"): JsonObject => ({
    tool_name: "Write",
    tool_input: { file_path },
    cwd,
  });

  test.each([
    ["hosts", { cwd: "/etc" }, "/etc/*", true],
    ["a.ts", { directory: "src" }, "src/**", true],
    ["a.ts", { workdir: "/elsewhere" }, "src/**", false],
  ])("resolves %s in the call's own directory %j", (file_path, own, pattern, expected) => {
    const payload = { tool_name: "Write", tool_input: { file_path, ...own }, cwd: "/project" };
    expect(fits({ paths: [pattern] }, payload)).toBe(expected);
  });

  test("tests everything that may be the path: a match is not hidden by another path next to it", () => {
    const input = { file_path: "/project/notes.md", notebook_path: "/project/secret/a.ipynb" };
    const payload = { tool_name: "NotebookEdit", tool_input: input, cwd: "/project", path: "x" };
    expect(fits({ paths: ["secret/**"] }, payload)).toBe(true);
    expect(fits({ paths: ["other/**"] }, payload)).toBe(false);
  });

  test.each([
    ["src/test.js", false],
    ["src/test.ts", true],
    ["src/deep/test.ts", true],
    ["/project/src/test.ts", true],
    ["./src/../src/test.ts", true],
    ["src/../test.ts", false],
    ["/elsewhere/src/test.ts", false],
    ["src/.hidden.ts", true],
  ])("src/**/*.ts on %s: %s", (file, expected) => {
    expect(fits({ paths: ["src/**/*.ts"] }, path(file))).toBe(expected);
  });

  test("needs one pattern that matches the whole path", () => {
    expect(fits({ paths: ["*.md", "*.ts"] }, path("a.ts"))).toBe(true);
    expect(fits({ paths: ["*.md", "*.ts"] }, path("src/a.ts"))).toBe(false);
    expect(fits({ paths: ["/project/**"] }, path("src/a.ts"))).toBe(true);
  });

  test("does not match an event without a path", () => {
    expect(fits({ paths: ["**"] }, { tool_name: "Bash", tool_input: { command: "ls" } })).toBe(false);
    expect(fits({ paths: ["**"] }, {}, "Stop")).toBe(false);
  });

  test("matches the path of a changed file", () => {
    expect(fits({ paths: ["*.ts"] }, { file_path: "a.ts" }, "FileChanged")).toBe(true);
    expect(fits({ paths: ["*.ts"] }, { file_path: "a.js" }, "FileChanged")).toBe(false);
  });

  test("must match together with one for tools", () => {
    expect(fits({ tools: ["Write"], paths: ["*.ts"] }, path("a.ts"))).toBe(true);
    expect(fits({ tools: ["Edit"], paths: ["*.ts"] }, path("a.ts"))).toBe(false);
    expect(fits({ tools: ["Write"], paths: ["*.js"] }, path("a.ts"))).toBe(false);
  });

  test("that is invalid is refused", () => {
    expect(compileFilter({ paths: ["src/[a"] })).toMatchObject({ ok: false });
  });
});
