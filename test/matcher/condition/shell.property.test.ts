import { describe, expect, test } from "vitest";
import { codePoint } from "../../helpers/code-point.ts";
import fc from "../../helpers/fc.ts";
import { matchesCommand, runsOn } from "./conditions.ts";

const word = fc
  .stringMatching(/^[a-qs-z][a-z0-9./-]{0,6}$/)
  .filter((text) => !text.split("/").some((part) => RESERVED.has(part)) && !/rm/.test(text));
const RESERVED = new Set(
  "watch parallel flock ssh arch script entr gdb strace hash bind do done case coproc elif else esac fi for function if in select then time until while eval exec env trap watch xargs find fd alias bash sh dash ash zsh ksh mksh su script nice timeout nohup command builtin source let declare typeset local export readonly printf read unset test sudo doas stdbuf setsid ionice chroot busybox toybox fish mapfile wait noglob nocorrect".split(
    " ",
  ),
);
const harmless = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));

/** Ways to be contained in a text and be run. */
const PLACES: readonly ((command: string, other: string) => string)[] = [
  (command, other) => `${other} && ${command}`,
  (command, other) => `${command} || ${other}`,
  (command, other) => `${other}; ${command}`,
  (command, other) => `${other} | ${command}`,
  (command, other) => `${command} |& ${other}`,
  (command, other) => `${other} & ${command}`,
  (command, other) => `${other}\n${command}\n${other}`,
  (command) => `( ${command})`,
  (command) => `{ ${command}; }`,
  (command) => `! ${command}`,
  (command, other) => `if ${other}; then ${command}; fi`,
  (command, other) => `if ${other}; then ${other}; else ${command}; fi`,
  (command, other) => `while ${command}; do ${other}; done`,
  (command) => `for x in a b; do ${command}; done`,
  (command, other) => `case a in a) ${command};; *) ${other};; esac`,
  (command) => `f() { ${command}; }`,
  (command, other) => `${other} $( ${command})`,
  (command, other) => `${other} "a $( ${command}) b"`,
  (command, other) => `${other} <( ${command})`,
  (command, other) => `${other} <<END\na $( ${command}) b\nEND`,
  (command, other) => `${other} # a comment\n${command}`,
  (command, other) => `${other} <<'END'\n'"\`$(\nEND\n${command}`,
  (command, other) => `${other} 'it "is' "quo'ted" && ${command}`,
];

/** Ways to write `rm x`. */
const SPELLINGS = fc.constantFrom(
  "rm x",
  "rm",
  "r\\m x",
  '"rm" x',
  "A=1 rm x",
  ">f rm x",
  "timeout 5 rm x",
  "nohup nice -n 3 rm x",
  "xargs rm",
  "/bin/rm x",
  "bash -c 'rm x'",
  "eval rm x",
);

const nested = (command: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(command, harmless, fc.array(fc.constantFrom(...PLACES), { minLength: 1, maxLength: 3 }))
    .map(([inner, other, places]) => places.reduce((text, place) => place(text, other), inner));

describe("a command inside another text", () => {
  test("is found, or the text cannot be decided", () => {
    fc.assert(
      fc.property(nested(SPELLINGS), (text) => {
        expect(runsOn("Bash(rm *)", text)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("is noticed if it is missing", () => {
    fc.assert(
      fc.property(nested(harmless), (text) => {
        expect(matchesCommand("Bash(rm *)", text)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

describe("text that is only data", () => {
  const data = fc.string({
    unit: fc.constantFrom("rm x", ";", "\n", " ", "&&", "|", "$", "(", ")", '"', "#", "a", "rm"),
  });

  test("in single quotes is no command", () => {
    fc.assert(
      fc.property(harmless, data, (command, text) => {
        expect(runsOn("Bash(rm *)", `${command} '${text}'`)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test("in a quoted heredoc is no command", () => {
    fc.assert(
      fc.property(harmless, data, (command, text) => {
        expect(runsOn("Bash(rm *)", `${command} <<'END'\n${text}\nEND`)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

test("no text makes a condition throw", () => {
  const shellish = fc.string({
    unit: fc.constantFrom(
      ..."abrm $()`'\"\\{}[]<>|&;#*?!=:~\n\r\t-+,@/\u00a0\uffff\ufffe\ud800".split(""),
      "<<E",
      "$((",
      "${",
      "[[ ",
    ),
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.oneof(shellish, fc.string({ unit: codePoint })), (text) => {
      for (const condition of ["Bash(rm *)", "Bash(git push *)", "Bash(* | *)"])
        expect(runsOn(condition, text)).toBeTypeOf("boolean");
    }),
    { numRuns: 1_000 },
  );
});

test.each(["echo '", 'echo "', "echo $(", "echo `", "if true; then", "(", "{ ", "case a in", "a &&", "[[ a", "x=("])(
  "an end like %j runs the hook, whatever comes before",
  (end) => {
    fc.assert(
      fc.property(harmless, (text) => {
        expect(runsOn("Bash(rm *)", `${text}; ${end}`)).toBe(true);
      }),
      { numRuns: 30 },
    );
  },
);
