import { tmpdir } from "node:os";
import type { HookEvent } from "../../event.ts";
import { type Disk, pathsOf } from "../../processes/search-path.ts";
import type { HandlerOf, Rule } from "../../rule.ts";
import { expandPath } from "../expand-path.ts";

/** The working directory of a command hook. */
type WorkingDirectory =
  | {
      readonly ok: true;
      readonly folder: string;
      /** A setting that was ignored, with the reason. */
      readonly note?: string;
    }
  | { readonly ok: false; readonly reason: string };

interface Place {
  /** The child's environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly disk: Disk;
}

/** Returns the working directory. A missing configured folder is a failure, because another folder may be harmful. */
export function workingDirectory(
  rule: Rule,
  { workingDir }: HandlerOf<"command">,
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
 * Returns the default folder. An agent's own hooks start in the agent's directory. Rules of hookbox's own format start
 * in the folder of their file, because the agent's directory could contain another `./audit.sh`.
 */
function usualDirectory(rule: Rule, event: HookEvent, { platform, disk }: Place): string {
  const { cwd } = event.payload;
  const isAgents = rule.codec.startsAt === "agent" && typeof cwd === "string" && pathsOf(platform).isAbsolute(cwd);
  return [...(isAgents ? [cwd] : []), rule.baseDir].find((folder) => disk.isDirectory(folder)) ?? tmpdir();
}
