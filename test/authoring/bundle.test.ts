import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BuildError } from "../../src/authoring/build-error.ts";
import { findSource } from "../../src/authoring/guard-source.ts";
import { type Bundle, bundleGuard } from "../../src/authoring/typescript/bundle.ts";
import type { Problem } from "../../src/errors.ts";
import { folderWith, guardText } from "./source-folder.ts";

async function bundle(files: Readonly<Record<string, string | object>>, within?: string): Promise<Bundle> {
  return bundleGuard(await findSource(folderWith(files, within)));
}

async function problemsOf(files: Readonly<Record<string, string | object>>): Promise<readonly Problem[]> {
  const folder = folderWith(files);
  try {
    await bundleGuard(await findSource(folder));
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return error.problems.map((problem) =>
      problem.place === undefined
        ? problem
        : { ...problem, place: { ...problem.place, file: problem.place.file.replace(`${folder}/`, "") } },
    );
  }
  throw new Error("it was bundled");
}

describe("a bundle", () => {
  test("is one script with the guard and our own library, for any imports of the guard", async () => {
    const { script, inputs } = await bundle({
      "guard.ts": guardText('return deny(words.list[0] + text + twice("x"));', {
        before:
          'import words from "./words.json";\nimport text from "./text.txt";\nimport { twice } from "./lib/twice";',
      }),
      "words.json": { list: ["from-json"] },
      "text.txt": "from-text",
      "lib/twice.ts": "export const twice = (text: string): string => text + text;",
    });
    expect(script).toContain("from-json");
    expect(script).toContain("from-text");
    expect(script).not.toMatch(/^\s*(import|export)\b/m);
    expect(inputs.map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual([
      "hookbox hookbox/guest",
      "own guard.ts",
      "own lib/twice.ts",
      "own text.txt",
      "own words.json",
    ]);
  });

  test("contains the modules of import() with a constant name", async () => {
    const { script } = await bundle({
      "guard.ts": guardText('return import("./late.ts").then(({ late }) => deny(late));'),
      "late.ts": 'export const late = "came late";',
    });
    expect(script).toContain("came late");
    expect(script).not.toContain("import(");
  });

  test("contains packages, as ES modules and as CommonJS", async () => {
    const { script, inputs } = await bundle({
      "guard.ts": guardText("return deny(modern + older.name);", {
        before: 'import { modern } from "modern";\nimport older from "@scope/older";',
      }),
      "node_modules/modern/package.json": { name: "modern", main: "./old.js", module: "./new.js" },
      "node_modules/modern/new.js": 'export const modern = "as a module";',
      "node_modules/modern/old.js": 'exports.modern = "as it was";',
      "node_modules/@scope/older/package.json": { name: "@scope/older", main: "./index.js" },
      "node_modules/@scope/older/index.js": 'exports.name = require("./name").name;',
      "node_modules/@scope/older/name.js": 'exports.name = "older";',
    });
    expect(script).toContain("as a module");
    expect(
      inputs
        .filter(({ kind }) => kind === "package")
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["@scope/older", "modern"]);
  });

  test("does not depend on where it was made", async () => {
    const files = {
      "guard/guard.ts": guardText('return deny(shared + require("dep").name);', {
        before: 'import { shared } from "../common/part.ts";\ndeclare function require(name: string): any;',
      }),
      "common/part.ts": 'export const shared = "shared";',
      "node_modules/dep/index.js": 'exports.name = require("./lib/name.js");',
      "node_modules/dep/lib/name.js": 'module.exports = "dep";',
    };
    const scripts = await Promise.all(
      [undefined, "deep/er/and/deeper"].map(async (within) => {
        const folder = folderWith(files, within);
        const { script } = await bundleGuard(await findSource(join(folder, "guard")));
        expect(script).not.toContain(folder);
        return script;
      }),
    );
    expect(scripts[0]).toBe(scripts[1]);
    expect(scripts[0]).toContain("../common/part.ts");
    expect(scripts[0]).not.toContain("../node_modules");
  });

  test("is the same if the packages are installed in another folder, or linked from a store", async () => {
    const guard = guardText("return deny(name);", { before: 'import { name } from "dep";' });
    const dep = 'exports.name = "dep";\nexports.late = () => { throw new Error("late") };';
    const near = folderWith({ "guard.ts": guard, "node_modules/dep/index.js": dep });
    const above = join(folderWith({ "guard/guard.ts": guard, "node_modules/dep/index.js": dep }), "guard");
    const store = folderWith({ "store/dep@1/node_modules/dep/index.js": dep, "guard.ts": guard, "node_modules/x": "" });
    symlinkSync(join(store, "store/dep@1/node_modules/dep"), join(store, "node_modules/dep"));
    const scripts = await Promise.all(
      [near, above, store].map(async (folder) => (await bundleGuard(await findSource(folder))).script),
    );
    expect(scripts[1]).toBe(scripts[0]);
    expect(scripts[2]).toBe(scripts[0]);
  });

  test("is the same through a symbolic link to its folder", async () => {
    const folder = folderWith({ "real/guard.ts": guardText("return;") });
    symlinkSync(join(folder, "real"), join(folder, "link"));
    const [real, link] = await Promise.all(
      ["real", "link"].map(async (name) => bundleGuard(await findSource(join(folder, name)))),
    );
    expect(link?.script).toBe(real?.script);
  });

  test("maps its lines and columns to the author's", async () => {
    const { script, locate } = await bundle({ "guard.ts": guardText('throw new Error("here");') });
    const line = script.split("\n").findIndex((text) => text.includes('Error("here")')) + 1;
    const column = script.split("\n")[line - 1]?.indexOf("new Error") ?? 0;
    expect(locate(line, column + 1)).toMatchObject({
      file: expect.stringMatching(/\/guard\.ts$/),
      line: 8,
      column: 11,
    });
    expect(locate(1, 1)).toBeUndefined();
  });
});

describe("an API that a guard does not have", () => {
  test("is an error at its line, with what to do instead", async () => {
    const guard = guardText('return fetch("https://example.com").then(() => deny("x"));', {
      before: "const root = process.cwd();\nexport { root };",
    });
    expect(await problemsOf({ "guard.ts": guard })).toEqual([
      expect.objectContaining({
        severity: "error",
        code: "HOOK_BUILD_GLOBAL",
        message: "process does not exist in a guard",
        hint: expect.stringContaining("config"),
        place: { file: "guard.ts", line: 2, column: 14 },
      }),
      expect.objectContaining({
        message: "fetch does not exist in a guard",
        hint: expect.stringContaining("context.http"),
        place: { file: "guard.ts", line: 9, column: 12 },
      }),
    ]);
  });

  test.each([
    "setTimeout",
    "setInterval",
    "Buffer",
    "performance",
    "crypto",
    "XMLHttpRequest",
    "WebAssembly",
    "window",
  ])("has a hint: %s", async (name) => {
    const [problem] = await problemsOf({ "guard.ts": guardText(`return ${name} as never;`) });
    expect(problem).toMatchObject({ message: `${name} does not exist in a guard`, hint: expect.stringMatching(/\w/) });
  });

  test("is no error behind typeof, or if the name is declared", async () => {
    const { warnings, script } = await bundle({
      "guard.ts": guardText(
        'const fetch = (url: string) => url; if (typeof process !== "undefined") process.exit(); return deny(fetch("x"));',
      ),
    });
    expect(warnings).toEqual([]);
    expect(script).toContain("typeof process");
    expect(script).not.toContain("__hookbox_missing");
  });

  test("is a warning in a package", async () => {
    const { warnings } = await bundle({
      "guard.ts": guardText("return deny(String(now));", { before: 'import { now } from "dep";' }),
      "node_modules/dep/index.js": "export const now = () => performance.now();",
    });
    expect(warnings).toEqual([
      expect.objectContaining({
        severity: "warning",
        message: "performance does not exist in a guard",
        place: expect.objectContaining({ file: expect.stringMatching(/node_modules\/dep\/index\.js$/), line: 1 }),
      }),
    ]);
  });

  test("is an error if code is loaded by a computed name", async () => {
    const guard = guardText("return import(String(event.tool_name)).then(() => undefined);");
    expect(await problemsOf({ "guard.ts": guard })).toEqual([
      expect.objectContaining({
        message: expect.stringContaining("known only at run time"),
        place: expect.objectContaining({ line: 8 }),
      }),
    ]);
  });

  test.each(["fs", "node:path", "fs/promises", "node:no-such"])("is an error to import: %s", async (name) => {
    const guard = guardText("return deny(String(part));", { before: `import * as part from "${name}";` });
    expect(await problemsOf({ "guard.ts": guard })).toEqual([
      expect.objectContaining({
        code: "HOOK_BUILD_SOURCE",
        message: `"${name}" is a part of Node, and a guard does not run in Node`,
        place: { file: "guard.ts", line: 2, column: 23 },
      }),
    ]);
  });

  test.each([
    ["hookbox", "is the engine that runs it"],
    ["hookbox/schema", "belongs to the engine that runs it"],
  ])("is one error if the engine is imported instead of the library: %s", async (name, what) => {
    const guard = guardText("return deny(String(part));", { before: `import * as part from "${name}";` });
    const files = {
      "guard.ts": guard,
      "node_modules/hookbox/package.json": { name: "hookbox", exports: { ".": "./index.js" } },
      "node_modules/hookbox/index.js": 'import "node:fs";\nimport "node:path";',
    };
    expect(await problemsOf(files)).toEqual([
      expect.objectContaining({
        code: "HOOK_BUILD_SOURCE",
        message: `a guard imports "hookbox/guest"; "${name}" ${what}`,
        place: { file: "guard.ts", line: 2, column: 23 },
      }),
    ]);
  });

  test("is an error in a package, too, at the line that imports it", async () => {
    const guard = guardText("return deny(String(part));", { before: 'import part from "dep";' });
    const files = { "guard.ts": guard, "node_modules/dep/index.js": '\nmodule.exports = require("child_process");' };
    expect(await problemsOf(files)).toEqual([
      expect.objectContaining({
        hint: expect.stringContaining("command hook"),
        place: { file: "node_modules/dep/index.js", line: 2, column: 26 },
      }),
    ]);
  });

  test("may be provided by a package of the same name", async () => {
    const { script } = await bundle({
      "guard.ts": guardText("return deny(String(events.installed));", { before: 'import * as events from "events";' }),
      "node_modules/events/index.js": 'exports.installed = "installed";',
    });
    expect(script).toContain('"installed"');
  });
});

describe("a source that cannot be bundled", () => {
  test.each<[string, string, Partial<Problem>]>([
    [
      "is not TypeScript",
      "const x: = 3;",
      { message: 'unexpected "="', place: { file: "guard.ts", line: 1, column: 10 } },
    ],
    [
      "imports a file that is not there",
      guardText("return x;", { before: 'import x from "./nowhere.ts";' }),
      { message: '"./nowhere.ts" cannot be found', hint: "there is no such file" },
    ],
    [
      "imports a package that is not installed",
      guardText("return x;", { before: 'import x from "@not/installed/part";' }),
      { message: '"@not/installed/part" cannot be found', hint: "npm install @not/installed" },
    ],
    [
      "waits at the top level",
      guardText("return;", { before: "await Promise.resolve();" }),
      { message: "a guard cannot use await at the top level", hint: expect.stringContaining("use await in handle") },
    ],
    [
      "exports no guard",
      "export const guard = 1;",
      {
        message: "there is no default export",
        hint: expect.stringContaining("defineGuard"),
        place: { file: "guard.ts" },
      },
    ],
    [
      "asks where it stands",
      guardText("return deny(import.meta.url);"),
      { message: "import.meta is not supported in a guard", severity: "error" },
    ],
    [
      "imports a picture",
      guardText("return deny(x);", { before: 'import x from "./x.png";' }),
      { message: ".png files cannot be imported" },
    ],
  ])("is reported if it %s", async (_, guard, problem) => {
    const problems = await problemsOf({ "guard.ts": guard, "x.png": "" });
    expect(problems).toContainEqual(expect.objectContaining(problem));
  });

  test("counts columns in characters", async () => {
    const guard = guardText("return;", { before: 'const é = "ééé" + fetch;\nexport { é };' });
    const [problem] = await problemsOf({ "guard.ts": guard });
    expect(problem?.place).toMatchObject({ line: 2, column: 19 });
    const [syntax] = await problemsOf({ "guard.ts": 'const é = "ééé" = ;' });
    expect(syntax?.place).toMatchObject({ line: 1, column: expect.any(Number) });
  });
});
