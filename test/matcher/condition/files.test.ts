import { homedir } from "node:os";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json.ts";
import { judge } from "./conditions.ts";

const fits = (pattern: string, path: string, payload: Record<string, string> = { cwd: "/project" }): boolean =>
  judge(`Edit(${pattern})`, "Edit", { file_path: path }, payload).fits;

describe("a path pattern", () => {
  test.each([
    ["src/**", "/project/src/a.ts", true],
    ["src/**", "src/a.ts", true],
    ["src/**", "/project/src/deep/er/a.ts", true],
    ["src/**", "/project/lib/src/a.ts", false],
    ["src/**", "/elsewhere/src/a.ts", false],
    ["src/**", "/project/src", false],
    ["src", "/project/src/a.ts", true],
    ["src/", "/project/src/a.ts", true],
    ["src/*", "/project/src/deep/a.ts", true],
    ["**/src/**", "/project/lib/src/a.ts", true],
    ["**/src/**", "/project/src/a.ts", true],
    ["**/src/**", "/elsewhere/src/a.ts", true],
    ["**/.env", "/project/.env", true],
    ["**/.env", "/project/.env.local", false],
    ["*.ts", "/project/a.ts", true],
    ["*.ts", "/project/deep/er/a.ts", true],
    ["*.ts", "/elsewhere/a.ts", true],
    ["*.ts", "/project/a.tsx", false],
    [".env", "/project/deep/.env", true],
    ["src/**/*.ts", "/project/src/a.ts", true],
    ["src/**/*.ts", "/project/src/b/c/a.ts", true],
    ["src/**/*.ts", "/project/src/a.js", false],
    ["src/**/*.ts", "/project/test/a.ts", false],
    ["src/**/*.{ts,tsx}", "/project/src/a.tsx", true],
    ["src/**/*.{ts,tsx}", "/project/src/a.js", false],
    ["src/**", "/project/src/.hidden/x", true],
    ["/src/**", "/project/src/a.ts", true],
    ["/etc/**", "/etc/passwd", true],
    ["//etc/**", "/etc/passwd", true],
    ["//etc/**", "/project/etc/passwd", false],
    ["//project/src/*", "src/a.ts", true],
    ["./src/**", "/project/src/a.ts", true],
    ["./**", "/elsewhere/a.ts", false],
    ["../other/**", "/other/a.ts", true],
    ["../other/**", "/project/other/a.ts", false],
    ["src/**", "/project/lib/../src/a.ts", true],
    ["src/**", "/project/./src//a.ts", true],
    ["src/**", "/project/src/../lib/a.ts", false],
    ["src/**", "./src/a.ts", true],
    ["src/**", "../project/src/a.ts", true],
    ["SRC/**", "/project/src/a.ts", false],
    ["a?c", "/project/abc", true],
    ["a?c", "/project/a/c", false],
    ["[a-c]x", "/project/bx", true],
    ["[!a-c]x", "/project/bx", false],
    ["[!a-c]x", "/project/dx", true],
    ["a\\*b", "/project/a*b", true],
    ["a\\*b", "/project/axb", false],
    ["src\\**", "src\\a.ts", true],
    ["src\\sub\\**", "src\\sub\\a.ts", true],
    ["src/**", "src\\a.ts", true],
    ["caf\u00e9", "/project/cafe\u0301", true],
    ["(a)", "/project/(a)", true],
    ["app/(auth)/**", "/project/app/(auth)/a", true],
    ["app/\\(auth\\)/**", "/project/app/(auth)/a", true],
    ["\\(a", "/project/(a", true],
    ["\\{a,b\\}", "/project/{a,b}", true],
    ["\\[a]", "/project/[a]", true],
    ["src/@(a|b)/**", "/project/src/b/x", true],
    ["/!a/*", "/project/!a/x", true],
    ["src/{a/b,c/../d}", "/project/src/a/b", true],
    ["app\\[id]\\a.ts", "app\\[id]\\a.ts", true],
    ['"a"', '/project/"a"', true],
  ])("%s on %s: %s", (pattern, path, expected) => {
    expect(fits(pattern, path)).toBe(expected);
  });

  test("may start at home", () => {
    expect(fits("~/secrets/**", `${homedir()}/secrets/key`)).toBe(true);
    expect(fits("~/secrets/**", "~/secrets/key")).toBe(true);
    expect(fits("~/secrets/**", "/project/secrets/key")).toBe(false);
    expect(fits("~", `${homedir()}/anything`)).toBe(true);
  });

  test("may be in Windows form", () => {
    const cwd = "C:\\repo";
    expect(fits("src/**", "C:\\repo\\src\\a.ts", { cwd })).toBe(true);
    expect(fits("src/**", "src\\a.ts", { cwd })).toBe(true);
    expect(fits("src/**", "c:/repo/src/a.ts", { cwd })).toBe(true);
    expect(fits("src/**", "D:\\repo\\src\\a.ts", { cwd })).toBe(false);
    expect(fits("C:\\repo\\**", "c:\\repo\\a", { cwd })).toBe(true);
    expect(fits("//c/repo/**", "C:\\repo\\a", { cwd })).toBe(true);
  });

  test("is relative to any folder if the payload has no working directory", () => {
    expect(fits("src/**", "/any/where/src/a.ts", {})).toBe(true);
    expect(fits("src/**", "src/a.ts", {})).toBe(true);
    expect(fits("src/**", "/any/where/lib/a.ts", {})).toBe(false);
    expect(fits("//etc/**", "etc/passwd", {})).toBe(true);
  });
});

describe("the path of a call", () => {
  test.each([
    ["Write", { file_path: "src/a.ts" }],
    ["MultiEdit", { file_path: "src/a.ts" }],
    ["NotebookEdit", { notebook_path: "src/a.ts" }],
  ])("is in %s", (tool, input) => {
    expect(judge("Edit(src/**)", tool, input).fits).toBe(true);
    expect(judge("Edit(lib/**)", tool, input).fits).toBe(false);
  });

  test.each([{}, { file_path: 7 }, { file_path: "" }, { file_path: "a\u0000b" }, { file_path: "a/".repeat(3_000) }])(
    "that cannot be decided runs the hook: %#",
    (input) => {
      expect(judge("Edit(src/**)", "Edit", input).fits).toBe(true);
    },
  );

  test("of a search includes everything below it", () => {
    const grep = (path: string): boolean => judge("Read(src/secret/**)", "Grep", { pattern: "x", path }).fits;
    expect(grep("src")).toBe(true);
    expect(grep(".")).toBe(true);
    expect(grep("src/secret/deep")).toBe(true);
    expect(grep("lib")).toBe(false);
    expect(grep("..")).toBe(true);
    expect(grep("/")).toBe(true);
    expect(grep("/elsewhere")).toBe(false);
    expect(judge("Read(src/secret/**)", "Grep", { pattern: "x" }).fits).toBe(true);
    expect(judge("Read(src/secret/**)", "Read", { file_path: "src" }).fits).toBe(false);
  });

  test("is named in the explanation", () => {
    expect(judge("Write(src/**)", "Write", { file_path: "src/a.ts" }).why).toBe('matches the path "src/a.ts"');
    expect(judge("Write(src/**)", "Write", { file_path: "lib/a.ts" }).why).toBe('does not match the path "lib/a.ts"');
  });
});

describe("a call with a directory of its own", () => {
  test.each<readonly [string, JsonObject, boolean]>([
    ["Edit(//etc/**)", { file_path: "hosts", cwd: "/etc" }, true],
    ["Edit(//etc/**)", { file_path: "hosts", workdir: "/etc" }, true],
    ["Edit(//etc/**)", { file_path: "etc/hosts", directory: ".." }, true],
    ["Edit(src/**)", { file_path: "a.ts", cwd: "src" }, true],
    // It is not known which of the two the tool uses, so either may be meant.
    ["Edit(src/**)", { file_path: "src/a.ts", cwd: "/elsewhere" }, true],
    ["Edit(//etc/**)", { file_path: "hosts", cwd: "src" }, false],
    ["Edit(//etc/**)", { file_path: "hosts", cwd: 7 }, true],
  ])("%s and %j: %s", (pattern, input, fits) => {
    expect(judge(pattern, "Edit", input).fits).toBe(fits);
  });
});
