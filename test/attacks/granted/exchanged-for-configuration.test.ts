import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEngine, type Engine } from "../../../src/index.ts";
import { makeFolder } from "../../helpers/folders.ts";
import { reaching, swallows } from "./reaching-guest.ts";
import type { World } from "./world.ts";

/**
 * A guard that works together with a process that can create links next to the granted folder: their aim is to write
 * the next rules.
 */

const OPEN = "{}";
const GOOD = JSON.stringify({ hooks: { PreToolUse: [] } });

/** Each writes one file, and allows. */
const writing = (name: string): Uint8Array =>
  reaching(({ block }) => swallows(`(call $file_write ${block(name)} ${block(OPEN)})`), {} as World);

let root = "";
let engine: Engine | undefined;

beforeEach(() => {
  root = makeFolder({
    cache: null,
    "user/rules.json": "",
    "repository/hookbox.json": GOOD,
    "repository/hookbox.lock": GOOD,
    "home/.claude/settings.json": GOOD,
    "home/.claude/settings.local.json": GOOD,
  });
});
afterEach(() => engine?.close());

async function open(name: string): Promise<void> {
  writeFileSync(join(root, "user/guard.wasm"), writing(`out/${name}`));
  const grants = { paths: { out: { path: "../cache", access: "write" } } };
  const hook = { type: "wasm", name: "g", module: "./guard.wasm", may: ["deny", "allow"], timeoutMs: 30_000, grants };
  writeFileSync(join(root, "user/rules.json"), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
  engine = await createEngine({
    configFiles: [{ file: "user/rules.json", layer: "user" }],
    cwd: root,
    sandbox: { threads: 1 },
    cacheDir: false,
  });
}

function exchange(target: string): void {
  if (existsSync(join(root, "cache"))) renameSync(join(root, "cache"), join(root, "cache-was"));
  symlinkSync(target, join(root, "cache"));
}

const decide = async () => engine?.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });

const TARGETS = [
  ["user", "rules.json"],
  ["user", "guard.wasm"],
  ["repository", "hookbox.json"],
  ["repository", "hookbox.lock"],
  ["home/.claude", "settings.json"],
  ["home/.claude", "settings.local.json"],
  ["home", ".claude/settings.json"],
  [".", "user/rules.json"],
] as const;

describe("a guard whose folder has become a link changes no rule", () => {
  test("because it writes in its folder only while that is a folder", async () => {
    await open("seen");
    expect(await decide()).toMatchObject({ decision: "allow" });
    expect(readFileSync(join(root, "cache/seen"), "utf8")).toBe(OPEN);
  });

  test.each(TARGETS)("in an engine that has read its rules before, by a link to %s: %s", async (target, name) => {
    await open(name);
    const before = readFileSync(join(root, target, name));
    exchange(target);
    const verdict = await decide();
    expect(verdict).toMatchObject({ decision: "deny", reason: expect.stringContaining("capability") });
    expect(readFileSync(join(root, target, name)).equals(before)).toBe(true);
  });

  test.each(TARGETS)("in an engine that reads them after, by a link to %s: %s", async (target, name) => {
    exchange(target);
    await open(name);
    const before = readFileSync(join(root, target, name));
    expect(await decide()).toMatchObject({ decision: "deny" });
    expect(readFileSync(join(root, target, name)).equals(before)).toBe(true);
  });

  test("while another process replaces the folder by a link and back all the time", async () => {
    await open("hookbox.json");
    const decisions = new Set<string | undefined>();
    for (let round = 0; round < 12; round++) {
      const deciding = decide();
      for (let turn = 0; turn < 40; turn++) {
        rmSync(join(root, "cache"), { recursive: true, force: true });
        if (turn % 2 === 0) symlinkSync("repository", join(root, "cache"));
        else mkdirSync(join(root, "cache"));
        await new Promise((resolve) => setImmediate(resolve));
      }
      decisions.add((await deciding)?.decision);
    }
    expect(readFileSync(join(root, "repository/hookbox.json"), "utf8")).toBe(GOOD);
    // A configuration is never written, whichever of the two the guard met.
    expect([...decisions]).toEqual(["deny"]);
  });
});
