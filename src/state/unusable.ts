import { HookError } from "../errors.ts";

/** What is wrong with which file or folder of the state folder, and what the user has to do. */
export function unusable(path: string, what: string, mend: string): HookError {
  return new HookError("HOOK_STATE", `${path} ${what}; to mend it: ${mend}`, { hint: mend });
}

/** The same for an error of the file system; other errors unchanged. */
export function asUnusable(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof HookError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== "string") return error;
  const mend = MENDS[code] ?? "let this user write there, or set XDG_STATE_HOME to a folder where that is so";
  return unusable(path, `cannot be used (${code})`, mend);
}

const FREE_SPACE = "free some space on its disk";
const MENDS: Readonly<Record<string, string>> = {
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  EMFILE: "allow this process more open files",
  ENFILE: "close some files: the system has too many open",
};
