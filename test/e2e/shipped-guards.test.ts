import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bashCall } from "./cli.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ADMITTED = "shell-guard.admitted";
const MODULE = "shell-guard.wasm";

/** An installation of its own, whose guards may come to harm. */
function installation(): { readonly guard: (name: string) => string; run(): Promise<string> } {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-installed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  // What was not admitted at the build is examined now, and its fixtures are run: more than the usual second where
  // other tests have the processors.
  const rule = { type: "wasm", module: "builtin:shell-guard", timeoutMs: 20_000 };
  const hooks = { PreToolUse: [{ hooks: [rule] }] };
  writeFileSync(join(folder, "hookbox.json"), JSON.stringify({ hooks }));
  const run = (): Promise<string> =>
    new Promise((done, reject) => {
      const env = { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_CONFIG_HOME: "/nonexistent" };
      const args = [join(folder, "dist/cli/main.js"), "run"];
      const child = execFile(process.execPath, args, { cwd: folder, env }, (error, stdout) =>
        error === null ? done(stdout) : reject(error),
      );
      child.stdin?.end(bashCall("rm -rf /"));
    });
  return { guard: (name) => join(folder, "dist/guards", name), run };
}

/** With a byte of its end exchanged. */
function spoil(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length - 2] = (bytes[bytes.length - 2] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

const DENIES_ITSELF = /"permissionDecision":"deny","permissionDecisionReason":"shell-guard: /;

describe("a guard that ships", () => {
  test("is run as it was admitted when it was built", async () => {
    const { guard, run } = installation();
    rmSync(guard(MODULE));
    expect(await run()).toMatch(DENIES_ITSELF);
  });

  test.each<[string, (file: string) => void]>([
    ["missing", (file) => rmSync(file)],
    ["exchanged", spoil],
    ["empty", (file) => writeFileSync(file, "")],
  ])("is admitted from its module when what was admitted is %s", async (_, harm) => {
    const { guard, run } = installation();
    harm(guard(ADMITTED));
    expect(await run()).toMatch(DENIES_ITSELF);
  });

  test("denies by name when its module is exchanged too", async () => {
    const { guard, run } = installation();
    spoil(guard(ADMITTED));
    spoil(guard(MODULE));
    expect(await run()).toMatch(/"permissionDecision":"deny".*HOOK_MODULE_DIGEST/);
  });
});
