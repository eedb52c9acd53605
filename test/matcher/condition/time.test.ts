import { describe, test } from "vitest";
import { staysInProportion } from "../../helpers/proportion.ts";
import { judge, runsOn } from "./conditions.ts";

/** Returns a text of about this many characters, a new one each time, because the last one is cached. */
let texts = 0;
const fill = (unit: string, length: number): string =>
  `echo ${texts++}; ${unit.repeat(Math.floor(length / unit.length))}`;

describe("the time to judge a command is proportional to its length", () => {
  test.each([
    "(",
    "$(",
    "`",
    "{ ",
    "a&&",
    "a;",
    "a|",
    "a\n",
    '"$(',
    "<(",
    "@(",
    "[[ ( ",
    "[",
    "*",
    "{a,",
    "\\",
    "'",
    "$a ",
    "a=1 ",
    "1+",
    "nice ",
    "timeout -z ",
    "xargs -z ",
    "eval ",
    "bash -c ",
    "alias a='b' ",
    "find -exec ",
    "if a;then ",
    "case a in a) ",
    "f(){ ",
    "coproc ",
    "! ",
    "cat <<a ",
    "let 'a[' ",
    "printf ",
    "export $a=1 ",
    "set -H ",
    "declare -n PS4 ",
    "$a4=1 ",
    "sudo -s ",
    "\r\n",
    "\u00a0",
  ])("%j", async (unit) => {
    await staysInProportion((length) => void runsOn("Bash(rm *)", fill(unit, length)), 16_000);
  });

  test.each(["*a".repeat(60), "*a*".repeat(40), `${"a".repeat(200)}*b`, `rm ${"*a ".repeat(60)}*`])(
    "for a pattern such as %s",
    async (pattern) => {
      for (const unit of ["a", "a ", "a$x", "$x a ", "a*"]) {
        await staysInProportion((length) => void runsOn(`Bash(${pattern}c)`, fill(unit, length)), 16_000);
      }
    },
  );
});

describe("the time to judge a path is proportional to its length", () => {
  test.each([
    `${"*a".repeat(100)}b`,
    `${"**/".repeat(100)}b`,
    `${"**/*a".repeat(60)}b`,
    `${"?".repeat(200)}b`,
    `${"[a-z]*".repeat(60)}b`,
    `${"{a,aa}".repeat(6)}b`,
    `{${"*a".repeat(20)},${"*b".repeat(20)}}`,
  ])("%s", async (pattern) => {
    for (const unit of ["a", "a/", "aa/"]) {
      const path = (length: number): string => unit.repeat(Math.floor(length / unit.length));
      await staysInProportion((length) => void judge(`Edit(${pattern})`, "Edit", { file_path: path(length) }), 4_000);
    }
  });
});
