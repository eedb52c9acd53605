import { type ChildProcess, spawn } from "node:child_process";
import { MARK_VARIABLE, markValue, newMark } from "./hook-mark.ts";
import { ProcessGroup } from "./process-group.ts";

interface ChildForm {
  /** The path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface StartedChild {
  readonly child: ChildProcess;
  readonly group: ProcessGroup;
  /** The mark that its processes inherit. Linux only, because other systems do not show environments. */
  readonly mark: string | undefined;
}

export function startChild(form: ChildForm, input: Uint8Array): StartedChild {
  const mark = process.platform === "linux" ? newMark() : undefined;
  const child: ChildProcess = spawn(form.file, form.args, {
    cwd: form.cwd,
    env: mark === undefined ? form.env : { ...form.env, [MARK_VARIABLE]: markValue(mark, process.env) },
    stdio: "pipe",
    // The child gets its own session without a terminal, so that one group id reaches its descendants.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  // EPIPE is no failure, because a hook may ignore its input. Without free descriptors the streams do not exist.
  for (const stream of child.stdio ?? []) stream?.on("error", () => {});
  child.stdin?.end(input);
  return { child, group: new ProcessGroup(child.pid, mark), mark };
}

/** Closes the pipes, because a process that left the group could keep them open forever. */
export function releasePipes(child: ChildProcess): void {
  for (const stream of child.stdio ?? []) stream?.destroy();
}
