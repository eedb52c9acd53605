import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/json.ts";
import { makeFolder } from "../../helpers/folders.ts";
import { callTool, placeIn } from "./agent-kit.ts";

const FILES = {
  "README.md": "# Title\n\nSome text about apples.\n",
  "src/one.ts": "export const one = 1;\n// apples\n",
  "src/deep/two.ts": "export const two = 2;\nexport const apples = one + two;\n",
  "src/deep/three.js": "no apples here",
  ".git/config": "[core]\n\tapples = 1\n",
  "node_modules/pkg/index.js": "apples()",
  "empty.txt": "",
  "picture.png": Buffer.from([0x89, 0x50, 0, 1, 2]),
  "odd\nname.txt": "apples in an odd place",
};

const run = async (name: string, input: JsonValue, files: Parameters<typeof makeFolder>[0] = FILES) =>
  callTool(await placeIn(makeFolder(files)), name, input);

describe("read", () => {
  test("shows a file with numbered lines, by either kind of path", async () => {
    const place = await placeIn(makeFolder(FILES));
    const shown = { text: "1: export const one = 1;\n2: // apples", isError: false };
    expect(await callTool(place, "read", { path: "src/one.ts" })).toEqual(shown);
    expect(await callTool(place, "read", { path: join(place.folder.root, "src/one.ts") })).toEqual(shown);
    expect(await callTool(place, "read", { path: "./src/deep/../one.ts" })).toEqual(shown);
  });

  test("shows the requested lines, and says that there are others", async () => {
    const text = Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join("\n");
    const { text: shown } = await run("read", { path: "a", first_line: 3, last_line: 4 }, { a: text });
    expect(shown).toBe("3: line 3\n4: line 4\n[lines 3 to 4 of 10]");
    expect(await run("read", { path: "a", first_line: 11 }, { a: text })).toEqual({
      text: "the file has 10 lines",
      isError: true,
    });
  });

  test("follows a link that stays inside", async () => {
    const place = await placeIn(makeFolder(FILES));
    symlinkSync("src/one.ts", join(place.folder.root, "link"));
    symlinkSync(join(place.folder.root, "src"), join(place.folder.root, "sources"));
    expect((await callTool(place, "read", { path: "link" })).text).toContain("export const one");
    expect((await callTool(place, "read", { path: "sources/deep/two.ts" })).text).toContain("export const two");
  });

  test.each([
    ["src", "this is a folder, not a file"],
    ["picture.png", "this is not a text file"],
    ["nothing", "there is no such file or folder in the working directory, or it cannot be read"],
  ])("says why %s cannot be shown", async (path, text) => {
    expect(await run("read", { path })).toEqual({ text, isError: true });
  });

  test("shows an empty file as empty, and Git's files if they are named", async () => {
    expect(await run("read", { path: "empty.txt" })).toEqual({ text: "[the file is empty]", isError: false });
    expect((await run("read", { path: ".git/config" })).text).toContain("[core]");
  });

  test("removes invisible characters, and cuts long text", async () => {
    const { text } = await run("read", { path: "a" }, { a: "a\u202eb\u200bc\u001b[31m\r\nd" });
    expect(text).toBe("1: abc[31m\n2: d");
    const long = await run("read", { path: "a" }, { a: `${"x".repeat(5_000)}\nend` });
    expect(long.text).toMatch(/^1: x{2000}… \[3000 more characters\]\n2: end$/);
  });

  test("reads the beginning of a huge file, and says so", async () => {
    const place = await placeIn(makeFolder({ huge: Buffer.alloc(3_000_000, "0123456\n") }));
    const { text } = await callTool(place, "read", { path: "huge", first_line: 65_536 });
    expect(text).toBe("65536: 0123456\n[of the file only the first 524288 bytes are looked at]");
    const whole = await callTool(place, "read", { path: "huge" });
    expect(whole.text).toContain("[lines 1 to 2000 of 65536]");
    const wide = await callTool(await placeIn(makeFolder({ a: `${"y".repeat(1_900)}\n`.repeat(200) })), "read", {
      path: "a",
    });
    expect(wide.text.length).toBeLessThanOrEqual(40_000);
    expect(wide.text).toMatch(/\[lines 1 to \d+ of 200\]$/);
  });
});

describe("grep", () => {
  test("finds lines with their places, leaving out Git's files and dependencies", async () => {
    const { text } = await run("grep", { pattern: "apples" });
    expect(text.split("\n").sort()).toEqual([
      '"odd\\nname.txt":1: apples in an odd place',
      "README.md:3: Some text about apples.",
      "src/deep/three.js:1: no apples here",
      "src/deep/two.ts:2: export const apples = one + two;",
      "src/one.ts:2: // apples",
    ]);
  });

  test("searches below a path, in one file, and in matching files", async () => {
    expect((await run("grep", { pattern: "apples", path: "src/deep" })).text.split("\n")).toHaveLength(2);
    expect((await run("grep", { pattern: "APPLES|(?i)Title", path: "README.md" })).text).toBe("README.md:1: # Title");
    expect((await run("grep", { pattern: "apples", glob: "*.ts" })).text.split("\n")).toHaveLength(2);
    expect((await run("grep", { pattern: "apples", glob: "src/*.ts" })).text).toBe("src/one.ts:2: // apples");
    expect((await run("grep", { pattern: "apples", path: ".git" })).text).toBe(".git/config:2: apples = 1");
    expect((await run("grep", { pattern: "apples", path: "node_modules" })).text).toContain("apples()");
    expect(await run("grep", { pattern: "pears" })).toEqual({ text: "[nothing found]", isError: false });
  });

  test("shows the part of a long line around the match, and at most a hundred lines", async () => {
    const long = await run("grep", { pattern: "needle" }, { a: `${"x".repeat(5_000)}needle${"y".repeat(500)}` });
    expect(long.text).toMatch(/^a:1: x{80}needley{214} \[a part of the line\]$/);
    const files = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`f${at}`, "hit\n".repeat(40)]));
    const { text } = await run("grep", { pattern: "hit" }, files);
    expect(text.split("\n").filter((line) => line.endsWith(": hit"))).toHaveLength(100);
    expect(text).toContain("[of a file at most 30 matches are shown]\n[stopped after 100 matches]");
  });

  test.each([
    ["(a", /^the pattern is no regular expression in RE2's syntax/],
    ["(?=x)", /^the pattern is no regular expression/],
    ["(a)\\1", /^the pattern is no regular expression/],
    ["a".repeat(1_001), /1001 characters long; the limit is 1000/],
    ["(a?){900}b{900}", /instructions; the limit is 500/],
    ["((a{1000}){1000}){1000}", /^the pattern is no regular expression/],
    ["(".repeat(500) + ")".repeat(500), /./],
  ])("accepts no pattern that it cannot run in time: %s", async (pattern, message) => {
    const { text, isError } = await run("grep", { pattern });
    expect(text).toMatch(message);
    if (!pattern.startsWith("((((")) expect(isError).toBe(true);
  });

  test("does not block the thread while it searches a text full of secrets", async () => {
    const lines = Array.from({ length: 350 }, (_, at) => `glpat-abcdefghij0123456${at} ${"word ".repeat(140)}`);
    const place = await placeIn(makeFolder({ a: lines.join("\n") }), { redacts: true });
    const calls = { read: { path: "a" }, grep: { pattern: "word" } };
    for (const [name, input] of Object.entries(calls)) {
      let ticks = 0;
      const timer = setInterval(() => ticks++, 1);
      const { text } = await callTool(place, name, input);
      clearInterval(timer);
      expect(text).not.toContain("glpat");
      expect(text).toContain("1: [redacted] word");
      expect(ticks).toBeGreaterThan(3);
    }
  });

  test("does not block the thread while it searches with the most expensive accepted pattern", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    // On a fast machine one file takes only one or two turns of the event loop.
    const long = `${"a".repeat(9_000)}\n`.repeat(50);
    const place = await placeIn(makeFolder(Object.fromEntries(names.map((name) => [name, long]))));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await callTool(place, "grep", { pattern: `${"(a?)".repeat(40)}b` });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
  });
});

describe("glob", () => {
  test.each([
    ["**/*.ts", "src/one.ts\nsrc/deep/two.ts"],
    ["*.ts", "src/one.ts\nsrc/deep/two.ts"],
    ["src/*", "src/deep/\nsrc/one.ts"],
    ["src/deep/*.{ts,js}", "src/deep/three.js\nsrc/deep/two.ts"],
    ["./README.md", "README.md"],
    ["src", "src/"],
    ["node_modules/**", "node_modules/pkg/\nnode_modules/pkg/index.js"],
    ["*.py", "[nothing fits]"],
    ["odd*", '"odd\\nname.txt"'],
  ])("lists what matches %s", async (pattern, text) => {
    expect(await run("glob", { pattern })).toEqual({ text, isError: false });
  });

  test("accepts an absolute pattern inside the folder", async () => {
    const place = await placeIn(makeFolder(FILES));
    const pattern = `${place.folder.root}/src/*.ts`;
    expect((await callTool(place, "glob", { pattern })).text).toBe("src/one.ts");
  });

  test.each([
    ["../*", /\.\. in it/],
    ["src/../../*", /\.\. in it/],
    ["/etc/*", /out of the working directory/],
    ["a\0b", /NUL/],
    ["[a", /not closed/],
    ["!(a|b)", /it has a negation/],
    ["x".repeat(501), /the limit is 500/],
    ["{a,b}".repeat(65), /more than 64/],
    ["nowhere/*.ts", /no such file or folder/],
  ])("refuses %j", async (pattern, message) => {
    const { text, isError } = await run("glob", { pattern });
    expect(isError).toBe(true);
    expect(text).toMatch(message);
  });
});

describe("any tool", () => {
  test.each<[string, JsonValue, RegExp]>([
    ["read", {}, /"path" has to be a text/],
    ["read", { path: "" }, /"path" has to be a text/],
    ["read", { path: ["README.md"] }, /"path" has to be a text/],
    ["read", { path: "README.md", first_line: 0 }, /"first_line" has to be a whole number/],
    ["read", { path: "README.md", first_line: 1.5 }, /"first_line" has to be a whole number/],
    ["read", { path: "README.md", last_line: "2" }, /"last_line" has to be a whole number/],
    ["read", { path: "README.md", first_line: 3, last_line: 2 }, /before line 3/],
    ["read", { path: "README.md", mode: "w" }, /"mode" that this tool does not take/],
    ["read", "README.md", /not an object/],
    ["read", null, /not an object/],
    ["read", [], /not an object/],
    ["grep", { pattern: 1 }, /"pattern" has to be a text/],
    ["grep", { pattern: "a", path: null }, /"path" has to be a text/],
    ["grep", JSON.parse('{"pattern":"a","__proto__":{"path":"/etc"}}'), /"__proto__" that this tool/],
    ["glob", { pattern: "" }, /"pattern" has to be a text/],
    ["glob", { path: "src" }, /"path" that this tool does not take/],
    ["Bash", { command: "touch made" }, /there is no tool "Bash"; there are read, grep, glob, answer/],
    ["Write", { path: "made", content: "x" }, /there is no tool "Write"/],
    ["toString", {}, /there is no tool "toString"/],
    ["__proto__", {}, /there is no tool "__proto__"/],
    ["Read", { path: "README.md" }, /there is no tool "Read"/],
    ["read\u001b[31m\n", {}, /there is no tool "read\[31m"/],
  ])("gives an error for input that it does not accept: %s %j", async (name, input, message) => {
    const { text, isError } = await run(name, input);
    expect(isError).toBe(true);
    expect(text).toMatch(message);
  });
});

test("numbered lines are shown, although with their numbers they resemble thousands of settings", async () => {
  const file = Array.from({ length: 3_000 }, (_, at) => `"a${at}": ${at},`).join("\n");
  const place = await placeIn(makeFolder({ "file.json": file }), { redacts: true });
  expect((await callTool(place, "read", { path: "file.json" })).text).toContain('2: "a1": 1,');
});
