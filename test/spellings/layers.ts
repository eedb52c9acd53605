import type { Random } from "./random.ts";

/** A piece of shell text that runs the command in question. */
export interface Piece {
  readonly text: string;
  /** `words`: a program and its arguments. `simple`: one simple command. `list`: any commands. */
  readonly kind: "words" | "simple" | "list";
  /** The names of the layers that it was made with, inner ones first. */
  readonly layers: readonly string[];
}

export interface Layer {
  readonly name: string;
  /** What it can be put around. A program and its words are a simple command, which is a list. */
  readonly takes: Piece["kind"];
  readonly gives: Piece["kind"];
  /** Only around text of one line without a here-document. */
  readonly onLine?: boolean;
  readonly write: (text: string, random: Random) => string;
}

const layers: Layer[] = [];

/** Each `@C` of a template stands for the text, `@Q` for the text as one quoted word. */
function add(
  takes: Piece["kind"],
  gives: Piece["kind"],
  templates: Readonly<Record<string, string>>,
  onLine = false,
): void {
  for (const [name, template] of Object.entries(templates)) {
    const write = (text: string, random: Random): string =>
      template.replace(/@Q|@C/g, (sign) => (sign === "@Q" ? quoted(text, random) : text));
    layers.push({ name, takes, gives, onLine, write });
  }
}

/** The text as one word, in one of the ways that Bash has. */
export function quoted(text: string, random: Random): string {
  const single = `'${text.replaceAll("'", "'\\''")}'`;
  const double = `"${text.replace(/["$`\\]/g, "\\$&")}"`;
  const ansi = `$'${text.replace(/['\\]/g, "\\$&").replaceAll("\n", "\\n")}'`;
  return random.of([single, single, single, double, double, ansi]);
}

// Programs that run a program.
add("words", "words", {
  env: "env @C",
  "env with an assignment": "env -u B A=1 @C",
  "env --": "env -- A=1 @C",
  "env -i": "env -i /usr/bin/env @C",
  nice: "nice -n 3 @C",
  "nice -5": "nice -5 @C",
  nohup: "nohup @C",
  setsid: "setsid -w @C",
  timeout: "timeout 5 @C",
  "timeout with options": "timeout -k 1 --signal=KILL 5 @C",
  stdbuf: "stdbuf -o0 @C",
  "stdbuf with a value": "stdbuf --output 0 -e L @C",
  ionice: "ionice -c 3 @C",
  taskset: "taskset 1 @C",
  "taskset -c": "taskset -c 0 @C",
  chrt: "chrt -o 0 @C",
  choom: "choom -n 5 -- @C",
  prlimit: "prlimit --nofile=100 @C",
  setpriv: "setpriv --no-new-privs @C",
  setarch: "setarch -R @C",
  "setarch with a name": "setarch x86_64 @C",
  i386: "i386 @C",
  linux64: "linux64 -R @C",
  flock: "flock f @C",
  xargs: "xargs @C",
  "xargs with options": "xargs -r0 -n 1 -P 2 @C </etc/words",
  "xargs -a": "xargs -a /etc/words -L1 @C",
});
add("words", "simple", {
  "xargs from here": "xargs @C <<<y",
  "find -exec": "find /etc/words -exec @C \\;",
  "find -exec +": "find /etc/words -exec @C {} +",
  "find -execdir": "find /etc/words -name 'w*' -execdir @C ';'",
  command: "command @C",
  "command -p": "command -p -- @C",
  exec: "exec @C",
  "exec -a": "exec -a y -c @C",
  "jobs -x": "jobs -x @C",
  "env -S": "env -S @Q",
  "env -S in a word": "env -S'A=1 @C'",
  "env -vS": "env -vS @Q 2>f",
});
// Words that come from the input.
add(
  "words",
  "list",
  {
    "xargs env": "echo @C | xargs env",
    "xargs nice": "echo @C | xargs nice",
    "xargs nohup": "echo @C | xargs nohup",
    "xargs setsid": "echo @C | xargs setsid -w",
    "xargs timeout": "echo @C | xargs timeout 5",
    "xargs stdbuf": "echo @C | xargs stdbuf -o0",
    "xargs xargs": "echo @C | xargs xargs -a /etc/words",
    "xargs -I sh": "echo @C | xargs -I@ sh -c @",
    "xargs --replace": "echo @C | xargs --replace=@ sh -c ': ; @'",
    "xargs -i sh": "echo @C | xargs -i sh -c {}",
    "xargs find": "echo '/etc/words -exec @C ;' | xargs find",
    "a function's arguments": 'f() { "$@"; }; f @C',
    "positional parameters": 'set -- @C; "$@"',
    "positional parameters, one by one": "set -- @C; $1 $2 $3 $4 $5 $6 $7 $8 $9",
    "an array": "a=(@C); ${a[@]}",
    "an array that is quoted": 'a=(@C); "${a[@]}"',
    "a variable": "c=@Q; $c",
    "a variable that is read": "read -r c <<<@Q; $c",
    "a variable of printf": "printf -v c @Q; $c",
    "an indirect variable": "c=@Q; d=c; ${!d}",
    "a name reference": "c=@Q; declare -n d=c; $d",
    "a default": "${nothing:-@C}",
    "the last argument": "true @Q; $_",
    "an output": "$(echo @C)",
    "an output in backticks": "`echo @C`",
    "a loop's variable": "for c in @Q; do $c; done",
    mapfile: "mapfile -t c <<<@Q; ${c[0]}",
  },
  true,
);

// Simple commands.
add(
  "simple",
  "simple",
  {
    assignment: "A=1 B+='2 3' @C",
    "array index": "a[1 + 0]=1 @C",
    redirection: ">/dev/null @C",
    "redirection of a descriptor": "2>&1 3</dev/null @C",
    "redirection to a variable": "{fd}>/dev/null @C",
    "redirection behind": "@C >&2 2>/dev/null",
    "here-string behind": "@C <<<y",
    "blank before": " \t@C",
  },
  true,
);
add("words", "simple", { "builtin command": "builtin command @C", "time and a command": "time -p -- @C" });

// Text that is run.
add("list", "simple", {
  eval: "eval @Q",
  "eval --": "eval -- @Q",
  "builtin eval": "builtin eval @Q",
  "command eval": "command -- eval @Q",
  "trap EXIT": "trap @Q EXIT",
  "trap --": "trap -- @Q 0",
  "source here-string": "source /dev/stdin <<<@Q",
  "builtin source": "builtin source /dev/stdin <<<@Q",
  ". descriptor": ". /dev/fd/3 3<<<@Q",
  "source --": "source -- /dev/stdin <<<@Q",
  "bash here-string": "bash <<<@Q",
  "bash -s": "bash -s a b <<<@Q",
  "bash -": "bash - <<<@Q",
  "bash descriptor": "bash /dev/fd/3 3<<<@Q",
  "bash copied descriptor": "bash 3<<<@Q <&3",
  "compgen -C": "compgen -C @Q",
  "mapfile -C": "mapfile -C @Q -c 1 a <<<y",
});
add("list", "words", {
  "bash -c": "bash -c @Q",
  "sh -c": "bash --posix -c @Q",
  "bash -ec": "bash --norc -xec @Q",
  "bash -o": "bash -o pipefail -c -- @Q",
  "bash -co": "bash -co pipefail @Q",
  "bash -O": "bash +O extglob -c @Q name",
  "bash -c -x": "bash -c -x @Q",
  "bash with words": `bash -c '"$@"' name bash -c @Q`,
  "bash $0": "bash -c '$0 -c \"$1\"' bash @Q",
  "flock -c": "flock f -c @Q",
  "xargs sh": "xargs bash -c @Q",
  "/bin/bash": "/usr/bin/../bin/bash -c @Q",
});
add("list", "list", {
  "process substitution for source": "source <(echo @Q)",
  "process substitution for bash": "bash <(echo @Q)",
  "process substitution as input": "bash < <(echo @Q)",
  "--rcfile": "bash --rcfile <(echo @Q) -ic :",
  BASH_ENV: "BASH_ENV=<(echo @Q) bash -c :",
  "pipe to bash": "echo @Q | bash",
  "pipe to a group": "echo @Q | { bash; }",
  "pipe to a subshell": "echo @Q | ( bash -s )",
  "pipe to source": "echo @Q | . /dev/stdin",
  "pipe to a loop": "printf '%s\\n' @Q | while IFS= read -r -d '' l || [ -n \"$l\" ]; do eval \"$l\"; done",
  "pipe through cat": "echo @Q | cat | tee f | bash",
  "a copied input": "exec 3< <(echo @Q); bash <&3",
  "input of a group": "{ bash; } <<<@Q",
  alias: "shopt -s expand_aliases; alias l=@Q\nl",
  "alias --": "shopt -s expand_aliases\nalias -- l=@Q\nl",
  "function body in the environment": "env 'BASH_FUNC_f%%=() { eval '@Q'\n}' bash -c f",
  PROMPT_COMMAND: "PROMPT_COMMAND=@Q bash --norc -i <<<exit",
  coprocess: "coproc { @C\n}; wait",
  "named coprocess": "coproc N { @C\n}; wait",
  "named coprocess of a subshell": "coproc N (\n@C\n); wait",
  time: "time { @C\n}",
  "time !": "time ! { @C\n}",
  "! time": "! time -p { @C\n}",
  not: "! {\n@C\n}",
  group: "{ @C\n}",
  subshell: "(\n@C\n)",
  "group in the background": "{ @C\n} & wait",
  if: "if true; then\n@C\nfi",
  "if's condition": "if @C\nthen :; fi",
  elif: "if false; then :; elif { @C\n}; then :; fi",
  else: "if false; then :; else @C\nfi",
  while: "while :; do @C\nbreak; done",
  until: "until @C\n:; do :; done",
  for: "for i in a; do @C\ndone",
  "for without words": "for i in a\ndo\n@C\ndone",
  "for over parameters": "set -- a; for i do @C\ndone",
  "arithmetic for": "for ((i=0; i<1; i++)); do @C\ndone",
  "arithmetic for with braces": "for ((i=0; i<1; i++)) { @C\n}",
  select: "select i in a b; do @C\nbreak; done <<<1",
  case: "case a in b) ;; a) @C\n;; esac",
  "case with a parenthesis": "case a in (a | b) @C\n;& c) esac",
  function: "f() { @C\n}; f",
  "function keyword": "function f {\n@C\n}\nf",
  "function of a subshell": "f() (\n@C\n); f",
  "function with an odd name": "a-b.c() { @C\n}; a-b.c",
  "function called by a trap": "f() { @C\n}; trap f EXIT",
  "behind a comment": "true # it's a \"comment\n@C",
  "behind a here-document": "cat <<'E' >/dev/null\nit's a \"text $(\nE\n@C",
  "behind another": "cat <<-E1 <<\\E2 >/dev/null\n\tit's\n\tE1\n$(\"\nE2\n@C",
  "behind quotes": "echo 'a \"b' \"c 'd\" $'e\\'f' >/dev/null; @C",
  "behind a test": "[[ a == a && ( b < c || a =~ ^(a|b)$ ) ]]; @C",
  "behind arithmetic": "(( 1 < 2 )); echo $(( (1 + 2) * 3 )) $((16#ff)) >/dev/null; @C",
  "behind an expansion": 'x=a; echo "${x#\'}\'}" ${x/\\}/\\"} "${x:-\'it s\'}" >/dev/null; @C',
  "behind a pattern": "shopt -s extglob\necho !(a|b) @(c) >/dev/null; @C",
  "behind a case": "case a in b) echo x ;; esac; @C",
  and: "true &&\n@C",
  or: "false || {\n@C\n}",
  "command substitution": ": $(@C\n)",
  "quoted substitution": ': "a $(\n@C\n) b"',
  "substitution in a substitution": ': "$(echo "$(@C\n)")"',
  "process substitution": "cat <(@C\n) >/dev/null",
  "output process substitution": "echo y > >(@C\n); wait",
  "default value": ": ${nothing:-$(@C\n)}",
  "quoted default value": ": \"${nothing:-'$(@C\n)'}\"",
  "replaced text": "x=a; : ${x//a/$(@C\n)}",
  "removed text": 'x=a; : "${x#$(@C\n)}"',
  "array element": "a=(b $(@C\n))",
  "array key": "declare -A a=([$(@C\n)]=1)",
  "array index": "a[$(@C\n)0]=1",
  "index in arithmetic": "((a[$(@C\n)0]++))",
  arithmetic: ": $(( $(@C\n) 1 ))",
  "old arithmetic": ": $[ $(@C\n) 1 ]",
  "assigned substitution": "x=$(@C\n)",
  "exported substitution": "export x=$(@C\n)",
  "substitution in a redirection": ": >/dev/null$(@C\n)",
  "substitution in a test": "[[ -n $(@C\n) ]]",
  "substitution in a case": "case $(@C\n) in *) ;; esac",
  "substitution in a for": "for i in $(@C\n); do :; done",
  "substitution in a here-string": ": <<<$(@C\n)",
  "substitution in a here-document": "cat <<E >/dev/null\nit's $(@C\n) \"\nE",
  "substitution in braces": ": a{$(@C\n),b}",
  let: "let a[$(@C\n)0]=1",
});
add(
  "list",
  "list",
  {
    backticks: "`@C`",
    "backticks in quotes": ': "a `@C` b"',
    "backticks in arithmetic": ": $((`@C` 1))",
    "behind and": "true && @C",
    "before and": "@C && true",
    "behind or": "false || @C",
    "behind a semicolon": "true; @C",
    "before a semicolon": "@C; true",
    "behind a pipe": "true | @C",
    "before a pipe": "@C | cat",
    "before |&": "@C |& cat",
    "in the background": "@C & wait",
    "in a subshell": "(@C)",
    "two subshells": "((@C) )",
    "in a group": "{ @C; }",
    "behind !": "! @C",
    "behind time": "time @C",
    "behind time -p": "time -p @C",
    "behind ! time !": "! time ! @C",
    "behind coproc": "coproc @C\nwait",
    "behind a newline": "true\n@C\ntrue",
    "continued line": "true && \\\n @C",
    "continued operator": "true &\\\n& @C",
    "short function": "f() if true; then @C; fi; f",
    "one-line case": "case a in a) @C;; esac",
  },
  true,
);
for (const layer of layers) {
  if (!/^backticks/.test(layer.name)) continue;
  // In backticks one level of backslashes goes, and within double quotes those before a double quote, too.
  const template = layer.write;
  const special =
    layer.name === "backticks in quotes" || layer.name === "backticks in arithmetic" ? /[`\\$"]/g : /[`\\$]/g;
  Object.assign(layer, { write: (text: string, random: Random) => template(text.replace(special, "\\$&"), random) });
}

// Here-documents.
layers.push(
  { name: "here-document for bash", takes: "list", gives: "list", write: (text) => `bash <<'E N D'\n${text}\nE N D\n` },
  {
    name: "here-document for a source",
    takes: "list",
    gives: "list",
    write: (text) => `. /dev/stdin <<\\E_1\n${text}\nE_1\n`,
  },
  {
    name: "here-document with expansions",
    takes: "list",
    gives: "list",
    write: (text) => `bash <<E_2\n${text.replace(/[$`\\]/g, "\\$&")}\nE_2\n`,
  },
  {
    name: "here-document in a pipe",
    takes: "list",
    gives: "list",
    write: (text) => `cat <<"E_3" | bash\n${text}\nE_3\n`,
  },
  {
    name: "here-document in a substitution",
    takes: "list",
    gives: "list",
    write: (text) => `eval "$(cat <<'E_4'\n${text}\nE_4\n)"`,
  },
);

// Values that arithmetic evaluates.
const VALUES: Readonly<Record<string, string>> = {
  "read and arithmetic": "read -r -d '' v <<<@Q; ((v))",
  "assignment and arithmetic": "v=@Q; : $((v))",
  "assignment and a test": "v=@Q; [[ v -eq 0 ]]",
  "assignment and an offset": "v=@Q; w=abc; : ${w:v}",
  "assignment and an index": "v=@Q; : ${w[v]}",
  "parameter and arithmetic": "set -- @Q; (($1))",
  "loop and arithmetic": "for v in @Q; do ((v)); done",
  "array and arithmetic": "w=(@Q); ((w))",
  "integer variable": "declare -i v; v=@Q",
  "declare -i": "declare -i v=@Q",
  let: "let @Q",
  "printf -v": "printf -v @Q y",
  unset: "b=(); unset @Q",
  "read into an element": "read @Q <<<y",
  "[[ -v": "[[ -v @Q ]]",
  "[ -v": "b=(1); [ -v @Q ]",
  "test -v": "b=(1); test -v @Q",
  "[[ -eq": "[[ @Q -eq 1 ]]",
  "indirect expansion": "v=@Q; : ${!v}",
  "name reference": "declare -n v=@Q; : $v",
  "mapfile and arithmetic": "mapfile -d '' v <<<@Q; ((v))",
  "printf and arithmetic": "printf -v v @Q; ((v))",
  "function and arithmetic": "f() { ((\\$1)); }; f @Q",
};
for (const [name, template] of Object.entries(VALUES)) {
  layers.push({
    name: `value: ${name}`,
    takes: "list",
    gives: "list",
    write: (text, random) => {
      const value = `b[$(${text}\n)0]`;
      return template.replaceAll("\\$", "$").replace("@Q", () => quoted(value, random));
    },
  });
}
layers.push(
  {
    name: "value: an array as text",
    takes: "list",
    gives: "list",
    write: (text, random) => `declare -a ${quoted(`a=($(${text}\n))`, random)}`,
  },
  {
    name: "value: words of compgen",
    takes: "list",
    gives: "list",
    write: (text, random) => `compgen -W ${quoted(`$(${text}\n)`, random)}`,
  },
  {
    name: "value: a prompt",
    takes: "list",
    gives: "list",
    write: (text, random) => `v=${quoted(`$(${text}\n)`, random)}; : \${v@P}`,
  },
  {
    name: "value: PS4",
    takes: "list",
    gives: "list",
    write: (text, random) => `PS4=${quoted(`$(${text}\n)`, random)}; set -x; :`,
  },
);

// What conditions do not see, each with its reason in exceptions.ts.
add("list", "list", {
  "script file": "echo @Q > s; bash s",
  "sourced file": "echo @Q > s; . ./s",
  "file as input": "echo @Q > s; bash < s",
});
add("list", "simple", {
  "command of another program": "env C=@Q sed -n '1e eval \"$C\"' /etc/words",
  "filter of another program": "split --filter=@Q /etc/words",
});
add("words", "list", { "arguments in a variable": "v='-exec @C ;'; find /etc/words $v" }, true);
layers.push({
  name: "printed value",
  takes: "list",
  gives: "list",
  write: (text, random) => `v=$(printf 'b%s$(%s\n)0]' '[' ${quoted(text, random)}); ((v))`,
});

export const LAYERS: readonly Layer[] = layers;
