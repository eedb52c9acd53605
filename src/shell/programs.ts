// Programs and builtins that run a command given in their arguments.

export interface Runner {
  /** Short options that take a value. */
  readonly valued: string;
  /** Short options without a value. An option in neither list may be of either kind. */
  readonly flags: string;
  /** Long options whose value may be the next word. */
  readonly long: readonly string[];
  /** Long options that take no value, or a value after `=`. */
  readonly longFlags: readonly string[];
  /** The number of words before the command. */
  readonly operands: number;
  /** Whether `NAME=value` may precede the command. */
  readonly assigns: boolean;
  /** Whether the program adds words that it reads from its input. */
  readonly appends: boolean;
}

const RUNNERS = new Map<string, Runner | "loose" | "finder">();

/**
 * Adds programs. `options`: `-ab` for flags, `-a:` for an option with a value, `--name` and `--name=` for long options.
 */
function runner(names: string, options = "", more: Partial<Runner> = {}): void {
  const all = options.split(" ");
  const short = all.filter((text) => /^-[^-]/.test(text));
  const one: Runner = {
    valued: short.flatMap((text) => (text.endsWith(":") ? [text.slice(1, -1)] : [])).join(""),
    flags: short.flatMap((text) => (text.endsWith(":") ? [] : [text.slice(1)])).join(""),
    long: all.filter((text) => /^--.*=$/.test(text)).map((text) => text.slice(0, -1)),
    longFlags: all.filter((text) => /^--.*[^=]$/.test(text)),
    operands: 0,
    assigns: false,
    appends: false,
    ...more,
  };
  for (const name of names.split(" ")) RUNNERS.set(name, one);
}

runner("nohup builtin noglob nocorrect - busybox toybox setarch-command", "--help --version");
runner("command", "-p");
runner("exec", "-a: -cl");
runner("time", "-f: --format= -o: --output= -pavqV --portability --append --verbose --quiet");
runner("jobs", "-lnprs");
runner("repeat", "", { operands: 1 });
runner("timeout", "-k: --kill-after= -s: --signal= -vfp --verbose --foreground --preserve-status", { operands: 1 });
runner("nice", "-n: --adjustment=");
runner("stdbuf", "-i: -o: -e: --input= --output= --error=");
runner("setsid", "-cfw --ctty --fork --wait");
runner("ionice", "-c: -n: -p: -P: -u: --class= --classdata= --pid= --pgid= --uid= -t --ignore");
runner("chrt", "-T: -P: -D: --sched-runtime= --sched-period= --sched-deadline= -abdfiormpvR --all-tasks", {
  operands: 1,
});
runner("taskset", "-acp --all-tasks --cpu-list --pid", { operands: 1 });
runner("choom", "-n: --adjust= -p: --pid=");
runner("chroot", "--userspec --groups --skip-chdir", { operands: 1 });
runner("env", "-u: --unset= -C: --chdir= -i0v- --ignore-environment --null --debug --block-signal --default-signal", {
  assigns: true,
});
runner(
  "sudo",
  "-C: -D: -g: -h: -p: -R: -r: -T: -t: -U: -u: --close-from= --chdir= --group= --host= --prompt= --chroot= --role= " +
    "--type= --command-timeout= --other-user= --user= -ABbEeHiKklnPSsVv --askpass --background --non-interactive " +
    "--preserve-env --login --shell --stdin --set-home --reset-timestamp --preserve-groups --validate --list",
  { assigns: true },
);
runner("doas", "-a: -C: -u: -nsL");
runner(
  "xargs",
  "-a: -d: -E: -I: -L: -n: -P: -s: -J: -R: -S: --arg-file= --delimiter= --max-args= --max-procs= --max-chars= " +
    "--process-slot-var= -0rtpxoieil --null --no-run-if-empty --verbose --interactive --exit --open-tty --replace --eof",
  { appends: true },
);

/**
 * Programs that run a command after their own options and words, which are too many to list. The command may begin at
 * any word. Some of these programs pass the words to a shell.
 */
export const LOOSE: ReadonlySet<string> = new Set(
  (
    "watch parallel unshare flock strace ltrace gdb valgrind unbuffer caffeinate arch setarch linux32 linux64 i386 i486 " +
    "i586 i686 x86_64 uname26 systemd-run start-stop-daemon runuser pkexec prlimit nsenter chpst firejail bwrap proot " +
    "fakeroot faketime script setpriv numactl cgexec sg tmux screen capsh eatmydata hyperfine direnv gosu su-exec " +
    "setuidgid s6-setuidgid softlimit envdir tini dumb-init timelimit catchsegv perf rr heaptrack winpty nix-shell " +
    "dbus-run-session xvfb-run ssh entr rlwrap torsocks proxychains proxychains4 wsl ld.so ld-linux-x86-64.so.2"
  ).split(" "),
);

for (const name of LOOSE) RUNNERS.set(name, "loose");
for (const name of ["find", "fd", "fdfind"]) RUNNERS.set(name, "finder");

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the last part of a command's path, in lower case, because some file systems find `rm` as `RM`. */
export function programName(word: string): string {
  let name = word.toLowerCase();
  if (word.includes("/") || word.includes("\\")) {
    name = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  }
  if (name[0] === "=") name = name.slice(1);
  return name.endsWith(".exe") ? name.slice(0, -4) : name;
}

/** Returns how the program of a name runs commands in its arguments; `undefined` for most programs. */
export function runnerOf(name: string): Runner | "loose" | "finder" | undefined {
  return RUNNERS.get(name) ?? (name[0] === "g" ? RUNNERS.get(name.slice(1)) : undefined);
}

export const RUNNER_NAMES: readonly string[] = [...RUNNERS.keys()];

/** Whether a name that begins with `prefix` may be a program that runs other commands. */
export function mayRunOthers(prefix: string): boolean {
  return RUNNER_NAMES.some((name) => name.startsWith(prefix));
}
