import { isAbsolute, join, resolve } from "node:path";
import type { Problem } from "../errors.ts";
import { UNREADABLE } from "../files/file-digest.ts";
import { digestOfScript, scriptFile, scriptPlace } from "../files/script-digest.ts";
import { leadsInto } from "../project-folder.ts";
import type { ApprovedScripts, Rule } from "../rule.ts";
import { cleanLine } from "../text.ts";

/** Where and with which variables a program is about to start. */
interface Start {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const REVIEW = 'review it with "hookbox trust"';

/**
 * Returns why a program may not start: a script that it names in the project, or a file that the script loads, is not
 * the one that the user approved. Called right before the start.
 */
export async function whyNotApproved(
  { project, digests, loads }: ApprovedScripts,
  { baseDir }: Pick<Rule, "baseDir">,
  { cwd, env }: Start,
): Promise<string | undefined> {
  for (const [word, approved] of Object.entries(digests)) {
    const path = namedPath(word, env);
    let isThere = false;
    for (const place of new Set([cwd, baseDir, project].map((folder) => scriptPlace(folder, path)))) {
      // A relative path leads out of the project after the agent's `cd`, and may name another script there.
      if (isAbsolute(path) && !leadsInto(scriptFile(place), project)) continue;
      const digest = await digestOfScript(place);
      if (digest === undefined) continue;
      isThere = true;
      if (digest === UNREADABLE || !approved.includes(digest))
        return `${cleanLine(place)} is not the script that you approved; ${REVIEW}`;
    }
    if (!isThere && approved.length > 0) return `the script ${cleanLine(word)}, which you approved, is gone; ${REVIEW}`;
    for (const [file, digest] of Object.entries(loads[word] ?? {}))
      if (((await digestOfScript(join(project, file))) ?? null) !== digest)
        return `${cleanLine(resolve(project, file))}, which the script ${cleanLine(word)} loads, has changed since you approved it; ${REVIEW}`;
  }
  return undefined;
}

/** Expands `~`, `$NAME`, `${NAME}` and `${NAME:-DEFAULT}` in the word of a command that names a script. */
export function namedPath(word: string, env: Start["env"]): string {
  return word
    .replace(/^~(?=\/)/, env["HOME"] ?? "~")
    .replace(/\$(?:\{(\w+)(?::?-([^}]*))?[^}]*\}|(\w+))/g, (_, braced?: string, otherwise?: string, plain?: string) => {
      const value = env[braced ?? plain ?? ""];
      return value === undefined || value === "" ? (otherwise ?? "") : value;
    });
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
