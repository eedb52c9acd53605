import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { brokenIn, folderWith, lineAndColumn, open, problemIn, whereIs } from "./config-files.ts";

const FILE = "hookbox.yaml";

describe("a YAML file", () => {
  test.each(["hookbox.yaml", "hookbox.yml", "HOOKBOX.YAML"])("is recognised by its name: %s", async (file) => {
    const text = "hooks:\n  Stop: # none yet\n    - matcher: Bash\n      hooks: []\n";
    expect((await open(text, file)).value).toEqual({ hooks: { Stop: [{ matcher: "Bash", hooks: [] }] } });
  });

  test("keeps words that are not true or false in YAML 1.2", async () => {
    expect((await open("a: yes\nb: off\nc: 0o7\nd: 2001-01-01\n", FILE)).value).toEqual({
      a: "yes",
      b: "off",
      c: 7,
      d: "2001-01-01",
    });
  });

  test("keeps a key named __proto__ as a key", async () => {
    const { value } = await open("__proto__: {polluted: true}\n", FILE);
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect("polluted" in {}).toBe(false);
  });

  test("may share a part through an alias", async () => {
    const { value } = await open("a: &all {matcher: Bash}\nb: *all\n", FILE);
    expect(value).toEqual({ a: { matcher: "Bash" }, b: { matcher: "Bash" } });
  });

  test("may begin with a byte order mark, which does not count as a column", async () => {
    const { locate } = await open("\ufeffa: 1\n", FILE);
    expect(locate(["a"], "key")).toMatchObject({ line: 1, column: 1 });
  });
});

describe("a YAML file that is not well-formed is refused at the exact place:", () => {
  test.each([
    ["a list that does not end", "a: 1\nb: [1, 2\nc: 3\n", "c: 3"],
    ["a mapping on a mapping's line", "a: b: c\n", "b:"],
    ["a tab as indentation", "a:\n\t- b\n", "\t"],
    ["a second document", "a: 1\n---\nb: 2\n", "---"],
  ])("%s", async (_, text, needle) => {
    const problem = await problemIn(text, FILE);
    expect(problem).toMatchObject({ severity: "error", code: "HOOK_CONFIG_SYNTAX" });
    expect(problem.place).toMatchObject({ file: FILE, line: whereIs(needle, text).line });
  });

  test("with the column", async () => {
    const text = "a:\n  b: c: d\n";
    expect((await problemIn(text, FILE)).place).toEqual({ file: FILE, ...whereIs("c:", text) });
  });

  test("an undefined alias, at the place of the alias", async () => {
    const text = "a:\n  b: *none\n";
    const problem = await problemIn(text, FILE);
    expect(problem.message).toContain("none");
    expect(problem.place).toEqual({ file: FILE, ...whereIs("*none", text) });
  });

  test("a second document, with a message for the file's author", async () => {
    const { message } = await problemIn("a: 1\n---\nb: 2\n", FILE);
    expect(message).toMatch(/document/);
    expect(message).not.toContain("parseAllDocuments");
  });
});

describe("a key that occurs twice in one mapping of a YAML file", () => {
  const text = "hooks:\n  Stop: []\n  Setup: []\n  Stop : []\n";

  test("is refused at its second place", async () => {
    const problem = await problemIn(text, FILE);
    expect(problem).toMatchObject({ severity: "error", code: "HOOK_CONFIG_DUPLICATE_KEY", hint: expect.any(String) });
    expect(problem.place).toEqual({ file: FILE, ...whereIs("Stop :", text) });
  });

  test("is named", async () => {
    expect((await problemIn(text, FILE)).message).toContain('"Stop"');
  });

  test.each([["1: a\n'1': b\n"], ["true: a\n'true': b\n"]])("is found in another spelling: %j", async (twice) => {
    expect((await problemIn(twice, FILE)).code).toBe("HOOK_CONFIG_DUPLICATE_KEY");
  });
});

describe("a key of a YAML file", () => {
  test.each(["? [a, b]\n: 1\n", "{? {a: 1}: 2}\n"])("must be text: %j", async (text) => {
    expect((await problemIn(text, FILE)).code).toBe("HOOK_CONFIG_SYNTAX");
  });
});

describe("a hostile YAML file", () => {
  test("cannot multiply its size by aliases", async () => {
    let bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (let level = 1; level < 12; level++)
      bomb += `a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ")}]\n`;
    expect(await problemIn(bomb, FILE)).toMatchObject({
      code: "HOOK_CONFIG_LIMIT",
      message: expect.stringContaining("values"),
    });
  });

  test("cannot contain itself", async () => {
    const problem = await problemIn("a: &a\n  b: *a\n", FILE);
    expect(problem).toMatchObject({ code: "HOOK_CONFIG_SYNTAX" });
  });

  test.each([
    ["an ordered map", "hooks: !!omap\n- PreToolUse: [{hooks: [{type: command, command: a}]}]\n"],
    ["a set", "hooks: !!set {PreToolUse}\n"],
    ["a date", "%YAML 1.1\n---\nhooks: 2001-01-01\n"],
  ])("cannot make its rules disappear by making them %s", async (_, text) => {
    const { rules, problems } = await loadConfig([{ file: FILE }], [], folderWith({ [FILE]: text }));
    expect(problems).toMatchObject([{ severity: "error" }]);
    expect(brokenIn(rules)).toMatchObject([{ event: "*" }]);
  });

  test("that is deep is read up to the same limit as JSON", async () => {
    await expect(open(`${"[".repeat(64)}${"]".repeat(64)}`, FILE)).resolves.toBeDefined();
  });

  test.each([
    ["many values", `[${"a,".repeat(700_000)}]`],
    ["aliases of one large value", `a: &a [${"1,".repeat(5_000)}1]\nb: [${Array(60).fill("*a").join(",")}]`],
  ])("that has %s is refused", async (_, text) => {
    expect(await problemIn(text, FILE)).toMatchObject({
      code: "HOOK_CONFIG_LIMIT",
      message: expect.stringContaining("values"),
    });
  });

  test("that is deeper than the limit is refused", async () => {
    expect(await problemIn(`${"[".repeat(65)}${"]".repeat(65)}`, FILE)).toMatchObject({ code: "HOOK_CONFIG_LIMIT" });
  });

  test("cannot end the process by its depth", () => {
    const script = join(import.meta.dirname, "read-deep-yaml.ts");
    const child = spawnSync(process.execPath, ["--import", "tsx", script], { encoding: "utf8", timeout: 25_000 });
    expect({ status: child.status, signal: child.signal }).toEqual({ status: 0, signal: null });
    expect(new Set(child.stdout.trim().split("\n"))).toEqual(new Set(["HOOK_CONFIG_LIMIT"]));
  });
});

describe("a place in a YAML file", () => {
  const text = "# rules\nhooks:\n  Stop:\n    - matcher: Bash\n      hooks:\n        - {type: command}\n        - 7\n";

  test("is that of the value, or of its key", async () => {
    const { locate } = await open(text, FILE);
    const path = ["hooks", "Stop", 0];
    expect(lineAndColumn(locate([...path, "matcher"]))).toEqual(whereIs("Bash", text));
    expect(lineAndColumn(locate([...path, "matcher"], "key"))).toEqual(whereIs("matcher", text));
    expect(lineAndColumn(locate([...path, "hooks"], "key"))).toEqual(whereIs("hooks:\n        -", text));
    expect(lineAndColumn(locate([...path, "hooks", 0, "type"]))).toEqual(whereIs("command", text));
    expect(lineAndColumn(locate([...path, "hooks", 1]))).toEqual(whereIs("7", text));
    expect(locate([...path, "hooks", 1]).pointer).toBe("/hooks/Stop/0/hooks/1");
  });

  test("that does not exist is the nearest parent's, with the requested pointer", async () => {
    const { locate } = await open(text, FILE);
    expect(locate(["hooks", "Stop", 0, "hooks", 1, "x"])).toEqual({
      file: FILE,
      pointer: "/hooks/Stop/0/hooks/1/x",
      ...whereIs("7", text),
    });
  });

  test("behind an alias is the place of the alias", async () => {
    const aliased = "a: &all {b: 1}\nc: *all\n";
    const { locate } = await open(aliased, FILE);
    expect(lineAndColumn(locate(["c", "b"]))).toEqual(whereIs("*all", aliased));
  });

  test("in a file without any value is its start", async () => {
    const { value, locate } = await open("# nothing yet\n", FILE);
    expect(value).toBeNull();
    expect(locate(["hooks"])).toMatchObject({ line: 1, column: 1 });
  });
});

describe("a merge key of a YAML file", () => {
  test.each([
    [
      "adds what the mapping does not say",
      "c: &c {type: command, timeout: 9}\nb: {<<: *c, timeout: 5}\n",
      { type: "command", timeout: 5 },
    ],
    ["counts less than a key before it", "c: &c {timeout: 9}\nb: {timeout: 5, <<: *c}\n", { timeout: 5 }],
    [
      "takes a list, of which the first counts",
      "c: &c {x: 1}\nd: &d {x: 2, y: 3}\nb: {<<: [*c, *d]}\n",
      { x: 1, y: 3 },
    ],
    ["takes a list under an alias", "c: &c [{x: 1}]\nb: {<<: *c}\n", { x: 1 }],
    ["takes a mapping that is written out", "b: {<<: {x: 1}, y: 2}\n", { x: 1, y: 2 }],
    ["takes a mapping that merges another", "c: &c {x: 1}\nd: &d {<<: *c, y: 2}\nb: {<<: *d}\n", { x: 1, y: 2 }],
    ["stands in a block as well", "c: &c\n  x: 1\nb:\n  <<: *c\n  y: 2\n", { x: 1, y: 2 }],
    ["is a key like any other in quotes", 'b: {"<<": {x: 1}}\n', { "<<": { x: 1 } }],
  ])("%s", async (_, text, expected) => {
    expect(((await open(text, FILE)).value as { b: unknown }).b).toEqual(expected);
  });

  test("adds a key named __proto__ as a key", async () => {
    const { value } = await open("c: &c {__proto__: {polluted: true}}\nb: {<<: *c}\n", FILE);
    expect(Object.keys((value as { b: object }).b)).toEqual(["__proto__"]);
    expect("polluted" in {}).toBe(false);
  });

  test("has places where a part is merged", async () => {
    const text = "c: &c\n  env: {A: 1}\nb:\n  <<: [*c, {x: 2}]\n  type: command\n";
    const { locate } = await open(text, FILE);
    expect(locate(["b", "env", "A"])).toEqual({ file: FILE, pointer: "/b/env/A", ...whereIs("*c", text) });
    expect(locate(["b", "env"], "key")).toMatchObject(whereIs("*c", text));
    expect(locate(["b", "x"])).toMatchObject(whereIs("2}", text));
    expect(locate(["b", "type"])).toMatchObject(whereIs("command", text));
    expect(locate(["b", "none"])).toMatchObject({ line: 4, pointer: "/b/none" });
  });

  test.each([["b: {<<: 5}\n"], ["b: {<<: [1]}\n"], ["c: &c [1]\nb: {<<: *c}\n"], ["b: {<<: }\n"]])(
    "that does not merge a mapping is refused at its place: %j",
    async (text) => {
      const problem = await problemIn(text, FILE);
      expect(problem).toMatchObject({ code: "HOOK_CONFIG_SYNTAX", message: expect.stringContaining("<<") });
      expect(problem.place).toEqual({ file: FILE, ...whereIs("<<", text) });
    },
  );

  test("that occurs twice is refused", async () => {
    const text = "c: &c {x: 1}\nb:\n  <<: *c\n  <<: *c\n";
    expect((await problemIn(text, FILE)).code).toBe("HOOK_CONFIG_DUPLICATE_KEY");
  });

  test("may be used by any number of mappings", async () => {
    const text = `c: &c {type: command}\n${Array.from({ length: 500 }, (_, i) => `b${i}: {<<: *c, n: ${i}}`).join("\n")}`;
    expect(Object.keys((await open(text, FILE)).value as object)).toHaveLength(501);
  });

  const chain = (length: number) =>
    `a0: &a0 {x: 1}\n${Array.from({ length }, (_, i) => `a${i + 1}: &a${i + 1} {<<: *a${i}, k${i}: 1}`).join("\n")}`;
  const doubling = (levels: number) =>
    `a0: &a0 {x: 1}\n${Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} {p${i}: {<<: *a${i}}, q${i}: {<<: *a${i}}}`).join("\n")}`;

  test.each([
    ["in a long chain", chain(1_000)],
    ["again and again", doubling(60)],
    [
      "of one large mapping",
      `c: &c {${Array.from({ length: 300 }, (_, i) => `k${i}: 1`).join(", ")}}\n${Array.from({ length: 400 }, (_, i) => `b${i}: {<<: *c}`).join("\n")}`,
    ],
  ])("cannot multiply %s", async (_, text) => {
    expect(await problemIn(text, FILE)).toMatchObject({ code: "HOOK_CONFIG_LIMIT" });
  });

  test("cannot make a mapping contain itself", async () => {
    for (const text of ["a: &a\n  <<: *a\n  x: 1\n", "a: &a {b: {<<: *a}}\n"])
      expect(await problemIn(text, FILE)).toMatchObject({
        code: "HOOK_CONFIG_SYNTAX",
        message: expect.stringContaining("itself"),
      });
  });
});
