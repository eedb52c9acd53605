// Ways to overwrite a file or a disk, except removal.

import { HOME } from "../../../src/shell/marks.ts";
import { resolve } from "../paths/path.ts";
import { type Scope, show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, operandsOf } from "./call.ts";
import { isDisk } from "./disk.ts";
import { damageOf } from "./table.ts";

const ONTO: Scope = { onto: true };

const PROTECTED = damageOf("fs-delete-protected");
const MOVED = damageOf("fs-delete-system");
const DISK = damageOf("disk-write");
const OVERWRITE = damageOf("fs-overwrite-system");
const START = damageOf("start-file");

/** Files without which the machine does not start or logins fail. */
const VITAL = new RegExp(
  [
    "^/(?:etc/(?:passwd|shadow|group|gshadow|sudoers|fstab|crypttab|ssh/sshd_config|pam\\.d|security|nsswitch\\.conf|login\\.defs|default/grub|grub)",
    "boot/|s?bin/[^/]|lib\\d*/[^/]|proc/sysrq-trigger|proc/sys/kernel/|(?:dev/)?k?mem$)",
  ].join("|"),
);

/** Files whose content runs at the next login, start or schedule, and keys that open a login. */
const STARTS = new RegExp(
  [
    "^~/(?:\\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|xinitrc|xprofile|xsession|pam_environment)$",
    "\\.ssh/(?:authorized_keys|rc|environment|config)|\\.config/(?:fish/|autostart/|systemd/|environment\\.d/)|Library/Launch)",
    "^/(?:etc/(?:profile|bash\\.bashrc|zsh/|zshrc|cron|anacrontab|systemd/|init\\.d/|rc\\.local|inittab|ld\\.so\\.preload|environment$|xdg/autostart|udev/rules)",
    "var/spool/(?:cron|at)|Library/Launch)|(?:^|/)\\.git/hooks(?:$|/(?!.*\\.sample$))",
  ].join("|"),
);

/** Programs that remove an entry, so that nothing waits there. */
const REMOVES: ReadonlySet<string> = new Set(["rm", "rmdir", "unlink"]);

export function judgeRedirections(shell: Shell, targets: readonly string[]): void {
  for (const target of targets) judgeWrite(shell, "writing", target, ONTO);
}

/** Judges programs that change all their operands. */
export function judgeChange(shell: Shell, call: Call): void {
  for (const target of operandsOf(call)) judgeWrite(shell, call.name, target, ONTO);
}

/** Judges programs that change the rights of their operands. */
export function judgeRights(shell: Shell, call: Call): void {
  for (const target of operandsOf(call)) judgeProtected(shell, call.name, target, ONTO);
}

/** Judges programs that change only their last operand. */
export function judgeCopy(shell: Shell, call: Call): void {
  const target = operandsOf(call).at(-1);
  if (target !== undefined) judgeWrite(shell, call.name, target, ONTO);
}

/** Judges a move, because a moved path takes along everything in it. */
export function judgeMove(shell: Shell, call: Call): void {
  const operands = operandsOf(call);
  for (const [at, target] of operands.entries()) {
    if (at === operands.length - 1) judgeWrite(shell, "mv", target, ONTO);
    else {
      judgeProtected(shell, "mv", target, {});
      if (!isPlain(target) && shell.protection(target, { system: true }) === "system") {
        shell.report(MOVED, `mv of a protected path: ${show(target)}`);
      }
    }
  }
}

/** Whether a path is a name in the working directory, which most targets are. */
function isPlain(target: string): boolean {
  return !/^[/.]|\/\.|dev/.test(target) && target[0] !== HOME;
}

export function judgeWrite(shell: Shell, how: string, target: string, scope: Scope): void {
  if (how !== "rm" && isDisk(shell, target)) shell.report(DISK, `${how} to a disk: ${show(target)}`);
  judgeProtected(shell, how, target, scope);
  const { now, working } = shell.places.directories;
  if (isPlain(target) && now === working) return;
  shell.spendOnPath(target);
  const { base, segments } = resolve(now, target);
  const start = base === "root" ? "/" : base === "home" ? "~/" : "./";
  const path = start + segments.join("/");
  if (VITAL.test(path)) shell.report(OVERWRITE, `${how} to ${show(target)}`);
  else if (!REMOVES.has(how) && STARTS.test(path)) shell.report(START, `${how} to ${show(target)}`);
}

function judgeProtected(shell: Shell, how: string, target: string, scope: Scope): void {
  if (shell.places.hasConfigured && shell.protection(target, scope) !== undefined) {
    shell.report(PROTECTED, `${how} to a protected path: ${show(target)}`);
  }
}
