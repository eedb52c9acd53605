import { expect, test } from "vitest";
import { isDecidedLater, scriptWordsOf } from "../../src/config/script-words.ts";
import type { Rule } from "../../src/rule.ts";

const wordsOf = (command: string, env?: Readonly<Record<string, string>>): readonly string[] =>
  scriptWordsOf({ handler: { type: "command", command, ...(env === undefined ? {} : { env }) } as Rule["handler"] });

test.each<[command: string, words: readonly string[]]>([
  ["sh ./a.sh", ["./a.sh"]],
  ["cd tools && ./a.sh; node b.mjs", ["./a.sh", "tools/./a.sh", "b.mjs", "tools/b.mjs"]],
  ["cd a; cd b; sh x.sh", ["x.sh", "a/b/x.sh"]],
  ["cd $CLAUDE_PROJECT_DIR/a && sh x.sh", ["x.sh", "$CLAUDE_PROJECT_DIR/a/x.sh"]],
  ["sh -c 'cd a && ./x.sh'", ["./x.sh", "a/./x.sh"]],
  ["sh < ./a.sh", ["./a.sh"]],
  ["cat ./a.sh | bash -s --", ["./a.sh"]],
  ["cat ./a.txt > ./b.txt", []],
  ["npm run check", ["package.json#check"]],
  ["npm --prefix web run-script check -- --fast", ["web/package.json#check"]],
  ["npm test", ["package.json#test"]],
  ["pnpm -C web lint", ["web/package.json#lint"]],
  ["yarn check:all", ["package.json#check:all"]],
  ["npm install", []],
  ["npx eslint .", []],
  ["make -C tools -f rules.mk all", ["tools/rules.mk"]],
  ["make", ["GNUmakefile", "makefile", "Makefile"]],
  ["python3 -m hooks.check", ["hooks/check/__init__.py", "hooks/check/__main__.py", "hooks/check.py"]],
  ["node --require ./a.cjs -e 1", ["./a.cjs"]],
])("the scripts of %s are found", (command, words) => {
  expect(wordsOf(command)).toEqual(words);
});

test("scripts that variables of the rule make a program load are found", () => {
  expect(
    wordsOf("true", { BASH_ENV: "./a.sh", LD_PRELOAD: "./b.so:./c.so", NODE_OPTIONS: "--require ./d.cjs" }),
  ).toEqual([...["./b.so", "./c.so", "./a.sh", "./d.cjs"]]);
  expect(wordsOf("check --all", { PATH: "./bin:$PATH" })).toEqual(["./bin/check"]);
});

test.each([
  ["./a*.sh", true],
  ["$(pwd)/a.sh", true],
  ["./{a,b}.sh", true],
  ["$CLAUDE_PROJECT_DIR/a.sh", false],
  ["${X:-./a.sh}", false],
  ["${X%/*}/a.sh", true],
])("whether the shell decides at the start which file %s names: %s", (word, isLater) => {
  expect(isDecidedLater(word)).toBe(isLater);
});
