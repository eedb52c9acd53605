import { isAssignment } from "../shell/assignments.ts";
import { type Call, isCluster, programName } from "./call.ts";

/** Programs that run another one, each with those of its short options that take a value. */
const WRAPPERS: ReadonlyMap<string, string> = new Map([
  ["sudo", "CDghpRrTtUu"],
  ["doas", "aCu"],
  ["env", "Cu"],
  ["command", ""],
  ["builtin", ""],
  ["exec", "a"],
  ["nohup", ""],
  ["nice", "n"],
  ["time", "fo"],
  ["watch", "n"],
  ["timeout", "ks"],
  ["xargs", "adEILnPs"],
  ["setsid", ""],
  ["stdbuf", "eio"],
  ["ionice", "cnpPu"],
  ["chroot", ""],
  ["unshare", "GRSw"],
  ["nsenter", "GSt"],
  ["fakeroot", ""],
  ["flock", "Ew"],
  ["script", "EIOTBm"],
  ["parallel", "CdEIjLNnSs"],
  ["busybox", ""],
  ["toybox", ""],
]);

/** What stands between them and the program, such as a duration or a directory. */
const OPERANDS: ReadonlyMap<string, number> = new Map([
  ["timeout", 1],
  ["chroot", 1],
  ["flock", 1],
  ["script", 1],
]);

/** Programs that hand a text to a shell behind `-c`, before or behind their operand. */
const TEXT_RUNNERS: ReadonlySet<string> = new Set(["flock", "script"]);

/** Their long options whose value may be the next word. */
const LONG: ReadonlySet<string> = new Set([
  ...["--user", "--group", "--host", "--prompt", "--chdir", "--role", "--type", "--other-user", "--close-from"],
  ...["--unset", "--adjustment", "--signal", "--kill-after", "--max-args", "--max-procs", "--max-lines"],
  ...["--max-chars", "--delimiter", "--arg-file", "--eof", "--input", "--output", "--error", "--class"],
  ...["--classdata", "--interval", "--timeout", "--wait", "--conflict-exit-code", "--root", "--wd", "--setuid"],
  ...["--setgid", "--target", "--jobs", "--max-replace-args", "--colsep", "--joblog", "--results"],
]);

/** Finds the program that the words really run, from this one on. */
export function unwrap(words: readonly string[], from: number): Call {
  let takesInput = false;
  let name = "";
  let at = from;
  while (at < words.length) {
    const word = words[at] ?? "";
    name = programName(word);
    if (name === "" || isAssignment(word)) {
      at += 1;
      continue;
    }
    const short = WRAPPERS.get(name);
    if (short === undefined) break;
    // `command -v rm` only asks.
    if (name === "command" && /^-[vV]$/.test(words[at + 1] ?? "")) break;
    const split = name === "env" ? splitText(words, at + 1) : undefined;
    if (split !== undefined) return evalOf(split);
    at = skipOptions(words, at + 1, short);
    if (TEXT_RUNNERS.has(name)) {
      const text = textBehindC(words, at) ?? textBehindC(words, skipOptions(words, at + 1, short));
      if (text !== undefined) return evalOf(text);
    }
    if (name === "watch") return evalOf(words.slice(at).join(" "));
    if (name === "parallel" && words.includes(":::", at)) return evalOf(textOfParallel(words, at));
    takesInput ||= name === "xargs" || name === "parallel";
    at += OPERANDS.get(name) ?? 0;
  }
  return { name, args: words.slice(at + 1), takesInput };
}

function evalOf(text: string): Call {
  return { name: "eval", args: [text], takesInput: false };
}

/** The text of a `-c` that ends right in front of this place, or is one word with it. */
function textBehindC(words: readonly string[], at: number): string | undefined {
  for (const back of [1, 2]) {
    const option = words[at - back] ?? "";
    if (option.startsWith("--command=")) return option.slice(10);
    if (option === "--command" || /^-[a-z]*c$/.test(option)) return words[at - back + 1];
  }
  return undefined;
}

/** `parallel rm -rf {} ::: a b` hands each line to a shell. Here they are one, as if it ran for all of them at once. */
function textOfParallel(words: readonly string[], from: number): string {
  const end = words.indexOf(":::", from);
  const command = words.slice(from, end).join(" ");
  const given = words.slice(end + 1).filter((word) => !word.startsWith(":::"));
  if (command === "") return given.join("\n");
  return command.includes("{}") ? command.replaceAll("{}", given.join(" ")) : `${command} ${given.join(" ")}`;
}

function skipOptions(words: readonly string[], from: number, short: string): number {
  let at = from;
  for (let word = words[at]; word?.[0] === "-"; word = words[at]) {
    at += 1;
    if (word === "--") return at;
    if (isCluster(word) ? wantsValue(word, short) : LONG.has(word)) at += 1;
  }
  return at;
}

/** Only the last letter of a cluster can have its value in the next word. */
function wantsValue(cluster: string, short: string): boolean {
  for (let i = 1; i < cluster.length; i++) if (short.includes(cluster.charAt(i))) return i === cluster.length - 1;
  return false;
}

/** `env -S 'rm -rf /'` splits a text into words, much as a shell does. */
function splitText(words: readonly string[], from: number): string | undefined {
  for (let at = from; words[at]?.[0] === "-"; at++) {
    const word = words[at] ?? "";
    const rest = (): string => words.slice(at + 1).join(" ");
    if (word.startsWith("--split-string=")) return word.slice(15);
    if (word === "--split-string" || word.endsWith("S")) return rest();
    if (word.startsWith("-S")) return `${word.slice(2)} ${rest()}`;
  }
  return undefined;
}
