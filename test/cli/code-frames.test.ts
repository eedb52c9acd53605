import { expect, test } from "vitest";
import { project } from "../e2e/cli.ts";
import { inProcess } from "../e2e/in-process.ts";

/** `check` shows the line of each problem, with a caret below its column. */

test("a problem is shown with file, line, column, the line and a caret", async () => {
  const place = project();
  const text = `hooks:\n  PreToolUse:\n    - matcher: *\n      hooks: []\n`;
  place.write("hookbox.yaml", text);
  const { exitCode, stdout } = await inProcess(["check", "hookbox.yaml"], { cwd: place.folder });
  expect(exitCode).toBe(1);
  expect(stdout.split("\n").slice(0, 4)).toEqual([
    "  hookbox.yaml:3:16  error  Alias cannot be an empty string  HOOK_CONFIG_SYNTAX",
    "         3 |     - matcher: *",
    "           |                ^",
    '      "*" has a special meaning in YAML. Write the value in quotes: "*"',
  ]);
});

test("of a long line only the part around the column is shown, with the caret below the value", async () => {
  const place = project();
  const hook = { type: "command", command: "true", onFailure: "dny" };
  const filler = Array.from({ length: 40 }, () => ({ hooks: [{ type: "command", command: "true" }] }));
  const config = { hooks: { PreToolUse: [...filler, { hooks: [hook] }, ...filler] } };
  const file = place.write("hookbox.json", JSON.stringify(config));
  const { stdout } = await inProcess(["check", file]);
  const [, line = "", caret = ""] = stdout.slice(stdout.indexOf("error")).split("\n");
  expect(line.length).toBeLessThan(150);
  expect(line).toMatch(/\| ….*…$/);
  expect(line.slice(caret.indexOf("^"))).toMatch(/^"dny"/);
});

test("a file whose lines contain terminal sequences shows none of them", async () => {
  const place = project();
  const file = place.write("hookbox.json", '{ "hoks": "\u001b[31mred\u0007" }\n');
  const { stdout } = await inProcess(["check", file]);
  expect(stdout).toContain('1 | { "hoks": "');
  expect(stdout).not.toMatch(/[\u001b\u0007]/);
});

test.each([
  ["a password in a URL", { type: "http", url: "http://me:secret@localhost:1/hook" }, "secret"],
  [
    "a header's token",
    { type: "http", url: "nowhere", headers: { Authorization: "Bearer abcdefghijklmnop1234" } },
    "mnop1234",
  ],
  [
    "a variable's key",
    { type: "command", command: "API_KEY=hG7dk29slQmz83ncPq0x ./x", onFailure: "dny" },
    "0123456789",
  ],
])("%s is not in the shown line, and the caret is still below the column", async (_, hook, secret) => {
  const { stdout } = await inProcess(["check", project().configure("PreToolUse", hook)]);
  expect(stdout).toContain("error");
  expect(stdout).not.toContain(secret);
  const [, line = "", caret = ""] = stdout.slice(stdout.indexOf("  error  ")).split("\n");
  expect(line.slice(caret.indexOf("^"))).toMatch(/^["{]/);
});
