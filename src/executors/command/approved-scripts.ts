import { resolve } from "node:path";
import type { Problem } from "../../errors.ts";
import { digestOfFile } from "../../files/file-digest.ts";
import { leadsIntoProject } from "../../project-folder.ts";
import type { ApprovedScripts, Rule } from "../../rule.ts";
import { cleanLine } from "../../text.ts";
import type { SpawnForm } from "./spawn-form.ts";

/**
 * Returns why a command may not start: a script that it names in the project is not the one that the user approved.
 * Called right before the start, with the working directory and the variables of the command.
 */
export async function whyNotApproved(
  { project, digests }: ApprovedScripts,
  { baseDir }: Rule,
  { cwd, env }: Pick<SpawnForm, "cwd" | "env">,
): Promise<string | undefined> {
  for (const [word, approved] of Object.entries(digests)) {
    const path = word
      .replace(/^~(?=\/)/, env["HOME"] ?? "~")
      .replace(/\$(?:\{(\w+)[^}]*\}|(\w+))/g, (_, braced?: string, plain?: string) => env[braced ?? plain ?? ""] ?? "");
    const places = new Set([cwd, baseDir, project].map((folder) => resolve(folder, path)));
    let isThere = false;
    for (const place of places) {
      if (!leadsIntoProject(place, project)) continue;
      const digest = await digestOfFile(place);
      if (digest === undefined) continue;
      isThere = true;
      if (!approved.includes(digest))
        return `${cleanLine(place)} is not the script that you approved; review it with "hookbox trust"`;
    }
    if (!isThere && approved.length > 0)
      return `the script ${cleanLine(word)}, which you approved, is gone; review it with "hookbox trust"`;
  }
  return undefined;
}

/** Reports a changed script before an event. Only the project's own folder is known then. */
export async function changedScript(approved: ApprovedScripts, rule: Rule): Promise<readonly Problem[]> {
  const message = await whyNotApproved(approved, rule, {
    cwd: approved.project,
    env: { CLAUDE_PROJECT_DIR: approved.project },
  });
  if (message === undefined) return [];
  const { name, place } = rule;
  return [
    {
      severity: "error",
      code: "HOOK_TRUST_CHANGED",
      message: `rule "${name}": ${message}`,
      ...(place === undefined ? {} : { place }),
    },
  ];
}
