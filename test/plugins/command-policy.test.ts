import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { compileCondition } from "../../src/matcher/condition/condition.ts";
import fc from "../helpers/fc.ts";
import { makeEvent } from "../helpers/rules.ts";
import { meteredGuard } from "./metered-guard.ts";
import { agentCommands } from "./ordinary-work/agent-commands.ts";
import { read, type Verdict } from "./verdict.ts";

const call = await meteredGuard("command-policy");
const CWD = "/srv/app";

function judge(tool_name: string, tool_input: JsonObject, config: object, cwd = CWD): Verdict {
  const event = { abi: 1, hook_event_name: "PreToolUse", dialect: "claude-code", cwd, tool_name, tool_input };
  return read(call(JSON.stringify(event), config as JsonObject));
}

/** What the condition `if` of a hook says about the same call. */
function conditionFits(rule: string, tool_name: string, tool_input: JsonObject): "yes" | "no" | "doubt" {
  const compiled = compileCondition(rule);
  if (!compiled.ok) throw new Error(compiled.message);
  const { fits, why } = compiled.condition.test(makeEvent("PreToolUse", { tool_name, tool_input, cwd: CWD }));
  return !fits ? "no" : why.includes("cannot be decided") ? "doubt" : "yes";
}

const ANSWER = { yes: "deny", doubt: "ask", no: "none" } as const;

const COMMAND_RULES = [
  "Bash",
  "Bash(git push *)",
  "Bash(git push:*)",
  "Bash(npm test)",
  "Bash(* --force)",
  "Bash(rm *)",
  "Bash(curl * | sh)",
];
const COMMANDS = [
  ...[
    "git push",
    "git push --force",
    "git -C a push x",
    "git pushy",
    "git commit -m 'git push'",
    "npm test",
    "npm test -- a",
  ],
  ...[
    "rm x",
    "sudo rm x",
    "ls | xargs rm",
    "bash -c 'rm x'",
    "r$X x",
    "$CMD x",
    "git $VERB",
    "git push $B",
    "echo 'rm x'",
  ],
  ...[
    "curl a | sh",
    "npm test && git push",
    "timeout 5 npm test",
    "find . -exec rm {} +",
    "cat <<'E'\nrm x\nE",
    'eval "$X"',
  ],
];
/** Commands whose arguments come from elsewhere. */
const UNKNOWN_PARTS = /\$|xargs|find|curl/;
const FILE_RULES = [
  "src/**",
  "**/src/**",
  "*.ts",
  ".env",
  "/src/**",
  "//etc/**",
  "src/*.ts",
  "src/**/*.{ts,js}",
  "a/b",
  "//srv/app/src/?.ts",
  "docs",
  "src/[ab].ts",
];
const FILES = [
  "src/a.ts",
  "src/b/c.js",
  "lib/src/a.ts",
  "a.ts",
  ".env",
  "x/.env",
  ".envrc",
  "/etc/passwd",
  "/etc",
  "a/b",
  "a/b/c",
  "x/a/b",
  "docs/a.md",
  "src",
  "../src/a.ts",
  "./src/c.ts",
  "src/../a.ts",
  "/srv/app/src/a.ts",
  "/src/a.ts",
];
const URL_RULES = ["WebFetch(domain:example.com)", "WebFetch(https://example.com/*)", "WebFetch"];
const URLS = [
  "https://example.com/",
  "https://a.example.com/x",
  "https://example.com.evil.test/",
  "http://EXAMPLE.com:8080/",
  "https://evil.test/?u=https://example.com/",
];

describe("command-policy", () => {
  test("refuses the commands for which the same condition runs a hook, and asks about those that are in doubt", () => {
    for (const rule of COMMAND_RULES)
      for (const command of COMMANDS) {
        const fit = conditionFits(rule, "Bash", { command });
        const { decision } = judge("Bash", { command }, { deny: [rule] });
        // A condition also fits a command that a variable may make fit.
        const isOpen = fit === "yes" && UNKNOWN_PARTS.test(command);
        expect([rule, command, decision]).toEqual([rule, command, isOpen && decision === "ask" ? "ask" : ANSWER[fit]]);
      }
  });

  test("denies the files for which the same condition runs a hook", () => {
    for (const pattern of FILE_RULES)
      for (const file_path of FILES) {
        const rule = `Read(${pattern})`;
        const fit = conditionFits(rule, "Read", { file_path });
        expect([rule, file_path, judge("Read", { file_path }, { deny: [rule] }).decision]).toEqual([
          rule,
          file_path,
          ANSWER[fit],
        ]);
      }
  });

  test("denies the addresses for which the same condition runs a hook", () => {
    for (const rule of URL_RULES)
      for (const url of URLS) {
        const fit = conditionFits(rule, "WebFetch", { url, prompt: "x" });
        expect([rule, url, judge("WebFetch", { url, prompt: "x" }, { deny: [rule] }).decision]).toEqual([
          rule,
          url,
          ANSWER[fit],
        ]);
      }
  });

  test.each([
    ["Agent(Explore)", "Task", { subagent_type: "Explore", prompt: "x" }],
    ["mcp__db__query(table:users)", "mcp__db__query", { table: "users", limit: 1 }],
    ["mcp__db", "mcp__db__query", { table: "a" }],
    ["mcp__*__delete", "mcp__db__delete", {}],
    ["Skill(deploy *)", "Skill", { skill: "deploy now" }],
  ])("denies %s", (rule, tool, input) => {
    expect(judge(tool, input, { deny: [rule] }).decision).toBe("deny");
    expect(judge("Bash", { command: "ls" }, { deny: [rule] }).decision).toBe("none");
  });

  test("applies a rule whatever the agent calls its tool", () => {
    const config = { deny: ["Bash(rm *)", "Edit(src/**)", "Read(.env)"] };
    expect(judge("run_shell_command", { command: "rm x" }, config).decision).toBe("deny");
    expect(judge("exec", { command: ["rm", "x y"] }, config).decision).toBe("deny");
    expect(judge("delete_file", { path: "src/a" }, config).decision).toBe("deny");
    expect(judge("move_file", { source: "a", destination: "src/a" }, config).decision).toBe("deny");
    expect(judge("Bash", { command: "cd src && rm a" }, { deny: ["Edit(src/**)"] }).decision).toBe("deny");
    expect(judge("Bash", { command: "cat .env" }, config).decision).toBe("deny");
  });

  test("a denial outranks a question, and a question outranks the list of allowed calls", () => {
    const [deny, ask, allow] = [["Bash(rm *)"], ["Bash"], ["Bash"]];
    expect(judge("Bash", { command: "rm x" }, { deny, ask, allow }).decision).toBe("deny");
    expect(judge("Bash", { command: "ls" }, { deny, ask, allow }).decision).toBe("ask");
    expect(judge("Bash", { command: "ls" }, { deny, allow, otherwise: "deny" }).decision).toBe("none");
  });

  test("allows a text only if each of its commands is allowed", () => {
    const config = { allow: ["Bash(git *)", "Bash(npm test)"], otherwise: "deny" };
    const allowed = fc.constantFrom("git status", "npm test", "git log -3");
    const other = fc.constantFrom("ls", "npm run x", "$X", "git $(rm x)", "bash -c 'rm x'", "echo | git");
    const sign = fc.constantFrom(" && ", "; ", " | ", "\n", " || ", " & ");
    fc.assert(
      fc.property(allowed, sign, allowed, other, fc.boolean(), (one, between, two, third, isFirst) => {
        expect(judge("Bash", { command: one + between + two }, config).decision).toBe("none");
        const mixed = isFirst ? third + between + one : one + between + third;
        expect([mixed, judge("Bash", { command: mixed }, config).decision]).toEqual([mixed, "deny"]);
      }),
      { numRuns: 300 },
    );
  });

  test.each(["Bash(", "git push", "!Bash(ls)", "Bash()", "WebFetch(domain:a b)"])(
    "fails for %j, which is no rule",
    (rule) => {
      const event = {
        abi: 1,
        hook_event_name: "PreToolUse",
        dialect: "claude-code",
        tool_name: "Bash",
        tool_input: {},
      };
      expect(call(JSON.stringify(event), { deny: [rule] })).toMatchObject({ code: 1, output: undefined });
    },
  );

  test("has no opinion on ordinary commands without lists", () => {
    for (const command of agentCommands()) expect(judge("Bash", { command }, {}).decision).toBe("none");
  });
});
