// Finds the words of a command that are commands themselves.

import { isOpen, startsOpen, UNKNOWN } from "./marks.ts";
import { programName, type Runner, runnerOf } from "./programs.ts";

/** A command among the words of another command. */
export interface Run {
  /** Index of the name among the words. Equals `end` if the name comes from the input. */
  readonly start: number;
  readonly end: number;
  /** Whether the command gets further, unknown words. */
  readonly isOpen: boolean;
  /** The word that text from elsewhere replaces, such as the `{}` of `find`. */
  readonly placeholder: string | undefined;
}

/** The maximum number of runs. A command with more counts as unreadable, because users write fewer. */
const MAX_RUNS = 64;

const FIND_RUNS: ReadonlySet<string> = new Set("-exec -execdir -ok -okdir -x -X --exec --exec-batch".split(" "));

/**
 * Returns the whole command, then the commands that it runs, then the commands that these run, and so on. Returns
 * `undefined` if there are too many.
 */
export function runsOf(words: readonly string[]): readonly Run[] | undefined {
  const whole: Run = { start: 0, end: words.length, isOpen: false, placeholder: undefined };
  if (runnerOf(programName(words[0] ?? "")) === undefined) return [whole];
  const found = new Map<number, Run>([[0, whole]]);
  // A map may grow during its iteration.
  for (const run of found.values()) {
    if (found.size > MAX_RUNS) return undefined;
    for (const one of innerRuns(words, run)) if (!found.has(one.start)) found.set(one.start, one);
  }
  return [...found.values()];
}

/** Returns the words of a run, with the text for its placeholder. */
export function wordsOf(words: readonly string[], { start, end, placeholder }: Run, text = UNKNOWN): readonly string[] {
  const own = start === 0 && end === words.length ? words : words.slice(start, end);
  return placeholder === undefined ? own : own.map((word) => word.replaceAll(placeholder, () => text));
}

function innerRuns(words: readonly string[], run: Run): readonly Run[] {
  const { start, end, isOpen } = run;
  if (start >= end) return [];
  const word = words[start] ?? "";
  const name = programName(word);
  const runner = runnerOf(name);
  if (runner === "finder") return findRuns(words, run);
  if (runner === "loose") {
    const reads = name === "parallel";
    const inner = { end, isOpen: isOpen || reads, placeholder: reads ? "{}" : run.placeholder };
    return words.slice(start + 1, end).map((_, at) => ({ ...inner, start: start + 1 + at }));
  }
  if (runner !== undefined) {
    // zsh's `-` is a word, and not a file `-` in a folder.
    if (name === "-" && word !== "-") return [];
    if (name === "command" && asksOnly(words, start + 1)) return [];
    if (name === "jobs" && words[start + 1] !== "-x") return [];
    const placeholder = runner.appends ? (replacedBy(words, start, end) ?? run.placeholder) : run.placeholder;
    const from = name === "jobs" ? start + 2 : start + 1;
    const opens = isOpen || runner.appends;
    return (
      startsOf(runner, words, from, end)
        // `xargs` without a command prints its input. An outer `xargs` may supply the command.
        .filter((at) => at < end || isOpen || startsOpen(words[end - 1] ?? ""))
        .map((at) => ({ start: Math.min(at, end), end, isOpen: opens, placeholder }))
    );
  }
  return [];
}

/** Whether `command` only prints where a program is, as in `command -v rm`. */
function asksOnly(words: readonly string[], from: number): boolean {
  for (let at = from; words[at]?.[0] === "-" && words[at] !== "--"; at++)
    if (/^-p*[vV]/.test(words[at] ?? "")) return true;
  return false;
}

/** Returns the text that `xargs -I` replaces, or `undefined`. */
function replacedBy(words: readonly string[], start: number, end: number): string | undefined {
  for (let at = start + 1; at < end; at++) {
    const word = words[at] ?? "";
    if (word[0] !== "-") continue;
    if (word === "-I" || word === "-J") return words[at + 1];
    const [, own] = /^(?:-[0rtpxo]*[IJi]|--replace=)(.+)$/s.exec(word) ?? [];
    if (own !== undefined) return own;
    if (/^(?:-[0rtpxo]*i|--replace)$/.test(word)) return "{}";
  }
  return undefined;
}

function startsOf(runner: Runner, words: readonly string[], from: number, end: number): number[] {
  const starts = new Set<number>();
  const seen = new Set<number>([from]);
  for (const at of seen) {
    const word = words[at];
    if (word === undefined || at >= end) {
      starts.add(end);
      continue;
    }
    if (word === "--") {
      // Covers `env -- A=1 rm`.
      if (runner.assigns) seen.add(at + 1);
      else starts.add(at + 1 + runner.operands);
    } else if (runner.assigns && word.includes("=") && word[0] !== "-") seen.add(at + 1);
    else if (word === "-" ? runner.flags.includes("-") : word[0] === "-") {
      const takes = takesNext(runner, word);
      if (takes !== true) seen.add(at + 1);
      if (takes !== false) seen.add(at + 2);
    } else {
      starts.add(at + runner.operands);
      if (startsOpen(word) || (runner.assigns && isOpen(word))) seen.add(at + 1);
    }
  }
  return [...starts];
}

/** Whether the value of an option is the next word. Returns `undefined` if unknown. */
function takesNext(runner: Runner, option: string): boolean | undefined {
  if (option.startsWith("--")) {
    if (option.includes("=")) return false;
    if (runner.longFlags.includes(option)) return false;
    return runner.long.some((name) => name.startsWith(option)) ? true : undefined;
  }
  for (let at = 1; at < option.length; at++) {
    const letter = option.charAt(at);
    if (runner.valued.includes(letter)) return at === option.length - 1;
    if (!runner.flags.includes(letter)) return at > 0 && /^-.*\d$/.test(option) ? false : undefined;
  }
  return false;
}

function findRuns(words: readonly string[], { start, end, isOpen: takesMore }: Run): Run[] {
  const runs: Run[] = [];
  for (let at = start + 1; at < end; at++) {
    const word = words[at] ?? "";
    if (!FIND_RUNS.has(word) && !(word[0] === "-" && isOpen(word))) continue;
    let stop = at + 1;
    while (stop < end && words[stop] !== ";" && !(words[stop] === "+" && words[stop - 1] === "{}")) stop++;
    if (at + 1 < stop) runs.push({ start: at + 1, end: stop, isOpen: true, placeholder: "{}" });
    at = stop;
  }
  // The words that `xargs find` reads may be an action.
  if (takesMore) runs.push({ start: end, end, isOpen: true, placeholder: undefined });
  return runs;
}
