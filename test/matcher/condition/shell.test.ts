import { describe, expect, test } from "vitest";
import { MAX_COMMAND_LENGTH } from "../../../src/matcher/condition/shell/command-reader.ts";
import { judge, matchesCommand, runsOn } from "./conditions.ts";

describe("the vectors of the agent's own page", () => {
  test.each([
    ["Bash(git *)", "FOO=bar git push", true],
    ["Bash(git *)", "npm test && git push", true],
    ["Bash(rm *)", "echo $(rm -rf /)", true],
    ["Bash(rm *)", "echo $(date)", false],
    ["Bash(git push *)", "echo $(date)", true],
    ["Bash(git push *)", "echo `date`", true],
    ["Bash(git push *)", "echo $HOME", true],
    ["Bash(git push *)", "echo 'unclosed", true],
    ["Bash(ls *)", "lsof", false],
    ["Bash(ls *)", "ls", true],
    ["Bash(ls *)", "ls -la", true],
    ["Bash(ls:*)", "ls -la", true],
    ["Bash(ls:*)", "lsof", false],
    ["Bash(ls*)", "lsof", true],
    ["Bash(*)", "anything at all", true],
    ["Bash", "anything at all", true],
    ["Bash(git push*)", "git push --force", true],
    ["Bash(git push*)", "git pull", false],
    ["Bash(npm run build)", "npm run build", true],
    ["Bash(npm run build)", "npm run build --watch", false],
    ["Bash(git * main)", "git log --oneline main", true],
    ["Bash(git * main)", "git log && echo main", false],
    ["Bash(* --version)", "node --version", true],
  ])("%s on %s: %s", (condition, command, runs) => {
    expect(runsOn(condition, command)).toBe(runs);
  });
});

describe("each command of a text", () => {
  test.each([
    "ls && rm -rf x",
    "ls || rm x",
    "ls; rm x",
    "ls | rm x",
    "ls |& rm x",
    "ls & rm x",
    "ls\nrm x",
    "(rm x)",
    "{ rm x; }",
    "if rm x; then :; fi",
    "if a; then rm x; fi",
    "if a; then b; elif rm x; then c; fi",
    "if a; then b; else rm x; fi",
    "while rm x; do :; done",
    "until a; do rm x; done",
    "for f in a b; do rm x; done",
    "for ((i=0; i<3; i++)); do rm x; done",
    "select a in b; do rm x; done",
    "case a in a) rm x;; esac",
    "case $(rm x) in a) ;; esac",
    "f() { rm x; }; f",
    "function f { rm x; }",
    "! rm x",
    "time rm x",
    "time -p rm x",
    "coproc rm x",
    "coproc NAME { rm x; }",
    'echo "$(rm x)"',
    'echo "a $(echo $(rm x)) b"',
    "echo `rm x`",
    "echo `echo \\`rm x\\``",
    "cat <(rm x)",
    "tee >(rm x)",
    "echo ${x:-$(rm x)}",
    'echo "${x[$(rm x)]}"',
    "echo $(( $(rm x) + 1 ))",
    "echo $((rm x) )",
    "echo $((ls); rm x)",
    "((ls); rm x)",
    "(( y = $(rm x) ))",
    "[[ -n $(rm x) ]]",
    "x=$(rm x)",
    "x=(a $(rm x))",
    "a[$(rm x)]=1",
    "export A=$(rm x)",
    "cat <<END\n$(rm x)\nEND",
    "cat <<END\n`rm x`\nEND",
    'cat <<< "$(rm x)"',
    "echo > $(rm x)",
    "echo a{$(rm x),b}",
    "echo ${ rm x; }",
    "ls # comment\nrm x",
    "cat <<'E' && rm x\ntext\nE",
    "cat <<'E'\ntext\nE\nrm x",
  ])("is found: %j", (command) => {
    expect(matchesCommand("Bash(rm *)", command)).toBe(true);
  });

  test.each([
    'echo "rm -rf /"',
    "echo 'rm x'",
    "echo rm x",
    "git commit -m 'rm x; rm y'",
    'git commit -m "a && rm x"',
    "cat <<'E'\nrm x\n$(rm y)\nE",
    'cat <<"E"\nrm x\nE',
    "cat <<E\nrm x\nE",
    "cat <<-\\E\n\t$(rm x)\n\tE",
    "cat <<< 'rm x'",
    "ls # rm x",
    "# rm x",
    "rmdir x",
    "grm x",
    "echo a > rm",
    "echo '$(rm x)'",
    "'rm x'",
    "rm\\ x",
    "x='rm x' ls",
    "timeout 5 echo rm x",
    "cat <<E\nrm x",
    "   ",
  ])("is not a text that only looks like one: %j", (command) => {
    expect(judge("Bash(rm *)", "Bash", { command })).toMatchObject({ fits: false });
  });
});

describe("other spellings of the same command", () => {
  test.each([
    "r\\m x",
    '"rm" x',
    "'rm' x",
    "r''m x",
    "$'rm' x",
    "$'\\x72m' x",
    "$'\\162\\155' x",
    "r\\\nm x",
    "rm\\\n x",
    "rm\tx",
    "rm  -rf   x",
    ">/dev/null rm x",
    "2>&1 rm x",
    "A=1 B=2 rm x",
    "A=1 >f rm x",
    "/bin/rm x",
    "./rm x",
    "~/bin/rm x",
    "\\rm x",
    "rm x\r\n",
    "ls\r\nrm x\r\n",
    "rm\u00a0x",
    "=rm x",
    "timeout 5 rm x",
    "timeout -k 5 10 rm x",
    "timeout --signal=KILL 10 rm x",
    "nice rm x",
    "nice -n 5 rm x",
    "nice -5 rm x",
    "nohup rm x",
    "stdbuf -oL rm x",
    "stdbuf -o L rm x",
    "command rm x",
    "command -- rm x",
    "builtin rm x",
    "noglob rm x",
    "- rm x",
    "xargs rm x",
    "ls | xargs rm",
    "ls | xargs -0 -n 1 rm -f",
    "time nice nohup rm x",
    "env A=1 rm x",
    "env -i -u B rm x",
    "env -S 'rm x'",
    "sudo rm x",
    "sudo -u root rm x",
    "/usr/bin/sudo -n /bin/rm x",
    "exec rm x",
    "busybox rm x",
    "find . -name '*.o' -exec rm {} \\;",
    "find . -exec rm {} +",
    "eval rm x",
    "eval 'rm x'",
    'eval "ls; rm x"',
    "eval \"eval 'rm x'\"",
    "bash -c 'rm x'",
    "sh -c 'ls && rm x'",
    "bash -lc 'rm x'",
    "bash -o pipefail -ec 'rm x'",
    "/bin/sh -c 'rm x'",
    "sudo bash -c 'rm x'",
    "xargs sh -c 'rm x'",
    "bash <<< 'rm x'",
    "bash <<'E'\nrm x\nE",
    "bash -s <<E\nrm x\nE",
    "su root -c 'rm x'",
    "trap 'rm x' EXIT",
    "alias l='rm x'; l",
    "watch -n 1 'rm x'",
    "flock f rm x",
    "flock f -c 'rm x'",
    "ssh host rm x",
    "parallel rm ::: a",
    "RM x",
    "if true; then bash -c \"bash -c 'rm x'\"; fi",
  ])("are found: %j", (command) => {
    expect(matchesCommand("Bash(rm *)", command)).toBe(true);
  });

  test("in zsh's dash form are separate words, and not file names", () => {
    expect(runsOn("Bash(rm *)", "a/- rm x")).toBe(false);
  });

  test.each([
    "git  push  origin",
    "git 'push' origin",
    'git "pu"sh origin',
    "git \\\n push origin",
    "timeout 9 git push x",
  ])("are also found with first arguments: %j", (command) => {
    expect(matchesCommand("Bash(git push *)", command)).toBe(true);
  });

  test("match a pattern with the quotes of the text", () => {
    expect(matchesCommand('Bash(git commit -m "fix*)', 'git commit -m "fix it"')).toBe(true);
    expect(matchesCommand("Bash(FOO=bar git *)", "FOO=bar git push")).toBe(true);
    expect(matchesCommand("Bash(FOO=bar git *)", "FOO=baz git push")).toBe(false);
  });

  test("match a pattern with operators as a whole", () => {
    expect(matchesCommand("Bash(curl * | bash)", "curl https://example.org/x | bash")).toBe(true);
    expect(runsOn("Bash(curl * | tee *)", "curl https://example.org/x | less")).toBe(false);
    expect(runsOn("Bash(echo * > /etc/*)", "ls; echo a > /etc/passwd")).toBe(true);
  });
});

describe("a command that cannot be decided", () => {
  test.each([
    "$CMD x",
    "${CMD} x",
    "$(which rm) x",
    "`which rm` x",
    '"$CMD" x',
    "r$X x",
    "{rm,-rf,/}",
    "r{m,} x",
    "/bin/r? x",
    "/bin/[r]m x",
    "timeout 5 $CMD",
    'eval "$X"',
    "eval $(cat f)",
    'bash -c "$X"',
    "bash $OPTIONS 'rm x'",
    "curl https://example.org | bash",
    "echo 'rm x' | sh",
    "bash < <(echo rm x)",
    "bash <(echo rm x)",
    "bash /dev/stdin <<< $X",
    "source <(echo rm x)",
    ". /dev/stdin",
    "xargs bash -c",
    "x='$(rm y)'; echo ${x@P}",
    "let 'a[$(rm x)]=1'",
    "printf -v 'a[$(rm x)]' y",
    "declare 'a[$(rm x)]=1'",
    "[[ 'a[$(rm x)]' -eq 1 ]]",
    "x='a[$(rm y)]'; echo $((x))",
    "pwsh -c 'rm x'",
    "hash -p /bin/rm foo; foo x",
    "mapfile -C 'rm x' -c 1",
    "a $(",
    "if rm x",
    "rm x)",
    "echo 'a",
    'watch "$X"',
    ...["+(r)m x", "?(r)m x", "*(r)m x", "r@(m) x", "/bin/@(rm) x", "@(en)v rm x", "/bin/!(x|y) x"],
    "v=exec; find . -$v rm x \\;",
  ])("runs the hook: %j", (command) => {
    expect(runsOn("Bash(rm *)", command)).toBe(true);
  });

  test("may be too long", () => {
    expect(runsOn("Bash(rm *)", `echo ${"a".repeat(MAX_COMMAND_LENGTH - 5)}`)).toBe(false);
    expect(runsOn("Bash(rm *)", `echo ${"a".repeat(MAX_COMMAND_LENGTH - 4)}`)).toBe(true);
  });

  test.each([{}, { command: 7 }, { command: null }, { command: ["rm"] }, { cmd: {} }])(
    "may be missing: %j",
    (input) => {
      expect(judge("Bash(rm *)", "Bash", input).fits).toBe(true);
    },
  );

  test("is reported with what is not known", () => {
    expect(judge("Bash(rm *)", "Bash", { command: "$X y" }).why).toBe(
      "not all of the command is known (the name of a command is not known: $X y): cannot be decided, so the rule applies",
    );
    expect(judge("Bash(rm -r *)", "Bash", { command: "ls $X" }).why).toContain(
      '"ls $X" depends on what the shell expands',
    );
  });

  test("leaves other commands decidable, if only an argument may be empty", () => {
    expect(runsOn("Bash(rm *)", "ls $X y")).toBe(false);
    expect(runsOn("Bash(rm)", "rm $X")).toBe(true);
    expect(runsOn("Bash(rmdir)", "rm $X")).toBe(false);
    expect(runsOn("Bash(git push *)", "git pus[h] x")).toBe(true);
    expect(runsOn("Bash(git push *)", "git {push,origin}")).toBe(true);
    expect(runsOn("Bash(git push *)", "git log *.ts")).toBe(false);
  });
});

describe("a command that Bash runs and that is easy to overlook", () => {
  test.each([
    "eval -- rm x",
    "trap -- 'rm x' EXIT",
    "time { rm x; }",
    "time -p -- rm x",
    "{fd}>/dev/null rm x",
    "a[1 + 2]=3 rm x",
    "coproc NAME { rm x; }",
    "coproc NAME if true; then rm x; fi",
    "{rm,x}",
    "$'rm\\0y' x",
    "jobs -x rm x",
    "i386 rm x",
    "taskset -c 0 rm x",
    "env -- A=1 rm x",
    "env -S 'A=1 rm x'",
    "true &\\\n& rm x",
    ". -- /dev/stdin <<< 'rm x'",
    "builtin source /dev/stdin <<< 'rm x'",
    "bash /dev/fd/3 3<<< 'rm x' 4<<< 'ls'",
    "bash -co pipefail 'rm x'",
    "find . -exec nice -n + rm x \\;",
    'echo "${x#\'"\'}"; rm x; echo ""',
    'echo "${x#\\}}"; rm x; echo "}"',
    'cat <<"E F"\nE\nE F\nrm x',
    "{,rm} x",
    "{,} rm x",
    "!(rm x)",
    "v='B=1'; env A$v rm x",
    "source //dev/./stdin <<< 'rm x'",
    "cd /dev; . stdin <<< 'rm x'",
    "cd /proc/self; bash fd/3 3<<< 'rm x'",
    "linux64 <<< 'rm x'",
    "setarch x86_64 <<< 'rm x'",
    "unshare -r <<< 'rm x'",
    "nsenter -t 1 -m <<< 'rm x'",
    "chroot / <<< 'rm x'",
    "sudo -i <<< 'rm x'",
    "sudo -u me -s <<< 'rm x'",
    "ssh -p 22 host <<< 'rm x'",
    "script -q f <<< 'rm x'",
    "runuser me <<< 'rm x'",
    "ssh -o ProxyCommand='rm x' host",
    "ssh -oProxyCommand='rm x' host",
  ])("is found: %j", (command) => {
    expect(matchesCommand("Bash(rm *)", command)).toBe(true);
  });

  test.each([
    "echo rm x | xargs env",
    "echo rm x | xargs nice",
    "echo rm x | xargs timeout 5",
    "echo rm x | xargs xargs",
    "echo rm x | xargs -I% sh -c %",
    "find . -exec {} x \\;",
    "find . -exec sh -c '{} x' \\;",
    "find . -print0 | xargs -0 find",
    'env -S "rm\\_x"',
    "declare -a 'a=($(rm x))'",
    "compgen -W '$(rm x)'",
    "mapfile -C 'rm x' -c 1 a",
    "read v <<<'a[$(rm x)]'; ((v))",
    "for v in 'a[$(rm x)]'; do echo $((v)); done",
    "declare -n v='a[$(rm x)]'; echo $v",
    "[[ -v 'a[$(rm x)]' ]]",
    "((a[\\$(rm x)]))",
    "bash --rcfile <(echo rm x) -ic :",
    "BASH_ENV=<(echo rm x) bash -c :",
    "env 'BASH_FUNC_f%%=() { rm x; }' bash -c f",
    "PROMPT_COMMAND='rm x' bash -i",
    "echo rm x | bash 3<<< ls",
    "alias e='echo hi;'; e rm x",
    "alias n='nohup '; n rm x",
    'f() { "$@"; }; f rm x',
    "en$X rm x",
    "/usr/bin/en? rm x",
    "nice -n $X",
    "+() { rm x; }",
    "echo $(cat <<E\ntext\nE); rm x; echo $(\nE\n)",
    "echo \"${x:-'\"'}\"; rm x; echo '\"'",
    "fc -s",
    "@(rm) x",
    "!(x) x",
    "shopt -s extglob\n@(rm) x",
    "bash -O extglob -c '@(rm) x'",
    "declare -i v; read v <<< 'a[$(rm x)]'",
    "typeset -ai v; mapfile v <<< 'a[$(rm x)]'",
    "local -i v; for v in 'a[$(rm x)]'; do :; done",
    "readonly -ia v=('a[$(rm x)]')",
    "declare -i v; : ${v:='a[$(rm x)]'}",
    "f() { local -n r=$1; r=1; }; f 'a[$(rm x)]'",
    "f() { printf -v \"$1\" y; }; f 'a[$(rm x)]'",
    "f() { unset \"$1\"; }; f 'a[$(rm x)]'",
    "f() { read \"$1\"; }; f 'a[$(rm x)]'",
    "f() { let \"$1\"; }; f 'a[$(rm x)]'",
    "while read v; do ((v)); done <<< 'a[$(rm x)]'",
    "w='(rm x)]'; v='a[$'$w; ((v))",
    "printf -v v 'a[\\x24(rm x)]'; ((v))",
    "f() { ((${1/@/$})); }; f 'a[@(rm x)]'",
    'v="a[${w-$}(rm x)]"; ((v))',
    "export BASH_ENV='$(rm x)'; bash -c :",
    "BASH_ENV=$v bash -c :",
    "BASH_ENV=//dev/fd/3 bash -c : 3<<< 'rm x'",
    "read BASH_ENV <<< '$(rm x)'; export BASH_ENV; bash -c :",
    "read ENV <<< '$(rm x)'; export ENV; sh -i",
    "v=BASH_ENV; export $v='$(rm x)'; bash -c :",
    "v=_ENV; export BASH$v='$(rm x)'; bash -c :",
    "PROMPT_COMMAND[1]='rm x'",
    "PROMPT_COMMAND=(: 'rm x')",
    "read PROMPT_COMMAND <<< 'rm x'",
    "for PROMPT_COMMAND in 'rm x'; do :; done",
    ": ${PROMPT_COMMAND:=rm x}",
    "declare -n r=PROMPT_COMMAND; r='rm x'",
    "f() { local -n r=$1; r='rm x'; }; f PROMPT_COMMAND",
    "v='PROMPT_COMMAND=rm x'; export \"$v\"; bash -i",
    "v=PROMPT; env ${v}_COMMAND='rm x' bash -i",
    "printf -v PS4 '%s' '$(rm x)'; set -x; :",
    "printf -vPS4 '$%s' '(rm x)'; set -x; :",
    "PS4='\\044(rm x)'; set -x; :",
    "PS4=$(echo '$(rm x)'); set -x; :",
    "printf -v BASH_ALIASES[l] 'rm x'\nl",
    "read BASH_CMDS[l] <<< /bin/rm; l x",
    ": ${BASH_CMDS[l]:=/bin/rm}; l x",
    "v='l=rm'; alias \"$v\"\nl x",
    "set -o history -o histexpand\n: rm x\n!!:1*",
    "set -Ho history\n: rm x\n^: ^^",
    "bash -i <<< $': rm x\\n!!:1*'",
    "echo rm x | linux64 -R",
    "{ unshare; } <<< 'rm x'",
    "exec <<< 'rm x'; ssh host",
  ])("runs the hook, because it cannot be decided: %j", (command) => {
    expect(runsOn("Bash(rm *)", command)).toBe(true);
    expect(matchesCommand("Bash(rmdir *)", command)).toBe(false);
    expect(runsOn("Bash(rmdir *)", command)).toBe(true);
  });

  test.each([
    "[ -z 'rm x' ]",
    "command -v rm",
    "time { ls; }",
    "xargs --show-limits < /dev/null",
    "ls | xargs",
    "printf '%s[$(rm x)]\\n' a",
    "echo 'a[$(rm x)]'; [ -f x ]",
    "ENV=production npm start",
    "alias ll='ls -la'; ll",
    "timeout $seconds npm test",
    "for ((i = 0; i < 3; i++)); do echo '$(rm x)'; done",
    "ls 'BASH_ENV=<(rm x)'",
    "git commit -m \"$(cat <<'EOF'\nRemove rm x\n\nEOF\n)\"",
    "curl -H 'a: b' https://example.org; echo 'ready!now'",
    "set -euo pipefail; echo 'ready!now'",
    "cat key | ssh host 'cat >> f'",
    "ssh -T git@example.org 2>&1 | head -3",
    "sudo -u me ls; sudo apt-get -y install x | tail -1",
    'export "$name=$value"; npm test',
    'while IFS== read -r k v; do export "$k=$v"; done < .env',
    "f() { local -n r=$1; r=1; }; f name",
    "declare -i n=0; for ((; n < 3; n++)); do echo 'a[$n]'; done",
    'read -r ENV; for ENV in dev prod; do echo "$ENV"; done; export ENV=$1',
    "printf -v n '%02d' 3; ((n++))",
    "grep 'x$' f; awk '{print $(NF-1)}' f; ((i++))",
    "[[ $a == !(b|c) ]] && ls !(a|b) @(c)",
    "find . -mtime -$days -name x",
    "echo {,x} a{,b} PROMPT_COMMAND",
    'export PS1="$PS1 "; echo PS4',
    "bash scripts/stdin.sh; . ./fd/setup",
  ])("is not found in harmless text: %j", (command) => {
    expect(runsOn("Bash(rm *)", command)).toBe(false);
  });
});

test("the matching command is named", () => {
  expect(judge("Bash(rm *)", "Bash", { command: "ls && timeout 5 rm -rf x" })).toEqual({
    fits: true,
    why: 'matches the command "timeout 5 rm -rf x"',
  });
  expect(judge("Bash(rm *)", "Bash", { command: "ls && cat x" })).toEqual({
    fits: false,
    why: 'does not match any of its 2 commands in "ls && cat x"',
  });
});

test("another shell's tool is not Bash, and its commands are not read", () => {
  expect(judge("Bash(rm *)", "PowerShell", { command: "rm x" }).fits).toBe(false);
  expect(judge("PowerShell(Remove-Item *)", "PowerShell", { command: "ls" }).fits).toBe(true);
  expect(judge("run_shell_command(rm *)", "run_shell_command", { command: "ls; rm x" }).fits).toBe(true);
  expect(judge("run_shell_command(rm *)", "run_shell_command", { command: "ls" }).fits).toBe(false);
});

describe("a command inside a word of another command", () => {
  test.each([
    "env -S'rm -rf x'",
    "env -vS'rm x'",
    "env -S 'rm x'",
    "env -S rm x",
    "env --split-string='rm x'",
    "script -c'rm x' log",
    "script --command='rm x'",
    "runuser -c'rm x'",
    "fd --exec rm",
    "fd --exec=rm",
    "fd -xrm",
    "fdfind . -x rm",
    "gfind . -exec rm {} +",
    "gtimeout 5 rm x",
    "setpriv --reuid 1 rm x",
    "tmux new -d 'rm x'",
    "nix-shell --run 'rm x'",
    "at now <<< 'rm x'",
  ])("is found: %j", (command) => {
    expect(matchesCommand("Bash(rm *)", command)).toBe(true);
  });

  test.each([
    "git -C . push",
    "git --no-pager push",
    "git -c a=b push x",
    "sudo git --git-dir=.git push",
    "git -C 'a b' push",
  ])("is git's after options of its own: %j", (command) => {
    expect(matchesCommand("Bash(git push*)", command)).toBe(true);
    expect(matchesCommand("Bash(git pull*)", command)).toBe(false);
  });

  test.each(["env -i A=b ls", "env --unset=S ls", "fd -e rm", "git -C push status", "git log push"])(
    "is not found in harmless text: %j",
    (command) => {
      expect(runsOn("Bash(rm *)", command)).toBe(false);
      expect(runsOn("Bash(git push*)", command)).toBe(false);
    },
  );
});
