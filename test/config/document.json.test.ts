import { describe, expect, test } from "vitest";
import { lineAndColumn, open, problemIn, whereIs } from "./config-files.ts";

describe("a JSON file", () => {
  test("may have comments and trailing commas", async () => {
    const text = '{\n  // why\n  "a": [1, 2,], /* and */ "b": {"c": null,},\n}\n';
    expect((await open(text)).value).toEqual({ a: [1, 2], b: { c: null } });
  });

  test("may begin with a byte order mark, which does not count as a column", async () => {
    const document = await open('\ufeff{"a": 1}');
    expect(document.value).toEqual({ a: 1 });
    expect(document.locate(["a"])).toMatchObject({ line: 1, column: 7 });
  });

  test("keeps a key named __proto__ as a key", async () => {
    const { value, locate } = await open('{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
    expect(locate(["__proto__", "polluted"], "key")).toMatchObject({ line: 1, column: 16 });
  });

  test("may be as deep as the limit for configurations", async () => {
    await expect(open(`${"[".repeat(64)}${"]".repeat(64)}`)).resolves.toBeDefined();
  });
});

describe("a JSON file that is not well-formed is refused at the exact place:", () => {
  test.each([
    ["a missing comma", '{\n  "a": 1\n  "b": 2\n}', '"b"', "comma expected"],
    ["a missing colon", '{\n  "a" 1}', "1}", "colon expected"],
    ["a missing value", '{"a": }', "}", "value expected"],
    ["a word that is not JSON", '{"a": yes}', "yes", "invalid symbol"],
    ["single quotes", "{'a': 1}", "'a'", "invalid symbol"],
    ["a bad escape", '{\n "a": "\\q"\n}', '"\\q"', "invalid escape character"],
    ["a string that does not end", '{\n  "a": "x\n}', '"x', "unexpected end of string"],
    ["a comment that does not end", "{\n  /* x\n}", "/*", "unexpected end of comment"],
    ["a second value", "{}\n[]", "[]", "end of file expected"],
  ])("%s", async (_, text, needle, message) => {
    const problem = await problemIn(text);
    expect(problem).toMatchObject({ severity: "error", code: "HOOK_CONFIG_SYNTAX", message });
    expect(problem.place).toEqual({ file: "hookbox.json", ...whereIs(needle, text) });
  });

  test("a missing closing brace, at the end of the file", async () => {
    expect((await problemIn('{"a": {\n  "b": 1\n')).place).toMatchObject({ line: 3, column: 1 });
  });

  test.each(["", " \n\n", "\ufeff"])("%j, which is called empty", async (text) => {
    expect(await problemIn(text)).toMatchObject({ code: "HOOK_CONFIG_SYNTAX", message: "the file is empty" });
  });
});

describe("nesting in a JSON file", () => {
  test("over the limit is refused by name, at the place where it is exceeded", async () => {
    const problem = await problemIn(`[\n${"[".repeat(64)}${"]".repeat(65)}`);
    expect(problem.code).toBe("HOOK_CONFIG_LIMIT");
    expect(problem.message).toMatch(/nest|deep/);
    expect(problem.message).toContain("64");
    expect(problem.place).toMatchObject({ line: 2, column: 64 });
  });

  test("is refused by name if there are too many values", async () => {
    const problem = await problemIn(`{"hooks":[${"{},".repeat(100_000)}{}]}`);
    expect(problem).toMatchObject({ code: "HOOK_CONFIG_LIMIT", message: expect.stringContaining("100000 values") });
  });

  test.each(["[", '{"a":'])("cannot overflow the stack, however often %j is repeated", async (opening) => {
    expect(await problemIn(opening.repeat(200_000))).toMatchObject({ code: "HOOK_CONFIG_LIMIT" });
  });

  test.each([
    ["a string", `["${"]".repeat(200_000)}",`],
    ["a comment", `[// ${"]".repeat(200_000)}\n`],
  ])("cannot be hidden behind closing brackets in %s", async (_, start) => {
    const text = `${start}${"[".repeat(100_000)}${"]".repeat(100_000)}]`;
    expect(await problemIn(text)).toMatchObject({ code: "HOOK_CONFIG_LIMIT" });
  });

  test("does not count brackets in strings and comments", async () => {
    const commands = Array.from({ length: 100 }, (_, index) => `grep '[{' ${index}.txt`);
    const text = `// ${"[".repeat(100)}\n${JSON.stringify({ commands })}`;
    expect((await open(text)).value).toEqual({ commands });
  });
});

describe("a key that occurs twice in one object of a JSON file", () => {
  test("is refused at its second place, by name", async () => {
    const text = '{\n  "hooks": {\n    "Stop": [],\n    "Stop" : []\n  }\n}';
    const problem = await problemIn(text);
    expect(problem).toMatchObject({ severity: "error", code: "HOOK_CONFIG_DUPLICATE_KEY", hint: expect.any(String) });
    expect(problem.message).toContain('"Stop"');
    expect(problem.place).toEqual({ file: "hookbox.json", ...whereIs('"Stop" :', text) });
  });

  test("is found in another spelling, in a list and under __proto__", async () => {
    for (const text of [
      '{"a": 1, "\\u0061": 2}',
      '[[{"a": 1, "a": 1}]]',
      '{"__proto__": 1, "__proto__": 2}',
      '{"__proto__": {"b": 1, "b": 1}}',
      '{"": 1, "": 2}',
    ])
      expect((await problemIn(text)).code).toBe("HOOK_CONFIG_DUPLICATE_KEY");
  });

  test("is allowed in two objects", async () => {
    await expect(open('[{"a": {"a": 1}}, {"a": 2}]')).resolves.toBeDefined();
  });
});

describe("a place in a JSON file", () => {
  const text = '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [ "ü", 7 ] }\n    ]\n  }\n}';

  test("is that of the value, or of its key", async () => {
    const { locate } = await open(text);
    const path = ["hooks", "Stop", 0, "hooks"];
    expect(lineAndColumn(locate(path))).toEqual(whereIs('[ "ü"', text));
    expect(lineAndColumn(locate(path, "key"))).toEqual(whereIs('"hooks": [ "ü"', text));
    expect(lineAndColumn(locate([...path, 1]))).toEqual(whereIs("7", text));
    expect(lineAndColumn(locate([...path, 1], "key"))).toEqual(whereIs("7", text));
    expect(locate([])).toEqual({ file: "hookbox.json", pointer: "", line: 1, column: 1 });
  });

  test("that does not exist is the nearest parent's, with the requested pointer", async () => {
    const { locate } = await open(text);
    expect(locate(["hooks", "Stop", 9, "x"])).toEqual({
      file: "hookbox.json",
      pointer: "/hooks/Stop/9/x",
      ...whereIs("[\n", text),
    });
    expect(locate(["nothing"])).toMatchObject({ line: 1, column: 1 });
  });

  test("has a pointer with escaped special characters", async () => {
    const { locate } = await open('{"a/b": {"~": 1}}');
    expect(locate(["a/b", "~"])).toEqual({ file: "hookbox.json", pointer: "/a~1b/~0", line: 1, column: 15 });
  });

  test("is the same with Windows line ends", async () => {
    const { locate } = await open(text.replaceAll("\n", "\r\n"));
    expect(lineAndColumn(locate(["hooks", "Stop", 0, "hooks", 1]))).toEqual(whereIs("7", text));
  });
});
