import { HookError } from "../errors.ts";

/** Creates an error for a file or folder of the state folder, with the cause and the remedy for the user. */
export function stateError(path: string, what: string, remedy: string): HookError {
  return new HookError("HOOK_STATE", `${path} ${what}; to fix it: ${remedy}`, { hint: remedy });
}

/** Converts an error of the file system. Returns other errors unchanged. */
export function asStateError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof HookError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== "string") return error;
  const remedy =
    REMEDIES[code] ?? "let this user write there, or set XDG_STATE_HOME to a folder that this user can write to";
  return stateError(path, `cannot be used (${code})`, remedy);
}

const FREE_SPACE = "free some space on its disk";
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  EMFILE: "allow this process more open files",
  ENFILE: "close some files: the system has too many open",
};
