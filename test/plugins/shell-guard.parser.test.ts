import { describe, expect, test } from "vitest";
import { judge } from "./shell-guard-verdict.ts";

// Text whose quotes, parentheses or here-documents are easy to misread. A parser that loses track in one of these
// misses, or invents, what follows.
const texts: readonly string[] = [
  'echo "${x//\\\'/}" ${y//\\"/}',
  "echo $'it\\'s'",
  'cat <<"EOF"\nit\'s (\nEOF\nls',
  "awk '{ print $1 \" (\" $2 }' f",
  "jq '.[] | \"\\(.a)\"' f.json",
  'echo "a \\"b\\" c"',
  "for ((i=0;i<3;i++)); do echo $i; done",
  'while IFS= read -r l; do echo "$l"; done < <(cmd)',
  "cmd 2>&1 | tee >(grep x) > /dev/null",
  '[ "$a" = "(" ] && ls',
  'echo ${x#*(} "${x%%)*}"',
  'case "$1" in -h|--help) usage;; (x) y;; *) z;& esac',
  "if [[ $a == b* && ( -f x || -d y ) ]]; then ls; fi",
  'ls !(a|b) @(x|"y z")',
  "echo {1..5} {a,b}{c,d}",
  'x=${y:-"a b"}; printf \'%s\\n\' "$(<file)"',
  "a=$((b+1)); echo $((2#101)) $[1+2]",
  'echo "${x:+"$y"}" ${#arr[@]} ${!arr[@]} "${arr[@]:1:2}" ${arr[$i]}',
  'let "a = 1 << 2"',
  "python - <<'PY'\nprint(\"it's (\")\nPY",
  'node -e "console.log(\\`x\\`)"',
  "find . \\( -name a -o -name b \\) -print",
  'arr=(a "b c" $(ls) # comment (\n d)\necho "${arr[@]}"',
  "foo() (\n cd x; ls\n)\nfoo",
  'echo "$(cat <<EOF\n)\nEOF\n)"',
  'cat <<EOF > x.sh\necho "unbalanced\n\\$(not run\nEOF\nls',
  "time (ls; pwd)",
  "{ echo a; echo b; } > out 2>&1 &",
  "ssh host 'cd /x && ls \"a b\"' < /dev/null",
  "echo a |& grep b",
  "! grep -q x f || exit 1",
  "trap 'rm -f \"$tmp\"' EXIT INT",
  "declare -A m=([a]=1 [b]=2); echo ${m[a]}",
  'echo $((1<<3)) && cat <<< "a\'b"',
  "until ping -c1 x; do sleep 1; done",
  "sed -i 's/(\\(.*\\))/[\\1]/' file",
  "echo 'a'\\''b'",
  "grep -E '^(a|b)$' <(sort x) > y",
  'export PATH="$HOME/bin:$PATH"; which node',
  "(( count++ )); (( a > b )) && echo y",
  "if ! command -v x >/dev/null; then curl -fsSL https://x -o /tmp/x && chmod +x /tmp/x; fi",
  "curl -s localhost:3000/health | grep ok && bash run.sh",
  'echo "y" | ./install.sh',
  'cat file | while read l; do sh -c "echo $l"; done',
];

describe("shell text", () => {
  test.each(texts)("%j is harmless", (text) => {
    expect(judge(text)).toEqual({ decision: "none", reason: "" });
  });

  test.each(texts)("%j does not hide the next line", (text) => {
    expect(judge(`${text}\nrm -rf /etc`)).toEqual({
      decision: "deny",
      reason: expect.stringContaining("rm -rf of a protected path: /etc"),
    });
  });
});
