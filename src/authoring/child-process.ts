import { spawn } from "node:child_process";

/** The exit code and the output of a program that has ended. */
interface Finished {
  /** The exit code. -1 if a signal ended the program. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd: string;
  /** Variables in addition to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program without a shell. Resolves to `undefined` if the program does not exist. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: RunOptions,
): Promise<Finished | undefined> {
  return new Promise((resolve) => {
    // Messages are in English and without colours, because hookbox parses them.
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
