import { tmpdir } from "node:os";
import type { HookEvent } from "../../event.ts";
import { type Disk, pathsOf } from "../../processes/search-path.ts";
import type { Rule } from "../../rule.ts";
import { expandPath } from "../expand-path.ts";
import type { CommandHandler } from "./spawn-form.ts";

/** Where a command hook starts. */
export type WorkingDirectory =
  | {
      readonly ok: true;
      readonly folder: string;
      /** A setting that did not count, and why. */
      readonly note?: string;
    }
  | { readonly ok: false; readonly reason: string };

export interface Place {
  /** The child's environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly disk: Disk;
}

/** A folder that is configured and missing is a failure: in any other one the same command may mean something else. */
export function workingDirectory(
  rule: Rule,
  { workingDir }: CommandHandler,
  event: HookEvent,
  place: Place,
): WorkingDirectory {
  const { platform, disk } = place;
  if (workingDir === undefined) return { ok: true, folder: usualDirectory(rule, event, place) };
  const expanded = expandPath(workingDir, place.variables, platform);
  if (expanded.trim() === "") {
    const folder = usualDirectory(rule, event, place);
    return { ok: true, folder, note: `workingDir "${workingDir}" expands to nothing; started in ${folder}` };
  }
  const folder = pathsOf(platform).resolve(rule.baseDir, expanded);
  if (disk.isDirectory(folder)) return { ok: true, folder };
  return { ok: false, reason: `its workingDir ${folder} is not a folder` };
}

/**
 * An agent's own hooks start where the agent is. Ours start where their file is: `./audit.sh` must not mean whatever
 * stands under that name in a folder that the agent chose. A folder may have been deleted since the session began.
 */
function usualDirectory(rule: Rule, event: HookEvent, { platform, disk }: Place): string {
  const { cwd } = event.payload;
  const isAgents = rule.codec.startsAt === "agent" && typeof cwd === "string" && pathsOf(platform).isAbsolute(cwd);
  return [...(isAgents ? [cwd] : []), rule.baseDir].find((folder) => disk.isDirectory(folder)) ?? tmpdir();
}
