import { COLON, DASH } from "../chars";
import { assignmentValue } from "../shell/variables";
import { joined, spend } from "../text";
import { Call, hasUnit, isCluster, programName } from "./call";
import { isOneOf, nextWith, same, startsWith, unitAt } from "../units";

// Programs that run another one, each with those of its short options that take a value.
const WRAPPERS: StaticArray<string> = [
  "sudo:CDghpRrTtUu",
  "doas:aCu",
  "env:Cu",
  "command:",
  "builtin:",
  "exec:a",
  "nohup:",
  "nice:n",
  "time:fo",
  "timeout:ks",
  "xargs:adEILnPs",
  "setsid:",
  "stdbuf:eio",
  "ionice:cnpPu",
  "busybox:",
  "toybox:",
];

// Their long options whose value may be the next word.
const LONG: StaticArray<string> = [
  "--user",
  "--group",
  "--host",
  "--prompt",
  "--chdir",
  "--role",
  "--type",
  "--other-user",
  "--close-from",
  "--unset",
  "--adjustment",
  "--signal",
  "--kill-after",
  "--max-args",
  "--max-procs",
  "--max-lines",
  "--max-chars",
  "--delimiter",
  "--arg-file",
  "--eof",
  "--input",
  "--output",
  "--error",
  "--class",
  "--classdata",
];

/** Finds the program that the words really run. */
export function unwrap(words: Array<string>, at: i32): Call {
  let takesInput = false;
  let name = "";
  while (at < words.length) {
    name = programName(words[at]);
    const short = optionsOf(name);
    if (name.length > 0 && assignmentValue(words[at]) === 0) {
      if (short === null) break;
      if (same(name, "command") && at + 1 < words.length && isLookup(words[at + 1])) break;
      const split = same(name, "env") ? splitText(words, at + 1) : null;
      if (split !== null) return new Call("eval", [split]);
      takesInput = takesInput || same(name, "xargs");
      at = skipOptions(words, at + 1, short);
      if (same(name, "timeout")) at++;
    } else at++;
  }
  spend(words.length - at);
  const call = new Call(name, words.slice(at + 1));
  call.takesInput = takesInput;
  return call;
}

function optionsOf(name: string): string | null {
  const size = name.length;
  if (size === 0) return null;
  const first = unitAt(name, 0);
  for (let i = nextWith(WRAPPERS, first, 0); i < WRAPPERS.length; i = nextWith(WRAPPERS, first, i + 1)) {
    const entry = unchecked(WRAPPERS[i]);
    if (entry.length > size && unitAt(entry, size) === COLON && startsWith(entry, name)) return entry.slice(size + 1);
  }
  return null;
}

function skipOptions(words: Array<string>, at: i32, short: string): i32 {
  while (at < words.length) {
    const word = words[at];
    if (!startsWith(word, "-")) return at;
    at++;
    if (same(word, "--")) return at;
    if (isCluster(word) ? wantsValue(word, short) : isOneOf(LONG, word)) at++;
  }
  return at;
}

/** Only the last letter of a cluster can have its value in the next word. */
function wantsValue(cluster: string, short: string): bool {
  for (let i = 1; i < cluster.length; i++) {
    if (hasUnit(short, cluster.charCodeAt(i))) return i === cluster.length - 1;
  }
  return false;
}

/** `command -v rm` only asks. */
function isLookup(word: string): bool {
  return same(word, "-v") || same(word, "-V");
}

/** `env -S 'rm -rf /'` splits a text into words, much as a shell does. */
function splitText(words: Array<string>, at: i32): string | null {
  for (; at < words.length && words[at].charCodeAt(0) === DASH; at++) {
    const word = words[at];
    if (startsWith(word, "--split-string=")) return word.slice(15);
    if (same(word, "--split-string") || word.endsWith("S")) return joined(words, at + 1);
    if (startsWith(word, "-S")) return word.slice(2) + " " + joined(words, at + 1);
  }
  return null;
}
