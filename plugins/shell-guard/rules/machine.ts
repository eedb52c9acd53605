import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";

const OFF: ReadonlySet<string> = new Set(["shutdown", "reboot", "halt", "poweroff", "kexec"]);

/** Turning the machine off ends the work of all its users, and of the agent. */
export function judgeShutdown(shell: Shell, call: Call): void {
  if (!call.args.includes("-c") && !has(call, "--help", "")) shell.deny(`${call.name} turns the machine off`);
}

export function judgeInit(shell: Shell, { name, args }: Call): void {
  if (args.includes("0") || args.includes("6")) shell.deny(`${name} turns the machine off`);
}

export function judgeSystemctl(shell: Shell, call: Call): void {
  const [verb = ""] = operandsOf(call);
  if (OFF.has(verb)) shell.deny(`systemctl ${verb} turns the machine off`);
}

/** A recursive chmod or chown of a whole system directory locks users out. Deeper inside it is ordinary work. */
export function judgePermissions(shell: Shell, call: Call): void {
  if (!has(call, "--recursive", "R")) return;
  // These include the mode or the owner, which never looks like a protected path.
  for (const target of operandsOf(call)) {
    const what = shell.protection(target, { system: true });
    if (what !== undefined) shell.deny(`${call.name} -R of ${what}: ${show(target)}`);
  }
}
