import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { buildGuard } from "../../src/authoring/build.ts";
import { createEngine } from "../../src/index.ts";
import { digestOfBuild, digestsOfBuilds, GUARD_FOLDERS, readGoldenBuilds } from "./built-guards.ts";

const folder = mkdtempSync(join(tmpdir(), "hookbox-builds-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("guards in TypeScript have the same bytes on every machine and with every Node version", async () => {
  const how = "if the SDK, the engine or esbuild was changed on purpose: npm run build && npm run golden";
  expect(await digestsOfBuilds(buildGuard), how).toEqual(readGoldenBuilds());
});

test("a guard has the same bytes in any folder", async () => {
  const { "reads-versions": original = "" } = GUARD_FOLDERS;
  const elsewhere = join(folder, "some where/else");
  cpSync(original, elsewhere, { recursive: true });
  // It determines how `import` reads CommonJS packages, so it is a part of what is built.
  writeFileSync(join(elsewhere, "package.json"), '{ "type": "module" }');
  symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"), "dir");
  expect(await digestOfBuild(buildGuard, elsewhere)).toBe(await digestOfBuild(buildGuard, original));
});

test.each([
  ["reads-shell", 'true; if [ -f x ]; then bash -c "ls" && $(rm x); fi', "runs rm"],
  ["reads-versions", "npm install left-pad@0.0.3", "left-pad 0.0.3 is not in >=1.3.0 <2"],
])("%s, which includes a library from npm, denies in an engine", async (name, command, reason) => {
  const { wasm } = await buildGuard(GUARD_FOLDERS[name] ?? "");
  const module = join(folder, `${name}.wasm`);
  writeFileSync(module, wasm);
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", name, module }] }] } },
    cacheDir: false,
    sandbox: { threads: 1 },
  });
  onTestFinished(() => engine.close());
  expect(engine.problems).toEqual([]);
  const ask = (text: string) => engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command: text } });
  expect(await ask(command)).toMatchObject({ decision: "deny", reason: expect.stringContaining(reason) });
  expect(await ask("npm test")).toMatchObject({ decision: "none", rules: [{ failure: null }] });
});
