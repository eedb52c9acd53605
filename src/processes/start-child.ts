import { type ChildProcess, spawn } from "node:child_process";
import { MARK_VARIABLE, markValue, newMark } from "./hook-mark.ts";
import { ProcessGroup } from "./process-group.ts";

export interface ChildForm {
  /** A path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface StartedChild {
  readonly child: ChildProcess;
  readonly group: ProcessGroup;
  /** What its processes are known by. Linux only, as nobody else shows the environment of processes. */
  readonly mark: string | undefined;
}

export function startChild(form: ChildForm, input: Uint8Array): StartedChild {
  const mark = process.platform === "linux" ? newMark() : undefined;
  const child: ChildProcess = spawn(form.file, form.args, {
    cwd: form.cwd,
    env: mark === undefined ? form.env : { ...form.env, [MARK_VARIABLE]: markValue(mark, process.env) },
    stdio: "pipe",
    // A session of its own: no terminal to talk to, and one id that reaches every descendant.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  // A hook need not read its input: EPIPE is no failure. There are no streams when we are out of descriptors.
  for (const stream of child.stdio ?? []) stream?.on("error", () => {});
  child.stdin?.end(input);
  return { child, group: new ProcessGroup(child.pid, mark), mark };
}

/** Lets go of the pipes, which a process that left the group could otherwise keep open for ever. */
export function releasePipes(child: ChildProcess): void {
  for (const stream of child.stdio ?? []) stream?.destroy();
}
