import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bashCall, hookbox, project } from "./cli.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ADMITTED = "shell-guard.admitted";
const MODULE = "shell-guard.wasm";
const ENGINE = "guest-sdk/typescript/engine/engine.wasm";

/** A separate installation whose guards tests may damage: each test starts with the guards as they ship. */
let installed: string;
beforeAll(() => {
  installed = mkdtempSync(join(tmpdir(), "hookbox-installed-"));
  const isRun = (path: string): boolean => !/\.(map|d\.ts)$/.test(path);
  cpSync(join(ROOT, "dist"), join(installed, "dist"), { recursive: true, filter: isRun });
  cpSync(join(ROOT, "package.json"), join(installed, "package.json"));
  cpSync(join(ROOT, ENGINE), join(installed, ENGINE));
  symlinkSync(join(ROOT, "node_modules"), join(installed, "node_modules"));
  return () => rmSync(installed, { recursive: true, force: true });
});
beforeEach(() => cpSync(join(ROOT, "dist/guards"), join(installed, "dist/guards"), { recursive: true }));

const guard = (name: string): string => join(installed, "dist/guards", name);

/** Runs without anything cached by an earlier run. */
async function run(main = "dist/bundle/hookbox.cjs"): Promise<string> {
  const { folder, configure } = project();
  // A guard that was not admitted at the build is examined now, and its fixtures are run, which takes longer than the
  // usual second on a busy machine.
  configure("PreToolUse", { type: "wasm", module: "builtin:shell-guard", timeoutMs: 20_000 });
  const home = project().folder;
  const env = { HOME: home, XDG_CACHE_HOME: join(home, "cache") };
  const stdin = bashCall("rm -rf /");
  const { stdout } = await hookbox(["run"], { main: join(installed, main), cwd: folder, env, stdin });
  return stdout;
}

/** Changes a byte in the middle of the file. */
function spoil(file: string): void {
  const bytes = readFileSync(file);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

const DENIES_ITSELF = /"permissionDecision":"deny","permissionDecisionReason":"shell-guard: /;

describe("a guard that ships", () => {
  test.each(["dist/bundle/hookbox.cjs", "dist/cli/main.js"])(
    "is run by %s as it was admitted at the build",
    async (main) => {
      rmSync(guard(MODULE));
      expect(await run(main)).toMatch(DENIES_ITSELF);
    },
  );

  test.each<[string, (file: string) => void]>([
    ["missing", (file) => rmSync(file)],
    ["exchanged", spoil],
    ["empty", (file) => writeFileSync(file, "")],
  ])("denies by name if its file is %s", async (_, harm) => {
    harm(guard(ADMITTED));
    expect(await run()).toMatch(/"permissionDecision":"deny".*HOOK_MODULE_DIGEST.*shell-guard\.admitted/);
  });

  test("denies by name if the memory that all guards have in common is exchanged", async () => {
    spoil(guard("engine.base"));
    expect(await run()).toMatch(/"permissionDecision":"deny".*HOOK_MODULE_DIGEST.*engine\.base/);
  });

  test("is admitted from the unadmitted engine if the admitted engine is exchanged", async () => {
    spoil(guard("engine.admitted"));
    expect(await run()).toMatch(DENIES_ITSELF);
  });

  test("denies by name if both forms of the engine are exchanged", async () => {
    spoil(guard("engine.admitted"));
    const engine = join(installed, ENGINE);
    rmSync(engine);
    cpSync(join(ROOT, ENGINE), engine);
    spoil(engine);
    expect(await run()).toMatch(/"permissionDecision":"deny".*HOOK_MODULE_DIGEST/);
  });
});
