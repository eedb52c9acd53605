import { readFileSync } from "node:fs";

/** Ways in which agents usually wrap a command. `@` stands for the command. */
const WRAPPERS: readonly string[] = [
  "cd packages/api && @",
  "@ 2>&1 | tail -20",
  "@ > /tmp/output.txt 2>&1; echo $?",
  "(@) || true",
  "set -o pipefail; @ | head -100",
  'cd "$(git rev-parse --show-toplevel)" && @',
  "export CI=1; @",
  "if @; then echo yes; else echo no; fi",
];

/** Returns the commands of `agent-commands.txt`, then each of them in one of the usual wrappers. */
export function agentCommands(): string[] {
  const text = readFileSync(new URL("agent-commands.txt", import.meta.url), "utf8");
  const commands = [...text.matchAll(/^<<<\n([\s\S]*?)\n>>>$|^(.+)$/gm)].map((found) => found[1] ?? found[2] ?? "");
  const short = commands.filter((command) => !/[\n&]/.test(command));
  const wrapped = short.map((command, at) => (WRAPPERS[at % WRAPPERS.length] ?? "@").replace("@", () => command));
  return [...commands, ...wrapped];
}
