import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { seal } from "../../src/cache/cache-folder.ts";
import { compiledScript, entryNames } from "../../src/cache/compiled-script.ts";
import { hookbox, MAIN, project } from "../e2e/cli.ts";

/**
 * V8 accepts the code of one for the other, which shows whether it was given any. Another text in each test, because V8
 * may ignore the cached data of a text that it has already compiled in this process.
 */
let source: string;
let code: Buffer;
let guards: string;
let plain: string;
let count = 1_000;
beforeEach(() => {
  count += 1;
  source = `(() => "the source")() // ${count}`;
  code = new Script(`(() => "from cache")() // ${count}`).createCachedData();
  ({ guards, plain } = entryNames(source));
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-code-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a folder with one entry for `source`. */
function folderWith(content: Buffer, name = entryNames(source).guards): string {
  const folder = emptyFolder();
  writeFileSync(join(folder, name), content, { mode: 0o600 });
  return folder;
}

const outcomeIn = (folder: string): unknown =>
  compiledScript(source, "/nowhere/main.cjs", { folderOf: () => folder, mayKeep: false }).runInThisContext();

describe("compiled code in the cache", () => {
  test.each(["guards", "plain"] as const)("is run instead of the source (%s)", (kind) => {
    const name = entryNames(source)[kind];
    expect(outcomeIn(folderWith(seal(code, name), name))).toBe("from cache");
  });

  test("is not used without a cache folder", () => {
    const folderOf = (): string => {
      throw new Error("no home");
    };
    const script = compiledScript(source, "/nowhere/main.cjs", { folderOf, mayKeep: true });
    expect(script.runInThisContext()).toBe("the source");
  });

  test("is not read from a folder that other users may use", () => {
    const folder = folderWith(seal(code, guards));
    chmodSync(folder, 0o755);
    expect(outcomeIn(folder)).toBe("the source");
  });

  test("is not read from a file that other users may write", () => {
    const folder = folderWith(seal(code, guards));
    chmodSync(join(folder, guards), 0o622);
    expect(outcomeIn(folder)).toBe("the source");
  });

  test("is not read through a link", () => {
    const folder = emptyFolder();
    symlinkSync(join(folderWith(seal(code, guards)), guards), join(folder, guards));
    expect(outcomeIn(folder)).toBe("the source");
  });

  test.each([
    ["torn", () => seal(code, guards).subarray(0, -1)],
    ["rotten", () => Buffer.from(seal(code, guards)).fill(0, 100, 101)],
    ["of another name", () => seal(code, plain)],
    ["empty", () => Buffer.alloc(0)],
    ["whole, and no code", () => seal(Buffer.from("no code of V8's"), guards)],
  ])("is not used if it is %s", (_, contentOf) => {
    expect(outcomeIn(folderWith(contentOf()))).toBe("the source");
  });

  test("is not used for another source", () => {
    expect(entryNames(`${source} `)).not.toEqual(entryNames(source));
  });

  test("depends on Node's options", () => {
    const before = process.execArgv;
    onTestFinished(() => {
      process.execArgv = before;
    });
    process.execArgv = [...before, "--stack-size=900"];
    expect(entryNames(source).guards).not.toBe(guards);
  });
});

describe("hookbox run", () => {
  const event = JSON.stringify({
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "rm -rf /" },
  });

  const codeIn = (folder: string): readonly string[] =>
    readdirSync(folder)
      .filter((name) => name.includes(".code"))
      .sort();

  test("caches its code for the next run, once without and once with what guards need", async () => {
    const cacheHome = emptyFolder();
    const folder = join(cacheHome, "hookbox");
    mkdirSync(folder, { mode: 0o700 });
    const place = project();
    const command = place.write("command.json", JSON.stringify({ hooks: {} }));
    const guard = place.configure("PreToolUse", { type: "wasm", module: "builtin:shell-guard", timeoutMs: 60_000 });
    const answer = async (config: string): Promise<string> => {
      const { stdout, exitCode } = await hookbox(["run", "--config", config], {
        stdin: event,
        env: { XDG_CACHE_HOME: cacheHome },
      });
      expect(exitCode).toBe(0);
      return stdout;
    };
    await answer(command);
    const [bare = "", ...others] = codeIn(folder);
    expect(others).toEqual([]);
    const first = await answer(guard);
    expect(first).toContain("rm -rf of a protected path");
    const both = codeIn(folder);
    expect(both).toHaveLength(2);
    expect(both).toContain(bare);
    const made = both.map((name) => statSync(join(folder, name)).mtimeMs);
    expect(await answer(guard)).toBe(first);
    await answer(command);
    expect(codeIn(folder).map((name) => statSync(join(folder, name)).mtimeMs)).toEqual(made);

    // Whatever the code was replaced by, the answer is the same, and the code is compiled again.
    for (const name of both) writeFileSync(join(folder, name), readFileSync(join(folder, name)).fill(7, 200, 300));
    expect(await answer(guard)).toBe(first);
    const [whole] = codeIn(folder).filter((name) => statSync(join(folder, name)).size > 0 && name !== bare);
    expect(
      readFileSync(join(folder, whole ?? ""))
        .subarray(200, 300)
        .equals(Buffer.alloc(100, 7)),
    ).toBe(false);
  });

  test("refuses if the command line next to it cannot be loaded", async () => {
    const folder = emptyFolder();
    copyFileSync(MAIN, join(folder, "hookbox.cjs"));
    const { exitCode, stdout, stderr } = await hookbox(["run"], { stdin: event, main: join(folder, "hookbox.cjs") });
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("kernel.cjs");
  });

  test.runIf(existsSync("/dev/full"))("refuses also if the reason cannot be written", () => {
    const folder = emptyFolder();
    copyFileSync(MAIN, join(folder, "hookbox.cjs"));
    const stderr = openSync("/dev/full", "w");
    onTestFinished(() => closeSync(stderr));
    const { status } = spawnSync(process.execPath, [join(folder, "hookbox.cjs"), "run"], {
      input: event,
      stdio: ["pipe", "pipe", stderr],
    });
    expect(status).toBe(2);
  });

  test("caches nothing in a folder that is not private", async () => {
    const cacheHome = emptyFolder();
    const folder = join(cacheHome, "hookbox");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const config = project().write("hookbox.json", JSON.stringify({ hooks: {} }));
    const { exitCode } = await hookbox(["run", "--config", config], {
      stdin: event,
      env: { XDG_CACHE_HOME: cacheHome },
    });
    expect(exitCode).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});
