import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookbox } from "../e2e/cli.ts";
import { makeFolder } from "../helpers/folders.ts";
import { answering } from "../helpers/guests.ts";
import { NODE, payload, RELAYS, relay, serve, socketFolder } from "./relays.ts";

/** The first call of a project prepares only the rules that the call needs. */

const [command = []] = Object.values(RELAYS);
const DENIED = '"permissionDecision":"deny"';

test("a server answers the first call while a rule of another event cannot be prepared", async () => {
  const folder = makeFolder({});
  const started = join(folder, "started");
  // An MCP server that never answers. Preparing its rule asks the server for its tools.
  const script = `require("fs").writeFileSync(${JSON.stringify(started)}, ""); process.stdin.resume();`;
  const config = join(folder, "hookbox.json");
  const rules = {
    mcpServers: { silent: { command: NODE, args: ["-e", script] } },
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }],
      PostToolUse: [{ hooks: [{ type: "mcp_tool", server: "silent", tool: "judge", timeout: 500 }] }],
    },
  };
  writeFileSync(config, JSON.stringify(rules));
  const socket = join(socketFolder(), "s");
  await serve(socket);
  const args = ["--event", "PreToolUse", "--config", config, "--patience", "9"];
  const asked = () => relay(command, socket, { cwd: makeFolder({}), stdin: payload("rm -rf /"), args });
  const { stdout, stderr } = await asked();
  expect(stdout, stderr).toContain(DENIED);
  // The rule is prepared after the answer.
  await expect.poll(() => existsSync(started)).toBe(true);
  expect((await asked()).stdout).toContain(DENIED);
  const { projects } = JSON.parse((await hookbox(["serve", "--status", "--socket", socket])).stdout);
  expect(projects[0]).toMatchObject({ rules: 2, problems: [] });
});

test("a server that is asked for its state shows the problems of all rules after the first call", async () => {
  const folder = makeFolder({});
  const config = join(folder, "hookbox.json");
  const hooks = {
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }],
    PostToolUse: [{ hooks: [{ type: "wasm", module: "./missing.wasm" }] }],
  };
  writeFileSync(config, JSON.stringify({ hooks }));
  const socket = join(socketFolder(), "s");
  await serve(socket);
  const args = ["--event", "PreToolUse", "--config", config];
  expect((await relay(command, socket, { stdin: payload("rm -rf /"), args })).stdout).toContain(DENIED);
  const { projects } = JSON.parse((await hookbox(["serve", "--status", "--socket", socket])).stdout);
  expect(projects[0].problems).toEqual([expect.stringContaining("HOOK_MODULE_NOT_FOUND")]);
});

test("a server whose rules come from the cache reports an approved module that has changed", async () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "wasm", module: "./guard.wasm" }] }] };
  const cwd = makeFolder({ "hookbox.json": JSON.stringify({ hooks }) });
  const module = join(cwd, "guard.wasm");
  writeFileSync(module, answering("{}"));
  const socket = join(socketFolder(), "s");
  const problems = async (approves: boolean): Promise<readonly string[]> => {
    const server = await serve(socket);
    await relay(command, socket, { cwd, approves });
    const { projects } = JSON.parse((await hookbox(["serve", "--status", "--socket", socket])).stdout);
    await hookbox(["serve", "--stop", "--socket", socket]);
    await server.ended;
    return projects[0].problems;
  };
  expect(await problems(true)).toEqual([]);
  // An empty custom section makes another file with the same guard.
  appendFileSync(module, Uint8Array.of(0, 2, 1, 0x78));
  expect(await problems(false)).toEqual([expect.stringContaining("has another module")]);
});
