import { type ChildProcess, spawn } from "node:child_process";
import type { SpawnForm } from "./spawn-form.ts";

export function startChild(form: SpawnForm, input: Buffer): ChildProcess {
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
