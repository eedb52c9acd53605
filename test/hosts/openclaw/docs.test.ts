import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { HOOKS, type HookName } from "../../../src/hosts/openclaw/catalogue.ts";
import { Failures } from "../../../src/hosts/openclaw/failure.ts";
import type { PluginEntry } from "../../../src/hosts/openclaw/index.ts";
import { STDERR_LOG } from "../../../src/hosts/openclaw/log-text.ts";
import { blocksOf } from "../../pages/blocks.ts";
import { hosted } from "./hosted.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(ROOT, "docs/openclaw.md"), "utf8");
const ours = pathToFileURL(join(ROOT, "src/hosts/openclaw/index.ts")).href;

/** Runs the page's block in this language as a module, with our functions in place of packages. */
async function moduleOf(language: string): Promise<Record<string, unknown>> {
  const block = blocksOf("docs/openclaw.md").find((one) => one.language === language);
  if (block === undefined) throw new Error(`no block in ${language}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `example-${language}.mts`);
  writeFileSync(
    file,
    block.text.replace(/"(hookbox\/openclaw|openclaw\/plugin-sdk\/plugin-entry)"/, JSON.stringify(ours)),
  );
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>;
}

// Inside the repository, because modules elsewhere are not compiled.
const folder = join(ROOT, "test-report", `openclaw-${process.pid}`);
const work = mkdtempSync(join(tmpdir(), "hookbox-openclaw-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(work, { recursive: true, force: true });
});

test("the page's example of a plugin host asks, and runs the call", async () => {
  const { result } = await moduleOf("ts");
  expect(result).toMatchObject({ status: "executed", result: "found nothing for internal prices" });
});

test("the page's table of timeouts is the host's", () => {
  const rows = [...page.matchAll(/^\| (`[^|]+`) \| (\d+) \| ([^|]+) \|$/gm)];
  const said = rows.flatMap(([, hooks = "", timeoutMs, end]) =>
    [...hooks.matchAll(/`(\w+)`/g)].map(([, hook]) => [hook, Number(timeoutMs), end === "refused"] as const),
  );
  const failures = new Failures({}, STDERR_LOG);
  const known = Object.entries(HOOKS).flatMap(([hook, row]) =>
    "timeoutMs" in row ? [[hook, row.timeoutMs, failures.isClosed(hook as HookName)] as const] : [],
  );
  expect([...said].sort()).toEqual([...known].sort());
});

describe("the page's plugin that asks hookbox", () => {
  const run = async (script: string, { timeoutMs = 5_000, params = { command: "ls" } } = {}) => {
    const command = join(work, `hookbox-${randomUUID()}`);
    writeFileSync(command, `#!/bin/sh\n${script}\n`);
    chmodSync(command, 0o755);
    vi.stubEnv("HOOKBOX_COMMAND", command);
    vi.stubEnv("HOOKBOX_TIMEOUT_MS", String(timeoutMs));
    vi.stubEnv("HOOKBOX_CONFIG", join(work, "hookbox.json"));
    vi.resetModules();
    const { host } = hosted();
    host.use((await moduleOf("js"))["default"] as PluginEntry);
    const result = await host.toolCall(
      { toolName: "exec", params },
      { execute: (given) => given, approve: () => "deny" },
    );
    vi.unstubAllEnvs();
    return result;
  };
  const blocked = (reason: string) => ({ status: "blocked", reason: expect.stringContaining(reason) });

  test.each([
    ["{}", { status: "executed", params: { command: "ls" } }],
    ['{"params":{"command":"ls -n"}}', { status: "executed", params: { command: "ls -n" } }],
    ['{"block":true,"blockReason":"no"}', blocked("no")],
    ['{"requireApproval":{"title":"T","description":"d"}}', blocked("Denied by user")],
  ])("uses its answer %s", async (answer, result) => {
    expect(await run(`cat > /dev/null; echo '${answer}'`)).toMatchObject(result);
  });

  test.each([
    ["dies", "kill -9 $$", "ended with"],
    ["ends with a refusal of its own", "cat > /dev/null; exit 2", "ended with 2"],
    ["says nothing", "cat > /dev/null", "has not answered"],
    ["says what is no JSON", "cat > /dev/null; echo fine", "has not answered"],
    ["says what is no object", "cat > /dev/null; echo null", "no object"],
    ["says what nobody can read", `cat > /dev/null; echo '{"block":"yes"}'`, "hook failed"],
  ])("blocks when it %s", async (_, script, reason) => {
    expect(await run(script)).toMatchObject(blocked(reason));
  });

  test("blocks if it takes too long", async () => {
    expect(await run("exec sleep 5", { timeoutMs: 100 })).toMatchObject(blocked("has not answered"));
  });

  test("lets hookbox itself judge the call", { timeout: 30_000 }, async () => {
    const deny = `cat > /dev/null; echo '{"decision":"block","reason":"not on this machine"}'`;
    const rule = {
      matcher: "Bash",
      hooks: [{ type: "command", name: "house-rule", command: deny, if: "Bash(shutdown *)" }],
    };
    writeFileSync(join(work, "hookbox.json"), JSON.stringify({ hooks: { PreToolUse: [rule] } }));
    const script = `exec '${process.execPath}' --import '${ROOT}/node_modules/tsx/dist/loader.mjs' '${ROOT}/src/cli/main.ts' "$@"`;
    const judged = (command: string) => run(script, { params: { command }, timeoutMs: 20_000 });
    expect(await judged("shutdown -h now")).toMatchObject(blocked("not on this machine"));
    expect(await judged("uptime")).toMatchObject({ status: "executed" });
  });
});
