import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accountOf, approveFor } from "../e2e/approve.ts";
import { MAIN } from "../e2e/cli.ts";

/**
 * Writes a program `hookbox` into a folder, for an account whose home is `home`, and approves the project's files with
 * rules, because a session without a user cannot approve anything.
 */
export async function writeHookbox(
  folder: string,
  home: string,
  project: string,
  files: readonly string[],
): Promise<void> {
  const { NODE_OPTIONS } = accountOf(home);
  const program = join(folder, "hookbox");
  mkdirSync(folder, { recursive: true });
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" ${NODE_OPTIONS} "${MAIN}" "$@"\n`);
  chmodSync(program, 0o755);
  for (const file of files.filter((one) => /hookbox\.json$|^own\/settings\.json$/.test(one)))
    await approveFor(["run", "--config", join(project, file)], home, { cwd: project, env: { HOME: home } });
}
