import { expect, test } from "vitest";
import { bashCall, hookbox, project } from "./cli.ts";

/** A rule that applies but cannot run is reported as such. */

const HOOKS = [
  { type: "wasm", module: "builtin:shell-guard" },
  { type: "wasm", name: "missing", module: "./missing.wasm" },
];

test("check distinguishes rules that load from rules whose module does not", async () => {
  const config = project().configure("PreToolUse", ...HOOKS);
  const { exitCode, stdout } = await hookbox(["check", "--json", config]);
  expect(exitCode).toBe(1);
  const { rules } = JSON.parse(stdout) as { rules: { rule: string; loaded: boolean }[] };
  expect(rules).toMatchObject([
    { rule: "shell-guard", loaded: true },
    { rule: "missing", loaded: false },
  ]);
});

test("explain says which of the rules that apply will fail, and why", async () => {
  const config = project().configure("PreToolUse", ...HOOKS);
  const shown = await hookbox(["explain", "--config", config], { stdin: bashCall("ls") });
  expect(shown.stdout).toMatch(/runs {3}shell-guard/);
  expect(shown.stdout).toMatch(/fails {2}missing.*\n.*\n.*could not be loaded: .*missing\.wasm does not exist/);
  const data = await hookbox(["explain", "--json", "--config", config], { stdin: bashCall("ls") });
  const { rules } = JSON.parse(data.stdout) as { rules: { problem: { code: string } | null }[] };
  expect(rules.map(({ problem }) => problem?.code ?? null)).toEqual([null, "HOOK_MODULE_NOT_FOUND"]);
});

test("explain reports a URL that cannot be used and a program that does not exist", async () => {
  const config = project().configure(
    "PreToolUse",
    { type: "http", name: "web", url: "localhost:8123/x" },
    { type: "command", name: "gone", command: "./gone.sh" },
    { type: "command", name: "there", command: "true" },
  );
  const { stdout } = await hookbox(["explain", "--config", config], { stdin: bashCall("ls") });
  expect(stdout).toMatch(/fails {2}web.*\n.*\n.*the URL must begin with http: or https:/);
  expect(stdout).toMatch(
    /fails {2}gone.*\n.*\n +the command of rule "gone" cannot be started: .*gone\.sh does not exist/,
  );
  expect(stdout).toMatch(/runs {3}there/);
});
