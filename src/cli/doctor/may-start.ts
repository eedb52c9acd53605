import { belongsToProject } from "../../project-folder.ts";
import { Approvals } from "../../state/approvals.ts";
import { readRecords } from "../init/record.ts";
import type { AgentSettings } from "./entries.ts";

/**
 * Whether `doctor` and `hooks fire` may start the entries of a settings file. A repository can contain settings whose
 * hook looks like an entry of hookbox. Such a file counts only as `hookbox init` has written it, or as the user has
 * approved it.
 */
export async function mayStart({ file, opened }: AgentSettings, cwd: string): Promise<boolean> {
  if (!belongsToProject(file, cwd)) return true;
  const text = opened?.before;
  if (text === undefined) return false;
  const record = (await readRecords())[opened?.path ?? file];
  return record?.after === text || (await new Approvals().get(file, null))?.text === text;
}
