import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import * as library from "../../src/index.ts";
import { bashCall } from "./cli.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");
const INSTALL_MS = 240_000;

describe("the package", () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "hookbox-package-"));
    // Without scripts: a build would take dist/ away from the tests that run meanwhile.
    await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], { cwd: ROOT });
    writeFileSync(join(folder, "package.json"), '{"name":"user","private":true,"type":"module"}');
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    const tarball = join(folder, `hookbox-${version}.tgz`);
    await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", tarball], {
      cwd: folder,
    });
    return () => rmSync(folder, { recursive: true, force: true });
  }, INSTALL_MS);

  test("runs its demo from an empty folder, with every hostile guard contained", async () => {
    const { stdout } = await run("npx", ["--no-install", "hookbox", "demo", "--json"], { cwd: folder });
    const { decisions, trials } = JSON.parse(stdout) as {
      decisions: { command: string; verdict: { decision: string } }[];
      trials: { guard: string; contained: boolean }[];
    };
    expect(decisions.map(({ command, verdict }) => [command, verdict.decision])).toEqual([
      ["rm -rf /", "deny"],
      ["npm test", "none"],
      ["make deploy", "deny"],
    ]);
    expect(trials.length).toBeGreaterThanOrEqual(5);
    expect(trials.filter(({ contained }) => !contained)).toEqual([]);
  });

  test("answers as an agent's hook", async () => {
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] };
    writeFileSync(join(folder, "hookbox.json"), JSON.stringify({ hooks }));
    writeFileSync(join(folder, "event.json"), bashCall("rm -rf /"));
    const { stdout } = await run("sh", ["-c", "npx --no-install hookbox run < event.json"], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });

  test("is a library with the names that its source exports, and types", async () => {
    const script = `import * as hookbox from "hookbox"; console.log(JSON.stringify(Object.keys(hookbox).sort()))`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(Object.keys(library).sort());
    expect(readFileSync(join(folder, "node_modules/hookbox/dist/index.d.ts"), "utf8")).toContain("createEngine");
  });

  test("has Agentao's side of hooks under a name of its own", async () => {
    const script = `import { createAgentaoHost } from "hookbox/agentao";
      const host = await createAgentaoHost();
      const answer = await host.turn({ sessionId: "s", cwd: "." }).userPromptSubmit("hi");
      console.log(answer.text);
      await host.close();`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    expect(stdout.trim()).toBe("hi");
    const types = readFileSync(join(folder, "node_modules/hookbox/dist/hosts/agentao/index.d.ts"), "utf8");
    expect(types).toContain("StopHookResult");
  });

  test("has its JSON schema where the documentation says", async () => {
    const script = `import schema from "hookbox/schema" with { type: "json" }; console.log(schema.properties.hooks.type)`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--no-warnings", "-e", script], {
      cwd: folder,
    });
    expect(stdout.trim()).toBe("object");
  });
});

test("the library's surface is what was agreed on", () => {
  expect(Object.keys(library).sort()).toEqual(["ERROR_CODES", "EVENT_NAMES", "HookError", "createEngine"]);
});
