// Programs that start a shell if they have no command in their arguments. The shell reads commands from its input.

/** The number of words before the command, and the short options that take a value. */
type Usage = readonly [operands: number, valued: string];

const DEFAULT_SHELL = new Map<string, Usage>([
  ["setarch", [1, ""]],
  ["unshare", [0, "RwSG"]],
  ["nsenter", [0, "tSG"]],
  ["sudo", [0, "CDghpRrTtUu"]],
  ["doas", [0, "aCu"]],
  ["chroot", [1, ""]],
  ["newgrp", [1, ""]],
  ["sg", [1, ""]],
  ["script", [1, "cEIOBTmot"]],
  ["runuser", [1, "gGswT"]],
  ["ssh", [1, "BbcDEeFIiJLlmOoPpQRSWw"]],
]);
for (const name of "linux32 linux64 i386 i486 i586 i686 x86_64 uname26 pkexec proot fakeroot firejail".split(" "))
  DEFAULT_SHELL.set(name, [0, ""]);

export const DEFAULT_SHELL_PROGRAMS: ReadonlySet<string> = new Set(DEFAULT_SHELL.keys());

/** Whether a program with these known arguments starts a shell. */
export function startsShell(name: string, args: readonly string[]): boolean {
  const usage = DEFAULT_SHELL.get(name);
  if (usage === undefined) return false;
  const needsOption = name === "sudo" || name === "doas";
  if (needsOption && !args.some((arg) => arg[0] === "-" && /^-\w*[is]|^--(?:login|shell)$/.test(arg))) return false;
  const [operands, valued] = usage;
  let count = 0;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (/^-[^-]/.test(arg)) at += valued.includes(arg.at(-1) ?? "-") ? 1 : 0;
    else if (!arg.startsWith("--")) count += 1;
  }
  return count <= operands;
}
