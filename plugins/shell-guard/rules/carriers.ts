// Programs that run a command or a shell text among their arguments, in their input or in their environment.

import { type Command, type Input, newCommand, newPipeline, type Pipeline } from "../../../src/shell/command.ts";
import { baseName } from "../../../src/shell/programs.ts";
import type { Shell } from "../shell.ts";
import type { Call } from "./call.ts";

interface Carrier {
  /** The options whose value a shell runs. */
  readonly texts: readonly string[];
  /** The options whose value has commands of the program's own language, one of which starts a shell. */
  readonly console: readonly string[] | undefined;
  /** The words after which a command begins. A command may begin at the first word if there are none. */
  readonly verbs: readonly string[] | undefined;
}

const FOUND = new Map<string, Carrier>();

function carriers(field: keyof Carrier, lines: readonly string[]): void {
  for (const line of lines) {
    const [programs = "", ...words] = line.split(" ");
    for (const program of programs.split(",")) {
      const before = FOUND.get(program) ?? { texts: [], console: undefined, verbs: undefined };
      FOUND.set(program, { ...before, [field]: words });
    }
  }
}

carriers("texts", [
  "split --filter",
  "tar,bsdtar,gtar --to-command --use-compress-program -I --info-script -F --new-volume-script --rsh-command --checkpoint-action",
  "man -P --pager",
  "rsync -e --rsh --rsync-path",
  "zip -TT --unzip-command",
  "sort --compress-program",
  "npx,npm,pnpm,bunx,nix -c --call --command --shell-mode",
  "git -x --exec --tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --upload-pack --receive-pack --extcmd",
  "nodemon,watchexec,cargo -x --exec -s --shell",
  "tcpdump -z",
  "scp,sftp,mosh -S --ssh",
  "xterm,gnome-terminal,konsole,alacritty -e",
  "make --eval",
]);
carriers("console", [
  "vim,vi,nvim,view,ex,gvim,vimdiff,rvim -c --cmd -S",
  "gdb,lldb -ex --eval-command -eval-command -iex -o --one-line",
  "emacs --eval -eval --execute",
  "expect,tclsh,wish -c",
  "ed,red,ftp,sftp,mail,mailx,bc,gnuplot -e",
  "sqlite3 -cmd",
]);
carriers("verbs", [
  "npx,bunx,pnpx,uvx,shx,cross-env,dotenv,concurrently,wsl,env-cmd,npm-run-all",
  "uv,poetry,pipenv,pdm,rye,hatch,conda,mamba,micromamba,devbox,op,doppler,dotenvx,infisical,foreman,pipx run",
  "bundle,rbenv,pyenv,nodenv,asdf,mise,aws-vault,chamber,direnv exec",
  "npm exec x",
  "bun x",
  "pnpm,yarn exec dlx",
  "nix develop shell run",
  "git bisect submodule",
]);

/** Variables whose value programs run as a command. */
const VARIABLE =
  /^(?:GIT_(?:SSH_COMMAND|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|(?:MAN|GIT_)?PAGER|(?:SUDO_)?EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|RSYNC_RSH|CVS_RSH|SVN_SSH)=(.*)$/s;
/** Settings of git whose value git runs. */
const GIT_SETTING =
  /^(?:(alias)\.[^=]+|core\.(?:pager|editor|sshcommand|fsmonitor|askpass)|pager\.\w+|sequence\.editor|diff\.external|[\w.-]+\.(?:cmd|textconv|command|clean|smudge|driver|process|helper))=([\s\S]*)$/i;
/** Matches the start of a console's command for a shell. */
const ESCAPE =
  /^\s*:?\s*(?:silent!?\s+)?(?:exec=|(?:r|w|read|write)?\s*!|shell\s+|spawn\s+|exec\s+|system\s+|\.shell\s+|\\!)\s*(.+)/s;
const SYSTEM = /\b(?:system|shell-command|call-process-shell-command)[\s(]*["']((?:[^"'\\]|\\.)*)["']/g;
const MAX_WORDS = 16;
const WORK_PER_WORD = 300;

export const CARRIERS: string = [...FOUND.keys()].join(" ");

/** Judges the commands among the arguments of a program. */
export function judgeCarried(shell: Shell, { name, args }: Call, { redirections }: Command, pipeline: Pipeline): void {
  const carrier = FOUND.get(name);
  if (carrier === undefined) return;
  const { texts, console, verbs } = carrier;
  // Most commands have no word that could be a text.
  let hasText = false;
  let start = verbs?.length === 0 ? 0 : -1;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg.includes(" ") || arg.includes("=!")) hasText = true;
    if (start < 0 && verbs?.includes(arg)) start = at + 1;
  }
  const inputs = redirections?.inputs ?? pipeline.data?.inputs;
  if (hasText) {
    for (const text of valuesOf(args, texts)) shell.runScript(text.replace(/^exec=/, ""));
    if (name === "git") judgeSettings(shell, args);
  }
  if (console !== undefined) {
    for (const text of valuesOf(args, console)) judgeConsole(shell, text);
    for (const arg of args) if (arg[0] === "+") judgeConsole(shell, arg.slice(1));
    takeInputs(inputs, (text) => judgeConsole(shell, text));
  }
  if (name === "make") judgeMake(shell, args, inputs);
  if (start >= 0) judgeWords(shell, args.slice(start));
}

/** Returns the values of options: the next word, or the rest of the word. */
function valuesOf(args: readonly string[], options: readonly string[]): string[] {
  const found: string[] = [];
  for (const [at, arg] of args.entries()) {
    if (arg[0] !== "-") continue;
    for (const option of options) {
      if (arg === option) found.push(args[at + 1] ?? "");
      else if (arg.startsWith(option)) {
        const rest = arg.slice(option.length);
        if (rest[0] === "=") found.push(rest.slice(1));
        else if (option.length === 2) found.push(rest);
      }
    }
  }
  return found.filter((text) => /\s/.test(text));
}

/** Judges a command that may begin at any word, because the options before it are too many to list. */
function judgeWords(shell: Shell, words: readonly string[]): void {
  for (let at = 0; at < Math.min(words.length, MAX_WORDS); at++) {
    const word = words[at] ?? "";
    shell.spend(WORK_PER_WORD + (words.length - at) * 250);
    if (/\s/.test(word)) shell.tryText(word, "a program may run this text");
    else if (shell.mayJudge(word) && at + 1 < words.length) {
      shell.enter();
      shell.take(newCommand(words.slice(at)), newPipeline());
      shell.leave();
    }
  }
}

function judgeConsole(shell: Shell, text: string): void {
  shell.spend(text.length * 2);
  if (!/!|shell|spawn|exec|system/.test(text)) return;
  for (const line of text.split("\n")) {
    const [, command] = ESCAPE.exec(line) ?? [];
    if (command !== undefined) shell.runScript(command);
  }
  for (const [, command = ""] of text.matchAll(SYSTEM)) shell.runScript(command);
}

function takeInputs(inputs: readonly Input[] | undefined, judge: (text: string) => void): void {
  for (const { text, document } of inputs ?? []) {
    if (text !== undefined) judge(text);
    if (document !== undefined) document.takeBody = judge;
  }
}

/** Judges the commands of a makefile that the text contains. */
function judgeMake(shell: Shell, args: readonly string[], inputs: readonly Input[] | undefined): void {
  const at = args.findIndex((arg) => /^-f|^--(?:make)?file/.test(arg));
  const file = at < 0 ? "makefile" : (((args[at] ?? "").replace(/^-f|^--(?:make)?file=?/, "") || args[at + 1]) ?? "");
  const judge = (text: string): void => {
    for (const [, recipe = ""] of text.matchAll(/^\t[@+-]*(.*)|;[@+-]*(.*)/gm)) shell.runScript(recipe);
    for (const [, command = ""] of text.matchAll(/\$\(shell\s+([^)]*)\)/g)) shell.runScript(command);
  };
  for (const arg of args) if (arg.includes("$(shell")) judge(arg);
  if (file === "-" || file === "/dev/stdin") takeInputs(inputs, judge);
  else shell.stored?.takeContent(baseName(file), judge);
}

/** Judges `git -c alias.x='!rm -rf /' x`. */
function judgeSettings(shell: Shell, args: readonly string[]): void {
  for (const [at, arg] of args.entries()) {
    if (arg !== "-c" && !arg.startsWith("-c")) continue;
    const [, alias, value = ""] = GIT_SETTING.exec(arg === "-c" ? (args[at + 1] ?? "") : arg.slice(2)) ?? [];
    if (value === "") continue;
    shell.runScript(alias === undefined ? value : value[0] === "!" ? value.slice(1) : `git ${value}`);
  }
}

/** Judges the value of a variable that a program runs as a command. */
export function judgeVariable(shell: Shell, word: string): void {
  // A single word as a value is the name of a program, and most variables have other names.
  if (!word.includes(" ") || !"BCEGLMPRSV".includes(word.charAt(0))) return;
  const [, value] = VARIABLE.exec(word) ?? [];
  if (value !== undefined) shell.runScript(value);
}
