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
  ["timeout", "ks"],
  ["xargs", "adEILnPs"],
  ["setsid", ""],
  ["stdbuf", "eio"],
  ["ionice", "cnpPu"],
  ["busybox", ""],
  ["toybox", ""],
]);

/** Their long options whose value may be the next word. */
const LONG: ReadonlySet<string> = new Set([
  ...["--user", "--group", "--host", "--prompt", "--chdir", "--role", "--type", "--other-user", "--close-from"],
  ...["--unset", "--adjustment", "--signal", "--kill-after", "--max-args", "--max-procs", "--max-lines"],
  ...["--max-chars", "--delimiter", "--arg-file", "--eof", "--input", "--output", "--error", "--class"],
  "--classdata",
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
    if (split !== undefined) return { name: "eval", args: [split], takesInput: false };
    takesInput ||= name === "xargs";
    at = skipOptions(words, at + 1, short);
    if (name === "timeout") at += 1;
  }
  return { name, args: words.slice(at + 1), takesInput };
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
