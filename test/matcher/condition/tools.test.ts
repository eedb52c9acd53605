import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json.ts";
import { compileCondition } from "../../../src/matcher/condition/condition.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { judge } from "./conditions.ts";

describe("the tool that a condition names", () => {
  test.each([
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["Bash", "bash", false],
    ["Bash", "Monitor", true],
    ["mcp__memory", "mcp__memory__create", true],
    ["mcp__memory", "mcp__memory", true],
    ["mcp__memory", "mcp__memory2__create", false],
    ["mcp__memory__*", "mcp__memory__create", true],
    ["mcp__memory__*", "mcp__other__create", false],
    ["mcp__memory__create", "mcp__memory__create", true],
    ["mcp__memory__create", "mcp__memory__delete", false],
    ["mcp__*__create", "mcp__memory__create", true],
    ["*", "Anything", true],
    ["Edit", "Write", true],
    ["Edit", "MultiEdit", true],
    ["Edit", "NotebookEdit", true],
    ["Edit", "Read", false],
    ["Write", "Edit", false],
    ["Read", "Grep", true],
    ["Read", "Write", false],
    ["Agent", "Task", true],
    ["Task", "Agent", true],
    ["constructor", "toString", false],
  ])("%s on a call of %s: %s", (condition, tool, fits) => {
    expect(judge(condition, tool, {}).fits).toBe(fits);
  });

  test.each<readonly [string, string, readonly string[], JsonObject, boolean]>([
    ["run_command(rm *)", "Bash", ["Bash", "run_command"], { command: "rm x" }, true],
    ["run_command(rm *)", "Bash", ["Bash", "run_command"], { command: "ls" }, false],
    ["shell", "Bash", ["Bash", "shell"], { command: "ls" }, true],
    ["write_file(//etc/**)", "Write", ["Write", "write_file"], { file_path: "/etc/x" }, true],
    ["write_file(//etc/**)", "Write", ["Write", "write_file"], { file_path: "/tmp/x" }, false],
    ["Edit(//etc/**)", "search_replace", ["search_replace", "Edit"], { file_path: "/etc/x" }, true],
    ["Edit(//etc/**)", "search_replace", ["search_replace", "Edit"], { file_path: "/tmp/x" }, false],
    ["Edit(//etc/**)", "search_replace", [], { file_path: "/etc/x" }, false],
  ])("%s on a call of %s, which is called %j, too", (condition, tool_name, toolNames, tool_input, fits) => {
    const compiled = compileCondition(condition);
    if (!compiled.ok) throw new Error(compiled.message);
    const event = { ...makeEvent("PreToolUse", { tool_name, tool_input, cwd: "/p" }), toolNames };
    expect(compiled.condition.test(event).fits).toBe(fits);
  });

  test("may be any in a payload without a name", () => {
    const compiled = compileCondition("Bash(rm *)");
    if (!compiled.ok) throw new Error(compiled.message);
    expect(compiled.condition.test(makeEvent("PreToolUse", {})).fits).toBe(true);
    expect(compiled.condition.test(makeEvent("PreToolUse", { tool_name: "Bash" })).fits).toBe(true);
    expect(compiled.condition.test(makeEvent("PreToolUse", { tool_name: "Bash", tool_input: "rm" })).fits).toBe(true);
    expect(compiled.condition.test(makeEvent("PreToolUse", { tool_name: "Read" })).fits).toBe(false);
  });
});

describe("a host", () => {
  test.each([
    ["example.com", "https://example.com/x", true],
    ["example.com", "https://EXAMPLE.com", true],
    ["Example.COM", "https://example.com", true],
    ["example.com", "http://example.com:8080/x?y#z", true],
    ["example.com", "https://user:pass@example.com/", true],
    ["example.com", "https://example.com./", true],
    ["example.com.", "https://example.com/", true],
    ["example.com", "https://docs.example.com/", true],
    ["example.com", "example.com/path", true],
    ["example.com", "//example.com/path", true],
    ["example.com", "https:example.com", true],
    ["example.com", "https:\\\\example.com\\x", true],
    ["example.com", " https://example.com", true],
    ["example.com", "https://exa\tmple.com", true],
    ["example.com", "https://exam%70le.com/", true],
    ["bücher.example", "https://xn--bcher-kva.example/", true],
    ["xn--bcher-kva.example", "https://BÜCHER.example/", true],
    ["127.0.0.1", "http://2130706433/", true],
    ["127.0.0.1", "http://0x7f.1/", true],
    ["*.example.com", "https://docs.example.com/", true],
    ["*.example.com", "https://example.org/", false],
    ["*", "https://anything.example/", true],
    ["example.com", "https://notexample.com/", false],
    ["example.com", "https://example.com.evil.org/", false],
    ["example.com", "https://evil.org/example.com", false],
    ["example.com", "https://example.com@evil.org/", false],
    ["example.com", "https://evil.org#@example.com", false],
    ["docs.example.com", "https://example.com/", false],
    ["example.com", "http://[", true],
    ["example.com", "data:text/plain,x", true],
  ])("domain:%s on %s: %s", (host, url, fits) => {
    expect(judge(`WebFetch(domain:${host})`, "WebFetch", { url }).fits).toBe(fits);
  });

  test("without an address runs the hook", () => {
    expect(judge("WebFetch(domain:example.com)", "WebFetch", {}).fits).toBe(true);
  });

  test("in a pattern for the whole address is matched", () => {
    expect(judge("WebFetch(https://example.com/*)", "WebFetch", { url: "https://example.com/x" }).fits).toBe(true);
    expect(judge("WebFetch(https://example.com/*)", "WebFetch", { url: "https://example.org/x" }).fits).toBe(false);
  });
});

describe("an agent, a parameter, another text", () => {
  test.each([
    ["Agent(Explore)", "Agent", { subagent_type: "Explore" }, true],
    ["Agent(Explore)", "Task", { subagent_type: "Explore" }, true],
    ["Agent(Explore)", "Agent", { subagent_type: "Explorer" }, false],
    ["Agent(Ex*)", "Agent", { subagent_type: "Explorer" }, true],
    ["Agent(Explore)", "Agent", { prompt: "x" }, true],
    ["Agent(model:opus)", "Agent", { subagent_type: "Explore", model: "opus" }, true],
    ["Agent(model:opus)", "Agent", { subagent_type: "Explore", model: "haiku" }, false],
    ["Bash(run_in_background:true)", "Bash", { command: "ls", run_in_background: true }, true],
    ["Bash(run_in_background:true)", "Bash", { command: "ls", run_in_background: false }, false],
    ["Bash(run_in_background:true)", "Bash", { command: "ls" }, false],
    ["mcp__db__query(table:users)", "mcp__db__query", { table: "users" }, true],
    ["mcp__db__query(table:users)", "mcp__db__query", { table: "posts", x: "users" }, false],
    ["mcp__db__query(table:us*)", "mcp__db__query", { table: "users" }, true],
    ["mcp__db__query(table:users)", "mcp__db__query", {}, false],
    ["mcp__db__query(table:users)", "mcp__db__query", { table: ["users"] }, true],
    ["mcp__db__query(limit:1*)", "mcp__db__query", { limit: 100 }, true],
    ["Skill(deploy *)", "Skill", { skill: "deploy" }, true],
    ["Skill(deploy)", "Skill", { skill: "review" }, false],
    ["WebSearch(*secret*)", "WebSearch", { query: "a secret b" }, true],
    ["WebSearch(*secret*)", "WebSearch", { query: "weather" }, false],
    ["Unheard(x*)", "Unheard", { text: "xyz" }, true],
    ["Unheard(x*)", "Unheard", { text: "abc" }, false],
    ["Unheard(x*)", "Unheard", { a: "abc", b: "def" }, true],
    ["Unheard(x*)", "Unheard", {}, true],
    ["*(rm *)", "Bash", { command: "rm x" }, true],
    ["*(rm *)", "Bash", { command: "ls" }, false],
  ])("%s on %s with %j: %s", (condition, tool, input, fits) => {
    expect(judge(condition, tool, input).fits).toBe(fits);
  });
});

describe("a text that is not a condition", () => {
  test.each([
    ["", "is empty"],
    ["   ", "is empty"],
    ["(rm *)", "does not start with the name of a tool"],
    ["!Bash(rm *)", "does not start with the name of a tool"],
    ["Bash(rm *", 'does not end with ")"'],
    ["Bash rm *", "does not start with the name of a tool"],
    ["Bash()", "has an empty specifier"],
    ["Bash(rm *) || Bash(ls)", "is more than one rule"],
    ["Bash(rm *),Edit(x)", "is more than one rule"],
    ["Bash(rm *) and x", 'does not end with ")"'],
    ["Edit(!src/**)", "is a negated path pattern"],
    ["Edit(src/[a)", "a [ is not closed"],
    ["Edit(src/!(a|b))", "it has a negation"],
    [`Edit(${"{a,b}".repeat(65)})`, "more than 64"],
    [`Edit(${"a".repeat(600)})`, "the limit is 500"],
    [`Bash(${"a".repeat(1_000)})`, "the limit is 1000"],
    ["WebFetch(domain:)", "is not the name of a host"],
    ["WebFetch(domain:a b)", "is not the name of a host"],
    ["WebFetch(domain:https://example.com)", "is not the name of a host"],
  ])("is refused: %s", (text, message) => {
    const compiled = compileCondition(text);
    expect(compiled.ok ? "taken" : compiled.message).toContain(message);
  });

  test("parentheses are allowed in pairs, or after a backslash", () => {
    expect(judge("Bash(echo (a) *)", "Bash", { command: "echo '(a)' b" }).fits).toBe(true);
    expect(judge("Bash(echo \\)*)", "Bash", { command: "echo ')'" }).fits).toBe(true);
    expect(judge("Bash(echo \\)*)", "Bash", { command: "echo a" }).fits).toBe(false);
  });
});
