import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { project } from "../e2e/cli.ts";
import { inProcess } from "../e2e/in-process.ts";

/** A misspelt word on the command line gets a suggestion, and the command's own help. */

test.each<[readonly string[], string]>([
  [["chek"], 'did you mean "check"?'],
  [["check", "--jsno"], 'did you mean "--json"? hookbox check --help'],
  [["build", "--no-tst"], 'did you mean "--no-test"? hookbox build --help'],
  [["hooks", "add", "f.json", "PreToolUse", "--comand", "x"], 'did you mean "--command"? hookbox hooks --help'],
  [["new", "x", "--lang", "rusty"], 'did you mean "rust"? hookbox new --help'],
  [["run", "--dialect", "cluade-code"], 'did you mean "claude-code"? hookbox run --help'],
  [["run", "--compat", "faithfull"], 'did you mean "faithful"?'],
  [["convert", "f.json", "--from", "hookbx", "--to", "agentao"], 'did you mean "hookbox"? hookbox convert --help'],
  [["inspect", "x.wasm", "--grant", "hots"], 'did you mean "hosts"? hookbox inspect --help'],
  [["snapshots", "udno"], 'did you mean "undo"? hookbox snapshots --help'],
  [["completion", "bsh"], 'did you mean "bash"? hookbox completion --help'],
  [["check", "--format", "claud-code", "f.json"], 'did you mean "claude-code"?'],
])("%j", async (args, hint) => {
  const place = project();
  place.write("f.json", "{}");
  const { exitCode, stderr } = await inProcess(args, { cwd: place.folder });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(hint);
});

test("an option that is close to no other gets only the help", async () => {
  const { stderr } = await inProcess(["check", "--zzzzzzzzz"]);
  expect(stderr).toBe("hookbox: HOOK_CLI_USAGE: Unknown option '--zzzzzzzzz'\n  hookbox check --help\n");
});

test.each([
  ["builtin:shel-guard", 'did you mean "shell-guard"?'],
  ["guards/guad.wasm", 'did you mean "guard.wasm"?'],
])("check suggests a module for %s", async (module, hint) => {
  const place = project();
  mkdirSync(`${place.folder}/guards`);
  place.write("guards/guard.wasm", "");
  const { stdout } = await inProcess(["check", place.configure("PreToolUse", { type: "wasm", module })]);
  expect(stdout).toContain(hint);
});
