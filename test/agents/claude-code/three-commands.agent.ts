import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { bash } from "./calls.ts";
import { installClaudeCode } from "./install.ts";
import { startMessagesApi } from "./messages-api.ts";
import { CLIENT_VARIABLES } from "./session.ts";

/** A machine with Node and the client, an empty home and an empty folder: three commands to the first denied call. */

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../../..");
const DANGEROUS = "touch ran; git push --force nowhere main";

test.each(["2.1.197", "latest"])("three commands lead to a denied call in Claude Code %s", async (version) => {
  const { binary } = await installClaudeCode(version);
  const root = mkdtempSync(join(tmpdir(), "hookbox-three-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const [home, folder, programs] = ["home", "folder", "programs"].map((name) => {
    mkdirSync(join(root, name));
    return join(root, name);
  }) as [string, string, string];
  symlinkSync(binary, join(programs, "claude"));
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", root], { cwd: ROOT });
  const [packed = ""] = readdirSync(root).filter((name) => name.endsWith(".tgz"));
  const api = await startMessagesApi({ "Do it.": [bash(DANGEROUS), bash("echo fine > harmless", "toolu_2")] });
  onTestFinished(() => api.close());
  const env = {
    ...CLIENT_VARIABLES,
    PATH: `${programs}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home,
    ANTHROPIC_BASE_URL: api.url,
    // The packages that npm already has. Otherwise an empty home would load all of them again.
    npm_config_cache: (await run("npm", ["config", "get", "cache"], { cwd: ROOT })).stdout.trim(),
    npm_config_update_notifier: "false",
  };
  onTestFinished(async () => {
    await run("npx", ["hookbox", "serve", "--stop"], { cwd: folder, env }).catch(() => {});
  });

  const commands = [
    `npm install --prefer-offline --no-audit --no-fund ${join(root, packed)}`,
    "npx hookbox init claude-code --yes",
    "claude -p 'Do it.' --permission-mode bypassPermissions --output-format stream-json --verbose </dev/null",
  ];
  const took: string[] = [];
  let last = "";
  for (const command of commands) {
    const startedAt = performance.now();
    last = (await run("/bin/sh", ["-c", command], { cwd: folder, env, maxBuffer: 1 << 26 })).stdout;
    took.push(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s  ${command.slice(0, 60)}`);
  }
  console.info(took.join("\n"));

  expect(last).toContain("shell-guard: git push --force");
  expect(api.toolResults()).toMatchObject([
    { id: "toolu_1", isError: true, text: expect.stringMatching(/shell-guard: git push --force/) },
    { id: "toolu_2", isError: false },
  ]);
  expect(["ran", "harmless"].map((file) => existsSync(join(folder, file)))).toEqual([false, true]);
});
