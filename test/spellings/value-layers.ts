import { type Layer, layersOf, quoted } from "./layer.ts";

const layers: Layer[] = [];

// Arithmetic, names of variables and integers evaluate the index of an array.
layers.push(
  ...layersOf("list", "list", {
    "value: read and arithmetic": "read -r -d '' v <<<@I; ((v))",
    "value: assignment and arithmetic": "v=@I; : $((v))",
    "value: assignment and a test": "v=@I; [[ v -eq 0 ]]",
    "value: assignment and an offset": "v=@I; w=abc; : ${w:v}",
    "value: assignment and an index": "v=@I; : ${w[v]}",
    "value: parameter and arithmetic": "set -- @I; (($1))",
    "value: loop and arithmetic": "for v in @I; do ((v)); done",
    "value: array and arithmetic": "w=(@I); ((w))",
    "value: let": "let @I",
    "value: printf -v": "printf -v @I y",
    "value: unset": "b=(); unset @I",
    "value: read into an element": "read @I <<<y",
    "value: wait -p": "sleep 0 & wait -n -p @I $!",
    "value: [[ -v": "b=(1); [[ -v @I ]]",
    "value: [ -v": "b=(1); [ -v @I ]",
    "value: test -v": "b=(1); test -v @I",
    "value: [[ -eq": "[[ @I -eq 1 ]]",
    "value: indirect expansion": "v=@I; : ${!v}",
    "value: mapfile and arithmetic": "mapfile -d '' v <<<@I; ((v))",
    "value: printf and arithmetic": "printf -v v @I; ((v))",
    "value: function and arithmetic": "f() { (($1)); }; f @I",
    "value: function and printf": 'f() { printf -v "$1" y; }; f @I',
    "value: function and unset": 'f() { b=(); unset "$1"; }; f @I',
    "value: function and read": 'f() { read "$1" <<<y; }; f @I',
    "value: function and let": 'f() { let "$1"; }; f @I',
    "value: function and declare": 'f() { declare "$1=1"; }; f @I',
    "value: function and test -v": 'f() { b=(1); test -v "$1"; }; f @I',
    "value: arguments of bash": "bash -c 'declare -i v=$1' _ @I",
    "value: integer variable": "declare -i v; v=@I",
    "value: declare -i": "declare -i v=@I",
    "value: typeset -i": "typeset -i v=@I",
    "value: local -i": "f() { local -i v=$1; }; f @I",
    "value: export of an integer": "declare -i v; export v=@I",
    "value: readonly integer": "declare -i v; readonly v=@I",
    "value: integer that is read": "declare -i v; read -r -d '' v <<<@I",
    "value: integer of a loop": "declare -i v; for v in @I; do :; done",
    "value: integer of printf": "declare -i v; printf -v v %s @I",
    "value: integer with a default": "declare -i v; : ${v:=@I}",
    "value: integers of mapfile": "declare -ai v; mapfile -d '' v <<<@I",
    "value: array of integers": "declare -ai v; v=(@I)",
    "value: declared array of integers": "declare -ia v=(@I)",
    "value: OPTIND": "OPTIND=@I",
    "value: name reference": "declare -n v=@I; : $v",
    "value: local name reference": "f() { local -n r=$1; r=1; }; f @I",
    "value: name reference of a loop": "declare -n r; for r in @I; do : $r; done",
    "value: words of compgen": "compgen -W @S",
    "value: a prompt": "v=@S; : ${v@P}",
  }),
  ...layersOf("list", "list", {
    "index of a descriptor": "exec {b[$(@C\n)0]}>&1",
  }),
  {
    name: "value: an array as text",
    takes: "list",
    gives: "list",
    write: (text, random) => `declare -a ${quoted(`a=($(${text}\n))`, random)}`,
  },
  {
    name: "value: two parts",
    takes: "list",
    gives: "list",
    write: (text, random) => `w=${quoted(`(${text}\n)0]`, random)}; v='b[$'$w; ((v))`,
  },
  {
    name: "value: parts of printf",
    takes: "list",
    gives: "list",
    write: (text, random) => `printf -v v 'b[\\x24%s' ${quoted(`(${text}\n)0]`, random)}; ((v))`,
  },
  {
    name: "value: parts as arguments",
    takes: "list",
    gives: "list",
    write: (text, random) => `f() { ((\${2/@/$1})); }; f '$' ${quoted(`b[@(${text}\n)0]`, random)}`,
  },
  {
    name: "value: a replaced sign",
    takes: "list",
    gives: "list",
    write: (text, random) => `v=${quoted(`b[@(${text}\n)0]`, random)}; ((\${v/@/$}))`,
  },
);

// Variables that a shell runs, or expands and prints.
layers.push(
  ...layersOf("list", "list", {
    "run: PS4": "PS4=@S; set -x; :",
    "run: PS4 in the environment": "PS4=@W(PS4) bash -x -c :",
    "run: PS4 that is read": "read -r -d '' PS4 <<<@S; set -x; :",
    "run: PS4 of printf": "printf -v PS4 %s @S; set -x; :",
    "run: PS4 of a loop": "for PS4 in @S; do set -x; :; done",
    "run: PS4 of mapfile": "mapfile -d '' PS4 <<<@S; set -x; :",
    "run: PS4 by default": "unset PS4; : ${PS4:=@S}; set -x; :",
    "run: PS4 by a name reference": "declare -n r=PS4; r=@S; set -x; :",
    "run: PS4 by another name": 'v=PS4; declare "$v"=@S; set -x; :',
    "run: PS4 of an output": "PS4=$(echo @S); set -x; :",
    "run: PS0": "PS0=@W(PS0) bash --norc -i <<<:",
    "run: PS1": "PS1=@W(PS1) bash --norc -i <<<:",
    "run: PS2": "PS2=@W(PS2) bash --norc -i <<<$'{\\n:\\n}'",
    "run: ENV": "ENV=@W(ENV) sh -i <<<exit",
    "run: PROMPT_COMMAND": "PROMPT_COMMAND=@V(PROMPT_COMMAND) bash --norc -i <<<exit",
    "run: PROMPT_COMMAND by another name": "v=PROMPT_COMMAND; export $v=@V(PROMPT_COMMAND); bash --norc -i <<<exit",
    "run: PROMPT_COMMAND as text": 'v=PROMPT_COMMAND=@V(PROMPT_COMMAND); export "$v"; bash --norc -i <<<exit',
    "run: BASH_ENV": "BASH_ENV=@W(BASH_ENV) bash -c :",
    "run: BASH_ENV of export": "export BASH_ENV=@W(BASH_ENV); bash -c :",
    "run: BASH_ENV of env": "env BASH_ENV=@W(BASH_ENV) bash -c :",
    "run: BASH_ENV that is read": "read -r -d '' BASH_ENV <<<@W(BASH_ENV); export BASH_ENV; bash -c :",
    "run: BASH_ENV by another name": "v=BASH_ENV; export $v=@W(BASH_ENV); bash -c :",
    "run: an alias that is read": "shopt -s expand_aliases; read -r -d '' BASH_ALIASES[l] <<<@Q\nl",
    "run: an alias of printf": "shopt -s expand_aliases; printf -v BASH_ALIASES[l] %s @Q\nl",
    "run: an alias by a name reference": "shopt -s expand_aliases; declare -n r=BASH_ALIASES; r[l]=@Q\nl",
    "run: an alias in a variable": 'shopt -s expand_aliases; v=l=@Q; alias "$v"\nl',
    "run: BASH_CMDS": "BASH_CMDS[l]=/bin/bash; l -c @Q",
    "run: BASH_CMDS that is read": "read BASH_CMDS[l] <<</bin/bash; l -c @Q",
    "run: BASH_CMDS of printf": "printf -v BASH_CMDS[l] /bin/bash; l -c @Q",
    "run: hash -p": "hash -p /bin/bash l; l -c @Q",
  }),
);
for (const [name, assignment] of Object.entries({
  "run: an array PROMPT_COMMAND": "PROMPT_COMMAND=(: @Q)",
  "run: an element of PROMPT_COMMAND": "PROMPT_COMMAND[1]=@Q",
  "run: PROMPT_COMMAND that is read": "read -r -d '' PROMPT_COMMAND <<<@Q",
  "run: PROMPT_COMMAND of a loop": "for PROMPT_COMMAND in @Q; do :; done",
  "run: PROMPT_COMMAND of printf": "printf -v PROMPT_COMMAND %s @Q",
  "run: PROMPT_COMMAND of mapfile": "mapfile -d '' PROMPT_COMMAND <<<@Q",
  "run: PROMPT_COMMAND by default": ": ${PROMPT_COMMAND:=@Q}",
  "run: a name in parts": "v=PROMPT_; w=COMMAND; printf -v $v$w %s @Q",
  "run: PROMPT_COMMAND by a name reference": "declare -n r=PROMPT_COMMAND; r=@Q",
})) {
  const write: Layer["write"] = (text, random) => {
    const lines = `${assignment.replace("@Q", () => quoted(text, random))}\n:`;
    return `bash --norc -i <<<${quoted(lines, random)}`;
  };
  layers.push({ name, takes: "list", gives: "list", write });
}

export const VALUE_LAYERS: readonly Layer[] = layers;
