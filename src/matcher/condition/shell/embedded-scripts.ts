import type { Redirection } from "unbash";
import { HOLE } from "../star-pattern.ts";
import type { SpelledWord } from "./spelled-word.ts";
import { lowerNameOf, runsAnyOfItsWords } from "./wrappers.ts";

/** Shell text that a command runs which was given to it as text: `eval`, `sh -c`, a shell's input and their like. */
export interface EmbeddedScripts {
  readonly scripts: readonly string[];
  /** Why not all of them can be told. */
  readonly doubt?: string;
}

const NOTHING: EmbeddedScripts = Object.freeze({ scripts: [] });

const SHELLS = new Set(["sh", "bash", "rbash", "dash", "ash", "ksh", "mksh", "zsh", "fish", "su", "script"]);
const OTHER_SHELLS = new Set(["pwsh", "powershell", "cmd", "nu", "nushell", "csh", "tcsh", "xonsh", "elvish"]);
/** Options of shells that take the next word. */
const VALUED = new Set(["-o", "+o", "-O", "+O", "--rcfile", "--init-file"]);
const INPUT = /^(-$|\/dev\/|\/proc\/)/;

/** Builtins that take the names of variables: an index in one is evaluated, quoted or not. */
const EVALUATE_NAMES = new Set(
  "let declare typeset local export readonly printf read unset test [ mapfile readarray wait".split(" "),
);

const HOLD_COMMANDS = new Set(["compgen", "complete", "mapfile", "readarray", "bind", "hash", "enable"]);

export function embeddedScripts(
  words: readonly SpelledWord[],
  redirects: readonly Redirection[],
  isOpen: boolean,
): EmbeddedScripts {
  const name = lowerNameOf(words[0]);
  const rest = words.slice(1);
  if (name === "eval") return joined(rest, isOpen);
  if (name === "env" || name === "genv") return splitByEnv(rest);
  if (runsAnyOfItsWords(name)) return literals(rest.filter(({ text }) => /\s/.test(text)).map(withoutOption));
  if (name === "fd" || name === "fdfind") return ofFinder(rest);
  if (name === "at" || name === "batch") return inputOf(name, redirects);
  if (name === "trap") return literals(rest.slice(firstOperand(rest)).slice(0, 1));
  if (name === "alias") {
    return literals(rest.map((word) => ({ ...word, text: word.text.slice(word.text.indexOf("=") + 1) })));
  }
  if (name === "source" || name === ".") {
    const file = rest[0]?.text ?? "";
    if (file.includes(HOLE)) return { scripts: [], doubt: `what ${name} reads is not known` };
    return INPUT.test(file) ? inputOf(name, redirects) : NOTHING;
  }
  if (SHELLS.has(name)) return ofShell(name, rest, redirects, isOpen);
  if (OTHER_SHELLS.has(name)) return { scripts: [], doubt: `commands of ${name} cannot be read` };
  if (HOLD_COMMANDS.has(name) && rest.some(({ text }) => /^-\w*[CfpxF]/.test(text))) {
    return { scripts: [], doubt: `${name} keeps a command for later` };
  }
  if (EVALUATE_NAMES.has(name) && rest.some(({ text }) => indexesByCommand(text))) {
    return { scripts: [], doubt: `${name} evaluates what its arguments quote` };
  }
  return NOTHING;
}

/** The command of `-S`, behind it or in the same word; what follows are more words of it. */
function splitByEnv(rest: readonly SpelledWord[]): EmbeddedScripts {
  for (const [at, word] of rest.entries()) {
    const [option] = /^(?:-[^-=\s]*?S|--s[a-z-]*(?:=|$))/.exec(word.text) ?? [];
    if (option === undefined) continue;
    const own = word.text.slice(option.length);
    const parts = [...(own === "" ? [] : [own]), ...rest.slice(at + 1).map(({ text }) => text)];
    return literals([{ ...word, text: parts.join(" ") }]);
  }
  return NOTHING;
}

/** `--exec=rm` and `-xrm`. */
function ofFinder(rest: readonly SpelledWord[]): EmbeddedScripts {
  const at = rest.findIndex(({ text }) => /^(?:--exec(?:-batch)?=|-[xX](?=.))/.test(text));
  const word = rest[at];
  if (word === undefined) return NOTHING;
  const text = word.text.replace(/^(?:--exec(?:-batch)?=|-[xX])/, "");
  return literals([{ ...word, text: [text, ...rest.slice(at + 1).map((other) => other.text)].join(" ") }]);
}

/** `-c'rm x'` and `--command='rm x'` bring the command along. */
function withoutOption(word: SpelledWord): SpelledWord {
  return { ...word, text: word.text.replace(/^(?:--[a-z-]+=|-[A-Za-z]*?c)(?=\S)/, "") };
}

function ofShell(
  name: string,
  rest: readonly SpelledWord[],
  redirects: readonly Redirection[],
  isOpen: boolean,
): EmbeddedScripts {
  const unknown = { scripts: [], doubt: `what ${name} runs is not known` };
  const flag = rest.findIndex(({ text }) => /^-[A-Za-z]*c[A-Za-z]*$/.test(text) || /^--command(=|$)/.test(text));
  const operand = firstOperand(rest);
  if (flag !== -1 && (name === "su" || flag < operand)) {
    const { text = "" } = rest[flag] ?? {};
    if (text.startsWith("--command=")) return literals([{ ...(rest[flag] as SpelledWord), text: text.slice(10) }]);
    const after = rest.slice(flag + 1);
    const script = after[firstOperand(after)];
    return script === undefined ? (isOpen ? unknown : NOTHING) : literals([script]);
  }
  const file = rest[operand]?.text;
  const isQuestion = rest.some(({ text }) => text === "--version" || text === "--help");
  if (file === undefined) return isOpen ? unknown : isQuestion ? NOTHING : inputOf(name, redirects);
  if (file.includes(HOLE) || rest.slice(0, operand).some(({ text }) => text.includes(HOLE))) return unknown;
  const readsInput =
    INPUT.test(file) || name === "su" || rest.slice(0, operand).some(({ text }) => /^-\w*s/.test(text));
  return readsInput ? inputOf(name, redirects) : NOTHING;
}

/** `a[$(command)]`, as text. */
function indexesByCommand(text: string): boolean {
  const index = text.indexOf("[");
  return index !== -1 && /[$`]/.test(text.slice(index));
}

function firstOperand(words: readonly SpelledWord[]): number {
  let at = 0;
  for (; at < words.length; at++) {
    const { text } = words[at] as SpelledWord;
    if (text === "--") return at + 1;
    if (VALUED.has(text)) at++;
    else if (text === "-" || !/^[-+]/.test(text)) return at;
  }
  return at;
}

function joined(words: readonly SpelledWord[], isOpen: boolean): EmbeddedScripts {
  const text = words.map((word) => word.text).join(" ");
  if (isOpen || text.includes(HOLE)) return { scripts: [], doubt: "the text that is evaluated is not known" };
  return text === "" ? NOTHING : { scripts: [text] };
}

function literals(words: readonly SpelledWord[]): EmbeddedScripts {
  const known = words.filter((word) => !word.text.includes(HOLE)).map((word) => word.text);
  if (known.length < words.length) return { scripts: known, doubt: "the text that is evaluated is not known" };
  return { scripts: known };
}

/** What a shell reads as its script when it is given none. */
function inputOf(name: string, redirects: readonly Redirection[]): EmbeddedScripts {
  const unknown = { scripts: [], doubt: `what ${name} reads and runs is not known` };
  const input = redirects.findLast((one) => one.type !== "Redirect" || one.operator.startsWith("<"));
  if (input === undefined) return unknown;
  if (input.type === "HereString") {
    const { target } = input;
    return target === undefined || target.parts !== undefined || /[$`\\]/.test(target.text)
      ? hereStringOf(target?.parts?.length === 1 ? target.parts[0] : undefined, unknown)
      : { scripts: [target.value] };
  }
  if (input.type === "HereDoc") {
    const { body, delimiter } = input;
    if (delimiter?.quoted === true || !/[$`\\]/.test(body.text)) return { scripts: [body.text] };
    return unknown;
  }
  const { target } = input;
  const isFile = target !== undefined && target.parts === undefined && !INPUT.test(target.value);
  return isFile && input.operator === "<" ? NOTHING : unknown;
}

function hereStringOf(
  part: { readonly type: string; readonly text: string; readonly value?: string | undefined } | undefined,
  unknown: EmbeddedScripts,
): EmbeddedScripts {
  if (part?.type === "SingleQuoted" && part.value !== undefined) return { scripts: [part.value] };
  if (part?.type === "DoubleQuoted" && !/[$`\\]/.test(part.text)) return { scripts: [part.text.slice(1, -1)] };
  return unknown;
}
