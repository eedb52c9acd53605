import { EXIT } from "../exit-codes.ts";
import { SUMMARIES } from "../help-texts.ts";
import { type Console, parseVerbArgs, unknownWord, usageError, type Verb } from "../verb.ts";

/** Scripts for shell completion of verbs, their actions and their options, made from the verbs' tables. */

interface Completed {
  readonly name: string;
  readonly summary: string;
  /** The completions of a verb: its actions, then its options with dashes. */
  readonly words: readonly string[];
}

const SHELLS = {
  bash: { script: bash, load: "source <(hookbox completion bash)", file: "~/.bashrc" },
  zsh: { script: zsh, load: "source <(hookbox completion zsh)", file: "~/.zshrc, after compinit" },
  fish: { script: fish, load: "hookbox completion fish | source", file: "~/.config/fish/config.fish" },
} as const;

type Shell = keyof typeof SHELLS;
const NAMES = Object.keys(SHELLS) as readonly Shell[];

/** Returns the verb `completion`. `verbNamed` loads a verb by its name. */
export function completionOf(verbNamed: (name: string) => Promise<Verb> | undefined): Verb {
  return {
    summary: "print the completion script for a shell",
    usage: `Usage: hookbox completion ${NAMES.join("|")}

  Add the line to the shell's configuration file:

${NAMES.map((name) => `  ${name.padEnd(6)}${SHELLS[name].load.padEnd(36)}in ${SHELLS[name].file}`).join("\n")}

Exit codes: 0 printed   2 a mistake on the command line`,
    actions: NAMES,
    run: async (args: readonly string[], console: Console) => {
      const { positionals } = parseVerbArgs(args, {});
      const [shell, another] = positionals;
      if (shell === undefined || another !== undefined) throw usageError(`completion takes one of ${NAMES.join(", ")}`);
      const known = NAMES.find((name) => name === shell);
      if (known === undefined) throw unknownWord(`unknown shell "${shell}"; known: ${NAMES.join(", ")}`, shell, NAMES);
      const completed = await Promise.all(
        Object.entries(SUMMARIES).map(async ([name, summary]) => wordsOf({ name, summary }, await verbNamed(name))),
      );
      console.write(SHELLS[known].script(completed));
      return EXIT.done;
    },
  };
}

function wordsOf(shown: Omit<Completed, "words">, verb: Verb | undefined): Completed {
  const { options, actions = [] } = verb ?? {};
  const names = [...Object.keys(options?.() ?? {}), "help"].map((option) => `--${option}`);
  return { ...shown, words: [...actions, ...names] };
}

function bash(verbs: readonly Completed[]): string {
  return `_hookbox() {
  local current=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${verbs.map(({ name }) => name).join(" ")} --help --version"
  else
    case \${COMP_WORDS[1]} in
${verbs.map(({ name, words }) => `      ${name}) words="${words.join(" ")}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _hookbox hookbox
`;
}

function zsh(verbs: readonly Completed[]): string {
  return `#compdef hookbox
_hookbox() {
  local -a verbs
  if (( CURRENT == 2 )); then
    verbs=(
${verbs.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}`).join("\n")}
    )
    _describe verb verbs
    return
  fi
  case $words[2] in
${verbs.map(({ name, words }) => `    ${name}) compadd -- ${words.join(" ")} ;;`).join("\n")}
  esac
  _files
}
compdef _hookbox hookbox
`;
}

function fish(verbs: readonly Completed[]): string {
  const isFirst = "__fish_use_subcommand";
  const lines = verbs.flatMap(({ name, summary, words }) => [
    `complete -c hookbox -n ${isFirst} -f -a ${name} -d ${quoted(summary)}`,
    ...words.map((word) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c hookbox -n '__fish_seen_subcommand_from ${name}' ${what}`;
    }),
  ]);
  return `${lines.join("\n")}\n`;
}

/** Quotes a text for a shell in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
