import { existsSync } from "node:fs";
import { join } from "node:path";
import { callersEnvironment } from "../../caller.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";

/** The variable that switches hookbox off. The user sets it when the user starts the agent. */
export const OFF_VARIABLE = "HOOKBOX_OFF";

const folders: string[] = [];

/** Adds the folder of the server's socket. The server has no variables of the user's, such as XDG_STATE_HOME. */
export function lookForOffFileIn(folder: string): void {
  folders.push(folder);
}

/** Returns where the record of `hookbox disable` may be. `disable` writes the first. */
export function offFiles(): readonly string[] {
  return [defaultStateFolder(), ...folders].map((folder) => join(folder, "disabled.json"));
}

/** Whether hookbox may be off. Checks only that the variable or a file exists, because every event needs this check. */
export function mayBeOff(): boolean {
  try {
    return callersEnvironment()[OFF_VARIABLE] !== undefined || offFiles().some((file) => existsSync(file));
  } catch {
    // Without a home folder, `hookbox disable` cannot have written its file.
    return false;
  }
}
