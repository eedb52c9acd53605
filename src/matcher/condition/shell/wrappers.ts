import { HOLE } from "../star-pattern.ts";
import type { SpelledWord } from "./spelled-word.ts";

/** Commands that run the command in their own arguments. */
interface Wrapper {
  /** Options that take the next word. */
  readonly valued?: readonly string[];
  /** Options that do not. An option in neither list may be either. */
  readonly flags?: readonly string[];
  /** Words before the command. */
  readonly positionals?: number;
  readonly assignments?: boolean;
  /** Adds words that are not in the text. */
  readonly appends?: boolean;
}

const PLAIN: Wrapper = {};

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "timeout",
    {
      valued: ["-k", "--kill-after", "-s", "--signal"],
      flags: ["-v", "--verbose", "-f", "--foreground", "-p", "--preserve-status"],
      positionals: 1,
    },
  ],
  ["time", { valued: ["-f", "--format", "-o", "--output"], flags: ["-p", "-a", "-v", "-q"] }],
  ["nice", { valued: ["-n", "--adjustment"] }],
  ["nohup", PLAIN],
  ["stdbuf", { valued: ["-i", "-o", "-e", "--input", "--output", "--error"] }],
  ["command", { flags: ["-p", "-v", "-V"] }],
  ["builtin", PLAIN],
  ["noglob", PLAIN],
  ["nocorrect", PLAIN],
  ["-", PLAIN],
  ["exec", { valued: ["-a"], flags: ["-c", "-l"] }],
  ["env", { valued: ["-u", "--unset", "-C", "--chdir"], flags: ["-i", "-0", "-v", "-"], assignments: true }],
  [
    "sudo",
    {
      valued: ["-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-U", "-D", "-R"],
      flags: ["-A", "-b", "-E", "-e", "-H", "-i", "-K", "-k", "-l", "-n", "-P", "-S", "-s", "-V", "-v"],
      assignments: true,
    },
  ],
  ["doas", { valued: ["-u", "-C"], flags: ["-n", "-s", "-L"] }],
  ["setsid", { flags: ["-c", "-f", "-w"] }],
  ["ionice", { valued: ["-c", "-n", "-p", "-P", "-u"], flags: ["-t"] }],
  ["chroot", { positionals: 1 }],
  ["repeat", { positionals: 1 }],
  ["busybox", PLAIN],
  ["toybox", PLAIN],
  [
    "xargs",
    {
      valued: [
        "-a",
        "-d",
        "-E",
        "-I",
        "-L",
        "-n",
        "-P",
        "-s",
        "--max-args",
        "--max-procs",
        "--delimiter",
        "--arg-file",
      ],
      flags: ["-0", "--null", "-r", "--no-run-if-empty", "-t", "--verbose", "-p", "-x", "-o"],
      appends: true,
    },
  ],
]);

/** Run a command after options and words of their own that are too many to list: any word may be where it begins. */
const LOOSE = new Set(
  (
    "watch parallel unshare flock taskset strace ltrace gdb valgrind unbuffer caffeinate arch setarch linux32 linux64 " +
    "systemd-run start-stop-daemon runuser pkexec prlimit nsenter chpst firejail bwrap proot fakeroot faketime script " +
    "setpriv chrt numactl cgexec sg tmux screen capsh eatmydata choom hyperfine direnv gosu su-exec setuidgid " +
    "s6-setuidgid softlimit envdir tini dumb-init timelimit catchsegv perf rr heaptrack winpty nix-shell genv gtimeout gxargs gnice " +
    "dbus-run-session xvfb-run ssh entr rlwrap torsocks proxychains proxychains4 wsl ld.so ld-linux-x86-64.so.2"
  ).split(" "),
);

export function runsAnyOfItsWords(name: string): boolean {
  return LOOSE.has(name);
}

const FINDERS = ["find", "gfind", "fd", "fdfind"];
const FIND_RUNS = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];

/** A command among the words of another: `words.slice(start, end)`. */
export interface Wrapped {
  readonly start: number;
  readonly end: number;
  /** It gets more words than these. */
  readonly isOpen: boolean;
}

// More than anybody writes; beyond it the command counts as one that cannot be read.
const MAX_WRAPPED = 64;

/** The last part of a command's path: `/bin/rm` runs what `rm` runs. */
export function nameOf(word: SpelledWord | undefined): string {
  const text = word?.text ?? "";
  const base = text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1);
  return base.replace(/^=/, "").replace(/\.exe$/i, "");
}

/** For looking names up: some file systems take `RM` for `rm`. */
export function lowerNameOf(word: SpelledWord | undefined): string {
  return nameOf(word).toLowerCase();
}

/** The whole command first, then what it wraps, whatever that wraps, and so on. `undefined`: too many to tell. */
export function unwrap(words: readonly SpelledWord[]): readonly Wrapped[] | undefined {
  const found = new Map<number, Wrapped>([[0, { start: 0, end: words.length, isOpen: false }]]);
  // A map may grow while it is walked.
  for (const { start, end, isOpen } of found.values()) {
    if (found.size > MAX_WRAPPED) return undefined;
    const name = lowerNameOf(words[start]);
    // zsh's `-` is a word of its own, and no file in some folder.
    const wrapper = name === "-" && words[start]?.text !== "-" ? undefined : WRAPPERS.get(name);
    const inner =
      wrapper !== undefined
        ? startsOf(wrapper, words, start + 1, end).map((at) => ({
            start: at,
            end,
            isOpen: isOpen || wrapper.appends === true,
          }))
        : LOOSE.has(name)
          ? words.slice(start + 1, end).map((_, at) => ({ start: start + 1 + at, end, isOpen }))
          : FINDERS.includes(name)
            ? findRuns(words, start + 1, end)
            : [];
    for (const one of inner) if (!found.has(one.start)) found.set(one.start, one);
  }
  return [...found.values()];
}

function startsOf(wrapper: Wrapper, words: readonly SpelledWord[], from: number, end: number): number[] {
  const { valued = [], flags = [], positionals = 0, assignments = false } = wrapper;
  const starts = new Set<number>();
  const seen = new Set<number>([from]);
  for (const at of seen) {
    const word = words[at];
    if (word === undefined || at >= end) continue;
    const { text } = word;
    const isOption = text.startsWith("-") && text !== "-";
    if (text === "--") starts.add(at + 1 + positionals);
    else if (valued.includes(text)) seen.add(at + 2);
    else if (flags.includes(text) || /^-[^-].*\d$|^--[^=]+=/.test(text)) seen.add(at + 1);
    else if (isOption) {
      seen.add(at + 1);
      // `-n5` and `-uroot` bring their value along.
      if (!valued.some((option) => option.length === 2 && text.startsWith(option))) seen.add(at + 2);
    } else if (assignments && /^[A-Za-z_]\w*=/.test(text)) seen.add(at + 1);
    else {
      starts.add(at + positionals);
      if (text.startsWith(HOLE)) seen.add(at + 1);
    }
  }
  return [...starts].filter((at) => at < end);
}

function findRuns(words: readonly SpelledWord[], from: number, end: number): Wrapped[] {
  const runs: Wrapped[] = [];
  for (let at = from; at < end; at++) {
    const { text } = words[at] as SpelledWord;
    if (!FIND_RUNS.includes(text)) continue;
    let stop = at + 1;
    while (stop < end && words[stop]?.text !== ";" && words[stop]?.text !== "+") stop++;
    if (at + 1 < stop) runs.push({ start: at + 1, end: stop, isOpen: true });
    at = stop;
  }
  return runs;
}
