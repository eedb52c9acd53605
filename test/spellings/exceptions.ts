/** What `if: "Bash(…)"` does not see although Bash runs it. docs/conditions.md has the same rows. */
interface Exception {
  /** The layers and names of spellings that it excuses. */
  readonly layers: readonly string[];
  /** The two cells of its row. */
  readonly what: string;
  readonly why: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    layers: ["script file", "sourced file", "file as input"],
    what: "script files: `sh f`, `. f`, `sh < f`, `BASH_ENV=f`, `~/.bashrc`, a link to `/dev/stdin`, also if the same text creates the files",
    why: "a condition reads no files, and a file may change before Bash runs the file",
  },
  {
    layers: ["command of another program", "filter of another program"],
    what: "commands that other programs run: `python -c`, `awk`, `sed`, `tar`, `gdb`, `make`, an editor, `git` with an alias, `npx`, `docker exec`, a variable like `PAGER`",
    why: "each program that runs commands has its own language",
  },
  {
    layers: ["name: copy", "name: link"],
    what: "a program under another name: `cp /bin/rm c; ./c x`, a link",
    why: "a condition reads names, and not files",
  },
  {
    layers: ["name: value of several words", "arguments in a variable"],
    what: 'a variable or an output among the options and values of a program that runs another: `timeout $v x`, `find . $v`, `find . "${a[@]}"`',
    why: "`timeout $seconds npm test` and `find $folder -name x` are ordinary. hookbox counts the variable as a word that is no option",
  },
  {
    layers: ["printed value"],
    what: "the output of a command that arithmetic evaluates: `v=$(cat f); ((v))`",
    why: "every `((i + 1))` would run the hook",
  },
  {
    layers: ["value: parts as arguments", "run: a name in parts"],
    what: "a value for arithmetic or the name of a variable in parts that are harmless alone: `f '$' 'a[@(rm x)]'`, `export \"$a$b=rm x\"`",
    why: "any two words could be combined",
  },
];
