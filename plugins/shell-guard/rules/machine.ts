import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";

const OFF: ReadonlySet<string> = new Set(["shutdown", "reboot", "halt", "poweroff", "kexec"]);

/** Judges turning the machine off, which ends the work of all its users and of the agent. */
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

/** Judges a recursive chmod or chown of a whole system directory, which locks users out. */
export function judgePermissions(shell: Shell, call: Call): void {
  if (!has(call, "--recursive", "R")) return;
  // The operands include the mode or the owner, which never looks like a protected path.
  for (const target of operandsOf(call)) {
    const what = shell.protection(target, { system: true });
    if (what !== undefined) shell.deny(`${call.name} -R of ${what}: ${show(target)}`);
  }
}
