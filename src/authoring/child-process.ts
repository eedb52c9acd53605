import { spawn } from "node:child_process";

/** A compiler that ran to its end, with what it said. */
export interface Finished {
  /** -1 where it was ended by a signal. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** On top of our own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program without a shell. `undefined` where there is no such program. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: RunOptions,
): Promise<Finished | undefined> {
  return new Promise((resolve) => {
    // Messages are read by us: in English, and without colours.
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, LC_ALL: "C", NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        said[stream] += text;
      });
    }
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve({ code: code ?? -1, ...said }));
  });
}
