import { type ChildProcess, spawn } from "node:child_process";

export interface ChildForm {
  /** A path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export function startChild(form: ChildForm, input: Uint8Array): ChildProcess {
  const child: ChildProcess = spawn(form.file, form.args, {
    cwd: form.cwd,
    env: form.env,
    stdio: "pipe",
    // A session of its own: no terminal to talk to, and one id that reaches every descendant.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  // A hook need not read its input: EPIPE is no failure. There are no streams when we are out of descriptors.
  for (const stream of child.stdio ?? []) stream?.on("error", () => {});
  child.stdin?.end(input);
  return child;
}

/** Lets go of the pipes, which a process that left the group could otherwise keep open for ever. */
export function releasePipes(child: ChildProcess): void {
  for (const stream of child.stdio ?? []) stream?.destroy();
}
