import { describe, expect, test } from "vitest";
import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";
import { meteredGuard } from "./metered-guard.ts";

/** Pieces of commands and texts. A shape repeats one or two of them. */
const PIECES: readonly string[] = [
  ...[
    "ls; ",
    "ls | ",
    "ls && ",
    "a& ",
    "! ",
    "{ ls; } ; ",
    "(ls) ",
    "if a; then b; fi\n",
    "for a in b; do ",
    "# x\n",
    "\n",
  ],
  ...["$(", "$(ls) ", "`ls` ", "`", '"$(ls "x")" ', '"', "'", `"a b" 'c' `, "$'\\x41'", "\\", "\\a\\ b ", "a\\\n"],
  ...[
    "{",
    "{{{{",
    "{a,b}",
    "a,",
    "<<E ",
    "cat <<E\nx\nE\n",
    "$a",
    "${a:-",
    "a=b ",
    "a=b\n",
    "*",
    "*?[a-z] ",
    "[",
    "~ ",
  ],
  ...["a", "word ", "\u00e9\u65e5\u{1f600} ", "http://a.b/c ", "a/", "../", "/", "=", "-", "--a ", "2>&1 ", ">a "],
  ...[
    "xargs ",
    "sudo ",
    "env a=b ",
    "eval ",
    "rm -rf a; ",
    "cd a; ",
    "git push -f; ",
    "find . -exec ls \\; ",
    "-exec ls \\; ",
  ],
  ...[
    "password=",
    "AKIAIOSFODNN7EXAMPL ",
    "eyJ.",
    "a:b@",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "QUJDREVGR0g",
    '{"a":[',
    "]}",
  ],
];
const STARTS = ["", "", "", "rm ", "cat ", "echo ", "find . ", "git push ", "echo {", "cat <<E\n"];
const SHAPES = 30;
const LENGTHS = [1_024, 2_048, 4_096, 8_192, 16_384, 32_768];
/** Below this fuel for a character, a guard may begin to do more: for example, search a text that is too long to read. */
const CHEAP = 4_000;

interface Shape {
  readonly start: string;
  readonly unit: string;
}

function shapes(): readonly Shape[] {
  const random = new Random(SEED);
  const one = PIECES.map((unit): Shape => ({ start: "", unit }));
  const mixed = random.times(SHAPES, () => ({
    start: random.pick(STARTS),
    unit: random.pick(PIECES) + random.pick(PIECES),
  }));
  return [...one, ...mixed];
}

const textOf = ({ start, unit }: Shape, length: number): string =>
  start + unit.repeat(Math.ceil(length / unit.length)).slice(0, length - start.length);

const eventOf = (name: string, text: string): string =>
  JSON.stringify({
    abi: 1,
    hook_event_name: "PreToolUse",
    dialect: "claude-code",
    cwd: "/home/me/project",
    ...(name === "secret-guard"
      ? { tool_name: "Write", tool_input: { file_path: "a.txt", content: text } }
      : { tool_name: "Bash", tool_input: { command: text } }),
  });

describe.each(["shell-guard", "path-guard", "self-guard", "secret-guard"])("%s", async (name) => {
  const judge = await meteredGuard(name, 20_000_000_000);
  const empty = judge(eventOf(name, "")).fuel;

  test.each(shapes())("costs at most 2.2 times as much for twice as much of %j", (shape) => {
    let most = 0;
    for (const length of LENGTHS) {
      const before = most;
      const fuel = judge(eventOf(name, textOf(shape, length))).fuel - empty;
      // A guard may give up on a long text. The same text twice as long is then compared with the most expensive so far.
      most = Math.max(most, fuel);
      if (before > 0) expect(fuel, `${length} characters`).toBeLessThanOrEqual(Math.max(2.2 * before, CHEAP * length));
    }
  });
});
