import type { Command } from "../../../src/shell/command.ts";
import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import type { Call } from "./call.ts";
import { damageOf } from "./table.ts";

const KILL_ALL = damageOf("system-kill-all");
const REMOTE_SHELL = damageOf("remote-shell");

/** Judges `kill` of the process 1, or of all processes, which is -1. A first argument of -1 is a signal. */
export function judgeKill(shell: Shell, { args }: Call): void {
  const [first = ""] = args;
  const from = first === "-s" || first === "-n" ? 2 : first[0] === "-" && first !== "--" ? 1 : 0;
  const all = args.slice(from).find((arg) => arg === "-1" || arg === "1");
  if (all !== undefined) shell.report(KILL_ALL, show(`kill ${args.join(" ")}`));
}

const LOCAL = /^\/dev\/(?:tcp|udp)\/(?:localhost|127\.|::1|0\.0\.0\.0)/;

/** Judges a shell whose input and output is a connection. */
export function judgeConnection(shell: Shell, { name }: Call, { redirections }: Command): void {
  const files = [...(redirections?.writes ?? []), ...(redirections?.inputs.map(({ file }) => file ?? "") ?? [])];
  const connection = files.find((file) => /^\/dev\/(?:tcp|udp)\//.test(file) && !LOCAL.test(file));
  if (connection !== undefined) shell.report(REMOTE_SHELL, `${name} with ${show(connection)}`);
}
