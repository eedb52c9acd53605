import { packageScript } from "../files/script-digest.ts";
import type { Rule } from "../rule.ts";

/** Finds the words of a command that name scripts, without running a shell. */

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "fish"]);

/** Programs whose first operand is a script. */
const INTERPRETERS: ReadonlySet<string> = new Set([
  ...SHELLS,
  ...["source", ".", "node", "nodejs", "bun", "deno", "tsx", "ts-node", "python", "python2", "python3", "pypy3"],
  ...["ruby", "perl", "php", "lua", "pwsh", "powershell", "Rscript", "osascript", "java", "groovy", "tclsh"],
]);

/** Programs that start the program in their next operand. */
const STARTERS: ReadonlySet<string> = new Set([
  ...["env", "exec", "command", "nohup", "time", "timeout", "nice", "sudo", "setsid", "stdbuf", "xargs", "if", "then"],
  ...["else", "elif", "do", "while", "until", "!", "eval", "npx", "uv", "uvx", "pnpm", "yarn", "bunx", "poetry"],
]);

/** Operands of interpreters and starters that are subcommands. */
const SUBCOMMANDS: ReadonlySet<string> = new Set(["run", "exec", "dlx", "x"]);

/** Programs that run the scripts of a `package.json`. */
const MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const MANAGER_FOLDERS: ReadonlySet<string> = new Set(["--prefix", "-C", "--dir", "--cwd"]);
const OWN_SCRIPTS: Readonly<Record<string, string>> = {
  ...{ test: "test", t: "test", tst: "test", start: "start", stop: "stop", restart: "restart" },
};
/** Subcommands of package managers that run no script of that name. */
const NO_SCRIPTS: ReadonlySet<string> = new Set([
  ...[
    "add",
    "audit",
    "ci",
    "config",
    "create",
    "dlx",
    "exec",
    "i",
    "init",
    "install",
    "link",
    "list",
    "ls",
    "outdated",
  ],
  ...["pack", "pm", "publish", "remove", "rm", "update", "up", "upgrade", "version", "view", "why", "workspace", "x"],
]);

const MAKE_FILES = ["GNUmakefile", "makefile", "Makefile"];

/** Variables that make a program load a file. */
const LOADING_VARIABLES = ["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PYTHONSTARTUP"];

const MAX_DEPTH = 4;

/**
 * Returns the words with which a rule names programs by their paths, scripts of interpreters, and scripts of packages.
 * The words keep their variables, such as `$CLAUDE_PROJECT_DIR/check.sh`.
 */
export function scriptWordsOf({ handler }: Pick<Rule, "handler">): readonly string[] {
  if (handler.type === "command") return wordsIn(handler.command, handler.args, handler.env);
  if (handler.type !== "mcp_tool" || handler.found?.kind !== "stdio") return [];
  const { command, args, env } = handler.found;
  return wordsIn(command, args, env);
}

function wordsIn(
  command: string,
  args: readonly string[] | undefined,
  env: Readonly<Record<string, string | undefined>> = {},
): readonly string[] {
  const found = new Words(env["PATH"]);
  if (args === undefined) readShell(command, found, 0);
  else readCommand([command, ...args], found, 0);
  for (const name of LOADING_VARIABLES) for (const file of env[name]?.split(/[: ]/) ?? []) found.add(file);
  readOperands(false, (env["NODE_OPTIONS"] ?? "").split(/\s+/), found, 0);
  return [...found.all];
}

/** Returns the words in the text of a shell script. */
export function scriptWordsIn(text: string): readonly string[] {
  return wordsIn(text, undefined);
}

/** Whether the shell decides only at the start which file the word names. */
export function isDecidedLater(word: string): boolean {
  return /[`*?[]|\$\(|\{[^}]*,|\$\{\w+[^}\w:-]/.test(word);
}

/** The words found so far. */
class Words {
  readonly all = new Set<string>();
  /** Folders of a `PATH` that the rule itself sets. */
  readonly #searched: readonly string[];
  /** The folder of the last `cd`. Words keep both forms, because not every `cd` is certain. */
  folder: string | undefined;

  constructor(searchPath = "") {
    this.#searched = searchPath.split(":").filter((folder) => folder !== "" && !/^\$\{?PATH\b/.test(folder));
  }

  add(word: string): void {
    if (word === "") return;
    this.all.add(word);
    if (this.folder !== undefined && !/^[/~$]/.test(word)) this.all.add(`${this.folder}/${word}`);
  }

  /** Adds a program that is named without a path. */
  addProgram(name: string): void {
    for (const folder of this.#searched) this.add(`${folder}/${name}`);
  }
}

function readShell(text: string, found: Words, depth: number): void {
  if (depth > MAX_DEPTH) return;
  const outer = found.folder;
  /** Whether an interpreter reads its script from a pipe or a file, so that every word may be the script. */
  let readsInput = false;
  const others: string[] = [];
  let words: string[] = [];
  let target: "none" | "input" | "output" = "none";
  const end = (): void => {
    readsInput ||= readCommand(words, found, depth);
    others.push(...words.slice(1).filter((word) => !word.startsWith("-")));
    words = [];
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^[<>]/.test(token)) target = token === "<" ? "input" : "output";
    else if (SEPARATOR.test(token)) end();
    else if (target !== "none") {
      if (target === "input") others.push(unquoted(token));
      target = "none";
    } else words.push(unquoted(token));
  }
  end();
  if (readsInput) for (const word of others) if (/[./]/.test(word)) found.add(word);
  // A substitution in quotes is a command of its own.
  for (const [, inner = ""] of text.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)) readShell(inner, found, depth + 1);
  found.folder = outer;
}

const TOKEN = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|\$\{[^}]*\}|[^\s;|&()<>`"'\\])+|[<>]+&?|[;|&()`\n]+/gs;
const SEPARATOR = /^[;|&()`\n]/;

function unquoted(token: string): string {
  return token.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_, double?: string, single?: string, one?: string) =>
    double === undefined ? (single ?? one ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
}

/** Returns whether the command is an interpreter that reads its script from its input. */
function readCommand(words: readonly string[], found: Words, depth: number): boolean {
  readManager(words, found);
  const start = words.findIndex((word, at) => !startsAnother(word, at));
  const word = words[start];
  if (word === undefined) return false;
  const rest = words.slice(start + 1);
  if (/[\\/]/.test(word)) found.add(word);
  else found.addProgram(word);
  const name = nameOf(word);
  if (name === "cd" || name === "pushd") {
    const folder = rest.find((one) => !one.startsWith("-"));
    if (folder !== undefined)
      found.folder = found.folder === undefined || /^[/~$]/.test(folder) ? folder : `${found.folder}/${folder}`;
  }
  if (name === "make" || name === "gmake") readMake(rest, found);
  if (!INTERPRETERS.has(name) && !INTERPRETERS.has(name.replace(/[\d.]+$/, ""))) return false;
  return readOperands(SHELLS.has(name), rest, found, depth);
}

function nameOf(word: string): string {
  return word.replace(/^.*[\\/]/, "").replace(/\.exe$/, "");
}

/** Whether the command that runs is among the words after this one. */
function startsAnother(word: string, at: number): boolean {
  if (/^\w+=/.test(word) || word === "{" || word === "}" || /^-|^[\d.]+[smhd]?$/.test(word)) return true;
  return STARTERS.has(nameOf(word)) || (at > 0 && SUBCOMMANDS.has(word));
}

/** Finds the script of a package that a package manager runs. */
function readManager(words: readonly string[], found: Words): void {
  const start = words.findIndex((word) => MANAGERS.has(nameOf(word)));
  if (start === -1 || !words.slice(0, start).every(startsAnother)) return;
  let folder: string | undefined;
  let isRun = false;
  for (let at = start + 1; at < words.length; at++) {
    const word = words[at] ?? "";
    const [option = "", value] = word.split("=", 2);
    if (MANAGER_FOLDERS.has(option)) folder = value ?? words[++at];
    else if (word.startsWith("-")) continue;
    else if (!isRun && /^run(-script)?$/.test(word)) isRun = true;
    else {
      const name = isRun ? word : (OWN_SCRIPTS[word] ?? word);
      if (isRun || !NO_SCRIPTS.has(word)) found.add(packageScript(folder, name));
      return;
    }
  }
}

/** Finds the file of `make`. */
function readMake(words: readonly string[], found: Words): void {
  const valueAfter = (...names: readonly string[]): string | undefined => {
    const at = words.findIndex((word) => names.includes(word));
    return at === -1 ? undefined : words[at + 1];
  };
  const folder = valueAfter("-C", "--directory");
  const file = valueAfter("-f", "--file");
  for (const name of file === undefined ? MAKE_FILES : [file])
    found.add(folder === undefined ? name : `${folder}/${name}`);
}

/**
 * Takes the script of an interpreter, and the files that its options load. Returns whether the script comes from the
 * interpreter's input.
 */
function readOperands(isShell: boolean, words: readonly string[], found: Words, depth: number): boolean {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [, option, value] = LOADS.exec(word) ?? [];
    if (option !== undefined) found.add(value ?? words[++at] ?? "");
    else if (isShell && /^-\w*c$/.test(word)) readShell(words[at + 1] ?? "", found, depth + 1);
    else if (word === "-m") for (const file of moduleFiles(words[at + 1] ?? "")) found.add(file);
    // The next word is code or the name of a module, not a file.
    if (/^-\w*[ecmp]$|^--(?:eval|print|command)\b/.test(word)) return false;
    if (option !== undefined || (word.startsWith("-") && word !== "-") || SUBCOMMANDS.has(word)) continue;
    if (word === "-" || word === "/dev/stdin") return true;
    found.add(word);
    return false;
  }
  return true;
}

/** Returns the files in which Python looks for a module. */
function moduleFiles(name: string): readonly string[] {
  const path = name.replaceAll(".", "/");
  return path === "" ? [] : [`${path}/__init__.py`, `${path}/__main__.py`, `${path}.py`];
}

/** Matches options whose value is a file that the interpreter runs before the script. */
const LOADS = /^(-r|--require|--import|--(?:experimental-)?loader|--rcfile|--init-file)(?:=(.*))?$/;
