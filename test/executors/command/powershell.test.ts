import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ABSENT } from "../../helpers/folders.ts";
import { commandRule, run, runToFailure, scratchFolder, textOf } from "./command-rule.ts";

/** PowerShell is not installed here; a script replaces it and shows its arguments. */
function stranger(name: string, script: string): string {
  const folder = scratchFolder();
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

const ECHO = 'for argument; do printf "<%s>" "$argument"; done';

describe("a hook for PowerShell", () => {
  test("is passed as one argument, without profile or prompts", async () => {
    const PATH = `${stranger("powershell", ECHO)}:/usr/bin:/bin`;
    const text = await textOf(
      commandRule({ command: 'Write-Output "$env:X" # done', shell: "powershell", env: { PATH } }),
    );
    expect(text).toMatch(
      /^<-NoProfile><-NonInteractive><-Command><Write-Output "\$env:X" # done\n[^>]*exit \$LASTEXITCODE/,
    );
  });

  test("prefers the newer PowerShell", async () => {
    const PATH = [stranger("powershell", "echo old"), stranger("pwsh", "echo new"), "/bin"].join(":");
    expect(await textOf(commandRule({ command: "x", shell: "powershell", env: { PATH } }))).toBe("new\n");
  });

  test("has its own exit codes: 127 and 137 do not mean what they mean in a POSIX shell", async () => {
    for (const code of [127, 137]) {
      const env = { PATH: `${stranger("pwsh", `exit ${code}`)}:/bin` };
      const failure = await runToFailure(commandRule({ command: "x", shell: "powershell", env }));
      expect(failure).toMatchObject({ kind: "exit", value: code });
    }
    const env = { PATH: `${stranger("pwsh", "echo no >&2; exit 2")}:/bin` };
    expect(await run(commandRule({ command: "x", shell: "powershell", env }))).toMatchObject({
      reply: { decision: "deny", reason: "no\n" },
    });
  });

  test("fails by name if PowerShell is missing", async () => {
    const env = { PATH: ABSENT };
    expect(await runToFailure(commandRule({ command: "x", shell: "powershell", env }))).toMatchObject({
      kind: "spawn",
      message: expect.stringContaining(`neither "pwsh" nor "powershell" was found on PATH (${ABSENT})`),
    });
  });
});
