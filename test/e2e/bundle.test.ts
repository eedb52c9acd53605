import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { hookbox, project } from "./cli.ts";

const BUNDLE = resolve(import.meta.dirname, "../../dist/bundle");
/** Files that share no code with others: the start of the command line, and the entries of threads and processes. */
const ALONE = ["hookbox.cjs", "worker.js", "child.js"];

const shared = readdirSync(BUNDLE).filter((file) => !ALONE.includes(file));

describe("the files of the bundle", () => {
  test.each(["HookError", "GuestLost"])("have the class %s once", (name) => {
    const assigned = new RegExp(`\\bname=["'\`]${name}["'\`]`, "g");
    const found = shared.flatMap((file) => readFileSync(join(BUNDLE, file), "utf8").match(assigned) ?? []);
    expect(found).toHaveLength(1);
  });

  // The start of the command line reads the kernel as latin1.
  test("contain only ASCII", () => {
    const texts = shared.map((file) => readFileSync(join(BUNDLE, file), "latin1"));
    expect(shared.filter((_, index) => /[^\0-\x7f]/.test(texts[index] as string))).toEqual([]);
  });

  // A CommonJS file that is still loading has no exports.
  test("load alone, in any order", { timeout: 240_000 }, async () => {
    const kept = ["kernel.cjs", "zod.cjs"];
    const late = shared.filter((file) => file.endsWith(".cjs") && file !== "main.cjs");
    const script = `for (const file of ${JSON.stringify(late)}) {
      for (const loaded of Object.keys(require.cache))
        if (!${JSON.stringify(kept)}.some((one) => loaded.endsWith(one))) delete require.cache[loaded];
      require(${JSON.stringify(`${BUNDLE}/`)} + file);
    }`;
    const { stderr } = await promisify(execFile)(process.execPath, ["-e", script]);
    expect(stderr).toBe("");
  });

  test("recognise a HookError that another file throws, in the command line", async () => {
    const { folder } = project();
    mkdirSync(join(folder, "mine"));
    writeFileSync(join(folder, "mine/guard.ts"), "");
    const { exitCode, stderr } = await hookbox(["new", "mine"], { cwd: folder });
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/^hookbox: HOOK_NEW_FOLDER: /);
    expect(stderr).not.toContain("    at ");
  });

  test("recognise a HookError that another file throws, in the library", async () => {
    const { createEngine, HookError } = (await import(join(BUNDLE, "index.js"))) as typeof import("../../src/index.ts");
    await using engine = await createEngine();
    const error: unknown = await engine.register([{ event: "Nope" } as never]).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(HookError);
  });
});
