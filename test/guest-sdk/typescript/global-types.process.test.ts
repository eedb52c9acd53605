import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Authors have the types of browsers, of Node, of both or of none, and some of them check libraries, too. */

const ROOT = resolve(import.meta.dirname, "../../..");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hookbox-types-"));
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  symlinkSync(ROOT, join(folder, "node_modules/hookbox"));
  symlinkSync(join(ROOT, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
  symlinkSync(join(ROOT, "node_modules/undici-types"), join(folder, "node_modules/undici-types"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const USES = `
import { defineGuard, deny } from "hookbox/guest";
export default defineGuard({
  name: "uses", version: "1", events: ["PreToolUse"],
  handle(event) {
    const url = new URL("http://a");
    const texts: string[] = [url.hostname, url.searchParams.get("x") ?? "", atob("a"), btoa("a"), structuredClone({ a: "b" }).a];
    const bytes: Uint8Array = new TextEncoder().encode("x");
    texts.push(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    for (const [name, value] of new URLSearchParams("a=b")) texts.push(name, value);
    queueMicrotask(() => console.log(texts));
    if (event.tool_name === "Bash") return deny(event.tool_input.command);
    return;
  },
});
`;

function check(project: string): string {
  try {
    execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project, "--singleThreaded"], {
      encoding: "utf8",
    });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

/** Returns the compiler's messages for these files, all in one program. */
function compile(sources: Readonly<Record<string, string>>, lib: readonly string[], types: readonly string[]) {
  const compilerOptions = {
    target: "es2023",
    lib,
    types,
    module: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  };
  const files = Object.keys(sources);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  for (const [file, source] of Object.entries(sources)) writeFileSync(join(folder, file), source);
  return check(folder);
}

test.each<[string, string[], string[]]>([
  ["the types of Node", ["es2023"], ["node"]],
  ["the types of a browser", ["es2023", "dom", "dom.iterable"], []],
  ["both", ["es2023", "dom", "dom.iterable"], ["node"]],
  ["the types of a worker", ["es2023", "webworker"], []],
])("the types of the globals are compatible with %s", (_name, lib, types) => {
  expect(compile({ "guard.ts": USES }, lib, types)).toBe("");
});

const ADDS_A_TOOL = `
import { defineGuard, deny } from "hookbox/guest";
declare module "hookbox/guest" {
  interface ToolInputs {
    Deploy: { target: string };
  }
}
export default defineGuard({
  name: "deploys", version: "1", events: ["PreToolUse"],
  handle: (event) => (event.tool_name === "Deploy" && event.tool_input.target === "production" ? deny("no") : undefined),
});
`;

test("the types of the globals are sufficient alone, omit what a guard does not have, and an author can add a tool", () => {
  const absent = ["fetch", "setTimeout", "process", "Buffer", "require", "crypto", "performance"];
  const sources = {
    "guard.ts": USES,
    "deploys.ts": ADDS_A_TOOL,
    "absent.ts": `import "hookbox/guest";\n${absent.join(";\n")};`,
  };
  const errors = compile(sources, ["es2023"], [])
    .split("\n")
    // Hints are below, indented.
    .filter((line) => /^\S/.test(line));
  expect(errors.map((line) => basename(line.replace(/\(.*/, "")))).toEqual(absent.map(() => "absent.ts"));
  for (const [index, name] of absent.entries()) expect(errors[index]).toContain(`'${name}'`);
});

test("the example compiles", () => {
  for (const folder of ["example", "examples"]) expect(check(join(ROOT, "guest-sdk/typescript", folder))).toBe("");
});
