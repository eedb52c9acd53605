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

const MAX_DEPTH = 4;

/**
 * Returns the words that name a program by its path, or that name the script of an interpreter. The words keep their
 * variables, such as `$CLAUDE_PROJECT_DIR/check.sh`. `args` is set for a command without a shell.
 */
export function scriptWordsOf(command: string, args?: readonly string[]): readonly string[] {
  const found = new Set<string>();
  if (args === undefined) readShell(command, found, 0);
  else readCommand([command, ...args], found, 0);
  return [...found];
}

function readShell(text: string, found: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH) return;
  let words: string[] = [];
  let isTarget = false;
  const end = (): void => {
    readCommand(words, found, depth);
    words = [];
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^[<>]/.test(token)) isTarget = true;
    else if (SEPARATOR.test(token)) end();
    else if (isTarget) isTarget = false;
    else words.push(unquoted(token));
  }
  end();
  // A substitution in quotes is a command of its own.
  for (const [, inner = ""] of text.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)) readShell(inner, found, depth + 1);
}

const TOKEN = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|\$\{[^}]*\}|[^\s;|&()<>`"'\\])+|[<>]+&?|[;|&()`\n]+/gs;
const SEPARATOR = /^[;|&()`\n]/;

function unquoted(token: string): string {
  return token.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_, double?: string, single?: string, one?: string) =>
    double === undefined ? (single ?? one ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
}

function readCommand(words: readonly string[], found: Set<string>, depth: number): void {
  const start = words.findIndex((word, at) => !startsAnother(word, at));
  const word = words[start];
  if (word === undefined) return;
  if (/[\\/]/.test(word)) found.add(word);
  const name = nameOf(word);
  if (INTERPRETERS.has(name) || INTERPRETERS.has(name.replace(/[\d.]+$/, "")))
    readOperands(SHELLS.has(name), words.slice(start + 1), found, depth);
}

function nameOf(word: string): string {
  return word.replace(/^.*[\\/]/, "").replace(/\.exe$/, "");
}

/** Whether the command that runs is among the words after this one. */
function startsAnother(word: string, at: number): boolean {
  if (/^\w+=/.test(word) || word === "{" || word === "}" || /^-|^[\d.]+[smhd]?$/.test(word)) return true;
  return STARTERS.has(nameOf(word)) || (at > 0 && SUBCOMMANDS.has(word));
}

/** Takes the script of an interpreter, and the files that its options load. */
function readOperands(isShell: boolean, words: readonly string[], found: Set<string>, depth: number): void {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [, option, value] = LOADS.exec(word) ?? [];
    if (option !== undefined) found.add(value ?? words[++at] ?? "");
    else if (isShell && /^-\w*c$/.test(word)) readShell(words[at + 1] ?? "", found, depth + 1);
    // The next word is code or the name of a module, not a file.
    if (/^-\w*[ecmp]$|^--(?:eval|print|command)\b/.test(word)) return;
    if (option !== undefined || word.startsWith("-") || SUBCOMMANDS.has(word)) continue;
    found.add(word);
    return;
  }
}

/** Matches options whose value is a file that the interpreter runs before the script. */
const LOADS = /^(-r|--require|--import|--(?:experimental-)?loader|--rcfile|--init-file)(?:=(.*))?$/;
