import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bashCall, project } from "../e2e/cli.ts";
import { inProcess } from "../e2e/in-process.ts";

/** With `--json`, a problem that stops a command is JSON on standard output, and also text on standard error. */

/** Each command, with arguments that it cannot use. */
const FAILURES: Readonly<Record<string, readonly (readonly [args: readonly string[], code: string])[]>> = {
  run: [
    [["--config", "hookbox.json", "--dialect", "nobody"], "HOOK_CLI_USAGE"],
    [["--config", "hookbox.json"], "HOOK_PAYLOAD_INVALID"],
    [["--lines", "--dialect", "nobody"], "HOOK_CLI_USAGE"],
  ],
  check: [[["--format", "nobody", "hooks.json"], "HOOK_API_MISUSE"]],
  explain: [[["--config", "hookbox.json"], "HOOK_PAYLOAD_INVALID"]],
  hooks: [[["list", "missing.json"], "HOOK_CONFIG_NOT_FOUND"]],
  convert: [[["missing.json", "--from", "hookbox", "--to", "agentao"], "HOOK_CONFIG_NOT_FOUND"]],
  inspect: [[["missing.wasm"], "HOOK_MODULE_NOT_FOUND"]],
  lock: [[["--config", "missing.json"], "HOOK_CONFIG_NOT_FOUND"]],
  trust: [[["--config", "missing.json"], "HOOK_CONFIG_NOT_FOUND"]],
  except: [[["--guard", "shell-guard"], "HOOK_CLI_USAGE"]],
  new: [[["No Name"], "HOOK_NEW_FOLDER"]],
  build: [[["missing"], "HOOK_BUILD_NOT_FOUND"]],
  test: [
    [["missing"], "HOOK_BUILD_NOT_FOUND"],
    [["--conformance", "missing.wasm"], "HOOK_MODULE_NOT_FOUND"],
  ],
  snapshots: [[["show", "7"], "HOOK_BUILTIN"]],
  init: [[["no-such-agent"], "HOOK_INIT_AGENT"]],
  doctor: [[["no-such-agent"], "HOOK_CLI_USAGE"]],
  serve: [[["extra"], "HOOK_CLI_USAGE"]],
  relay: [],
  disable: [[["--for", "soon"], "HOOK_CLI_USAGE"]],
  enable: [[["extra"], "HOOK_CLI_USAGE"]],
  demo: [],
  completion: [],
  keep: [],
};

async function verbsInHelp(): Promise<readonly string[]> {
  const { stdout } = await inProcess(["--help"]);
  return [...stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, verb]) => verb as string);
}

test("the table has every command of the help", async () => {
  expect(Object.keys(FAILURES)).toEqual(expect.arrayContaining([...(await verbsInHelp())]));
});

describe.each(Object.keys(FAILURES))("hookbox %s --json", (verb) => {
  test.each([[["--no-such-option"], "HOOK_CLI_USAGE"] as const, ...(FAILURES[verb] ?? [])])(
    "prints one JSON object for %j",
    async (args, code) => {
      if (verb === "keep") return;
      const place = project();
      const hook = { type: "command", command: "true" };
      place.write("hookbox.json", JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
      place.write("hooks.json", "{}");
      const { exitCode, stdout, stderr } = await inProcess([verb, ...args, "--json"], { cwd: place.folder });
      expect({ exitCode, failed: stderr !== "" }).toEqual({ exitCode: 2, failed: true });
      if (args.includes("--lines")) expect(stdout.trim()).not.toContain("\n");
      const { error } = JSON.parse(stdout) as { readonly error: { readonly code: string; readonly message: string } };
      expect(Object.keys(error)).toEqual(["code", "message", "hint", "place"]);
      expect(error.code).toBe(code);
      expect(stderr).toContain(error.message);
    },
  );
});

test("an unknown command prints a JSON object, too", async () => {
  const { stdout } = await inProcess(["chek", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: "HOOK_CLI_USAGE", hint: expect.stringContaining('"check"') },
  });
});

test("with an event on standard input, run prints the refusal that its agent reads and no second object", async () => {
  const { exitCode, stdout } = await inProcess(["run", "--json", "--no-such-option"], { stdin: bashCall("ls") });
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
});

test("without --json, standard output stays empty", async () => {
  expect((await inProcess(["inspect", join("no", "module.wasm")])).stdout).toBe("");
});
