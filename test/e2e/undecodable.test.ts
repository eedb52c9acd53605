import { expect, test } from "vitest";
import { folderWith } from "../config/config-files.ts";
import { inProcess } from "./in-process.ts";

/** Payloads with an event's name in a form that the named dialect does not read. */

const PAYLOADS = [
  ["agentao", { event: "Stop", data: {} }, [], 1],
  ["agentao", { event: "SessionEnd" }, [], 1],
  ["agentao", { hook_event_name: "PostToolUse", tool_name: "Bash" }, [], 1],
  ["agentao", { event: "PreToolUse" }, [], 2],
  ["agentao", { event: "UserPromptSubmit", data: "x" }, [], 2],
  ["agentao", { event: "Bogus", data: {} }, [], 2],
  ["agentao", { event: "Stop", data: {} }, ["--event", "PreToolUse"], 2],
  ["patterns", { hook_event_name: "Stop" }, ["--event", "PreToolUse"], 2],
] as const;

test.each(PAYLOADS)(
  "as a payload of %s, %j with %j ends with exit code %i",
  async (dialect, payload, more, expected) => {
    const cwd = folderWith({ "hooks.json": "{}" });
    const args = ["run", "--config", `${dialect}:hooks.json`, "--dialect", dialect, ...more];
    const alone = await inProcess(args, { stdin: JSON.stringify(payload), cwd });
    expect([alone.exitCode, alone.stdout === ""]).toEqual([expected, expected === 1]);
    const { stdout } = await inProcess([...args, "--lines"], { stdin: `${JSON.stringify(payload)}\n`, cwd });
    const line = JSON.parse(stdout) as { exitCode: number; stdout: string };
    expect([line.exitCode, line.stdout]).toEqual([expected, alone.stdout]);
  },
);
