import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  eventVariables,
  MAX_INPUT_FIELDS,
  MAX_VARIABLE_BYTES,
  MAX_VARIABLES_BYTES,
} from "../../src/dialects/event-variables.ts";
import type { JsonObject } from "../../src/json.ts";
import fc from "../helpers/fc.ts";

function variablesOf(input: JsonObject, payload: JsonObject = {}): Readonly<Record<string, string>> {
  return eventVariables({
    name: "PreToolUse",
    dialect: "patterns",
    payload: { hook_event_name: "PreToolUse", tool_name: "Write", tool_input: input, ...payload },
  });
}

/** Values that would run a command if they were evaluated as code. Each would create a file named `pwned`. */
const HOSTILE = [
  "$(touch pwned)",
  "`touch pwned`",
  "a; touch pwned",
  "a\ntouch pwned\n",
  '"; touch pwned; "',
  "'; touch pwned; '",
  "a && touch pwned",
  "| touch pwned",
  "-rf",
  "--file=x",
  "*",
  "~root",
  "${IFS}x",
  "a\\",
  "",
  " ",
  "\r\n\t",
  "ünï\u{1f600}",
  "%s%n",
  "() { :; }; touch pwned",
];

describe("the variables of an event", () => {
  test("name event, tool and the tool's input", () => {
    const input = { file_path: "/srv/a b.ts", content: "x", limit: 7, edits: [{ a: 1 }] };
    expect(variablesOf(input, { session_id: "s", cwd: "/srv", tool_use_id: "t1" })).toEqual({
      HOOK_EVENT: "PreToolUse",
      hook_event_name: "PreToolUse",
      HOOK_SESSION_ID: "s",
      session_id: "s",
      HOOK_WORKSPACE: "/srv",
      cwd: "/srv",
      HOOK_TOOL: "Write",
      tool_name: "Write",
      HOOK_TOOL_CALL_ID: "t1",
      tool_input_path: "/srv/a b.ts",
      HOOK_PATH: "/srv/a b.ts",
      tool_input_file_path: "/srv/a b.ts",
      tool_input_content: "x",
      tool_input_limit: "7",
      tool_input_edits: '[{"a":1}]',
      HOOK_ARGS: JSON.stringify(input),
      tool_input: JSON.stringify(input),
    });
  });

  test.each(["file_path", "notebook_path", "path"])("have the path of a tool that calls it %s", (name) => {
    expect(variablesOf({ [name]: "/x" })).toMatchObject({ tool_input_path: "/x", HOOK_PATH: "/x" });
  });

  test("have no path, and say so, if the input names two, because the tool may use either", () => {
    const variables = variablesOf({ file_path: "/etc/passwd", path: "/harmless" });
    expect(variables).not.toHaveProperty("tool_input_path");
    expect(variables).toMatchObject({ HOOK_OMITTED: "tool_input_path HOOK_PATH" });
  });

  test("have fixed names only, because the model chooses a field's name", () => {
    const names = ["PATH", "LD_PRELOAD", "a=b", "a b", "", "ü", "a\0", "x".repeat(65), "__proto__", "BASH_FUNC_x%%"];
    const input = Object.fromEntries(names.map((name) => [name, "evil"]));
    const added = Object.keys(variablesOf(input)).filter((name) => name.startsWith("tool_input_"));
    expect(added.sort()).toEqual(["tool_input_LD_PRELOAD", "tool_input_PATH", "tool_input___proto__"]);
    expect(variablesOf(input)).not.toHaveProperty("PATH");
  });

  test("are left out and reported if they contain a NUL", () => {
    expect(variablesOf({ command: "rm\0 -rf /", path: "/ok" })).toMatchObject({
      HOOK_OMITTED: "tool_input_command",
      tool_input_path: "/ok",
      tool_input: expect.stringContaining("\\u0000"),
    });
  });

  test("are cut after a whole character, and reported", () => {
    for (const [character, bytes] of [
      ["x", 1],
      ["ü", 2],
      ["€", 3],
      ["\u{1f600}", 4],
    ] as const) {
      for (const shift of ["", "a", "ab", "abc"]) {
        const whole = shift + character.repeat(MAX_VARIABLE_BYTES + 1);
        const { tool_input_content: cut = "", HOOK_CUT } = variablesOf({ content: whole });
        expect(whole.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(MAX_VARIABLE_BYTES);
        expect(Buffer.byteLength(cut)).toBeGreaterThan(MAX_VARIABLE_BYTES - bytes);
        expect(HOOK_CUT?.split(" ")).toContain("tool_input_content");
      }
    }
  });

  test("of exactly the limit are whole", () => {
    const content = "x".repeat(MAX_VARIABLE_BYTES);
    expect(variablesOf({ content })).toMatchObject({ tool_input_content: content });
    expect(variablesOf({ content })["HOOK_CUT"]).toBe("HOOK_ARGS tool_input");
  });

  test("that scripts judge exist, however much the model puts before them", () => {
    const noise = Array.from({ length: 100 }, (_, index): [string, string] => [`a${index}`, "x".repeat(50_000)]);
    const variables = variablesOf({ ...Object.fromEntries(noise), command: "rm -rf /", file_path: "/x" });
    expect(variables).toMatchObject({
      tool_input_command: "rm -rf /",
      tool_input_file_path: "/x",
      tool_input_path: "/x",
    });
    expect(variables["HOOK_OMITTED"]?.split(" ")).toEqual(expect.arrayContaining(["tool_input_a99", "HOOK_ARGS"]));
  });

  test("stay within one limit together, for any event", () => {
    const value = fc.oneof(fc.string(), fc.constant("ü".repeat(20_000)), fc.jsonValue());
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), value, { maxKeys: 200 }), (input) => {
        const variables = Object.entries(variablesOf(input as JsonObject));
        const bytes = variables.reduce((sum, [name, text]) => sum + Buffer.byteLength(name + text) + 2, 0);
        expect(bytes).toBeLessThanOrEqual(MAX_VARIABLES_BYTES + 2 * (MAX_VARIABLE_BYTES + 20));
        expect(variables.filter(([, text]) => text.includes("\0"))).toEqual([]);
      }),
      { numRuns: 50 },
    );
    const many = Object.fromEntries(Array.from({ length: MAX_INPUT_FIELDS + 1 }, (_, index) => [`f${index}`, "x"]));
    expect(variablesOf(many)["HOOK_OMITTED"]).toBe(`tool_input_f${MAX_INPUT_FIELDS}`);
  });
});

test("a script that uses them gets every hostile value as one plain text", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, "check.sh");
  writeFileSync(script, 'printf "%s" "$tool_input_path"; printf "\\n--\\n%s" "$tool_input_command"\n');
  for (const value of HOSTILE) {
    const env = { PATH: process.env["PATH"], ...variablesOf({ path: value, command: value }) };
    const printed = execFileSync("/bin/sh", ["-c", `sh ${script}`], { cwd: folder, env, encoding: "utf8" });
    expect(printed).toBe(`${value}\n--\n${value}`);
  }
  expect(readdirSync(folder)).toEqual(["check.sh"]);
});
