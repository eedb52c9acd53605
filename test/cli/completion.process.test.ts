import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { inProcess } from "../e2e/in-process.ts";

const scriptFor = async (shell: string): Promise<string> => (await inProcess(["completion", shell])).stdout;

/** Returns what bash would offer for the last of these words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _hookbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", `${await scriptFor("bash")}\n${ask}`], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

describe.skipIf(spawnSync("bash", ["-c", "type complete"]).status !== 0)("completion in bash", () => {
  test("offers the commands that start with the typed text, and no hidden one", async () => {
    expect(await offered("hookbox", "c")).toEqual(["check", "convert", "completion"]);
    expect(await offered("hookbox", "")).not.toContain("keep");
  });

  test("offers a command's own options and actions", async () => {
    expect(await offered("hookbox", "build", "--no-")).toEqual(["--no-test", "--no-types"]);
    expect(await offered("hookbox", "hooks", "en")).toEqual(["enable"]);
    expect(await offered("hookbox", "completion", "z")).toEqual(["zsh"]);
  });

  test("offers every option that a command's help names", async () => {
    for (const verb of ["run", "check", "test", "build", "hooks", "lock", "inspect", "convert", "snapshots", "new"]) {
      const { stdout } = await inProcess([verb, "--help"]);
      const named = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z][a-z-]*[a-z])(?= |$)/gm)].map(
        ([, option]) => option as string,
      );
      const known = await offered("hookbox", verb, "--");
      expect({ verb, missing: named.filter((one) => !known.includes(one)) }).toEqual({
        verb,
        missing: [],
      });
    }
  });
});

test.each(["zsh", "fish"])(
  "the script for %s names each command with its options, and is valid if the shell is installed",
  async (shell) => {
    const script = await scriptFor(shell);
    for (const word of ["check", "no-types", "convert", "on-failure"]) expect(script).toContain(word);
    expect(script).not.toContain("keep hooks");
    const { error, stderr } = spawnSync(shell, ["-n"], { input: script, encoding: "utf8" });
    if (error === undefined) expect(stderr).toBe("");
  },
);
