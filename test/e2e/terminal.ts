import { spawn, spawnSync } from "node:child_process";
import { MAIN, ownFolders } from "./cli.ts";

/** Runs the given command on a pseudo-terminal, and types each answer once its question is shown. */
const SESSION = `
import fcntl, json, os, pty, struct, sys, termios
steps, command = json.loads(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    os.execv(command[0], command)
shown = b""
seen = 0
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    while steps and shown.find(steps[0][0].encode(), seen) >= 0:
        question, answer = steps.pop(0)
        seen = shown.find(question.encode(), seen) + len(question.encode())
        os.write(terminal, answer.encode())
_, status = os.waitpid(child, 0)
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(status))
`;

export const hasTerminals =
  process.platform !== "win32" &&
  spawnSync("python3", ["-c", "import os, pty; os.waitstatus_to_exitcode"]).status === 0;

/** Runs the built command line with a user who answers its question with these keys. */
export function hookboxOnTerminal(
  args: readonly string[],
  {
    cwd,
    ...how
  }: { readonly cwd: string } & (
    | { readonly keys: string }
    /** What is shown, and the keys that answer it. */
    | { readonly steps: readonly (readonly [question: string, keys: string])[] }
  ),
): Promise<{ readonly exitCode: number | null; readonly shown: string }> {
  return new Promise((done, reject) => {
    const steps = "keys" in how ? [["[y/N]", how.keys]] : how.steps;
    const command = ["-c", SESSION, JSON.stringify(steps), process.execPath, MAIN, ...args];
    const env = { PATH: process.env["PATH"] ?? "", ...ownFolders(), TERM: "xterm" };
    const child = spawn("python3", command, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
    const shown: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => shown.push(chunk));
    child.on("error", reject);
    child.on("close", (exitCode) => done({ exitCode, shown: Buffer.concat(shown).toString() }));
  });
}
