// The commands of sed scripts that run programs or write files: `e command`, `s/a/b/e`, `w file`.

import { withoutEscapes } from "../code/escapes.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";
import { judgeChange, judgeWrite } from "./writes.ts";

const ADDRESS = /(?:(?:\d+(?:~\d+)?|\$|\/(?:[^/\\]|\\.)*\/[IM]*|\\(.)(?:(?!\1)[^\\]|\\.)*\1)\s*,?\s*[+~]?)*\s*!?\s*/y;
const BETWEEN = /[\s;{}]+/y;
const WORK_PER_COMMAND = 1_700;
const FLAGS = /[gpiImM\d]*/y;

export function judgeSed(shell: Shell, call: Call): void {
  if (has(call, "--in-place", "i")) judgeChange(shell, call);
  let scripts: string[] = [];
  for (const [at, arg] of call.args.entries()) {
    // A pattern would be tried at each character of a long script.
    if (arg[0] !== "-") continue;
    const long = /^--expression=([\s\S]*)/.exec(arg)?.[1];
    if (long !== undefined) scripts.push(long);
    else if (/^-(?!-)[a-zA-Z]*e$/.test(arg) || arg === "--expression") scripts.push(call.args[at + 1] ?? "");
  }
  if (scripts.length === 0) scripts = operandsOf(call).slice(0, 1);
  for (const script of scripts) judgeScript(shell, script);
}

function judgeScript(shell: Shell, script: string): void {
  // Most scripts have only substitutions without these letters.
  if (!/[ewW]/.test(script)) return;
  shell.spend(script.length * 4);
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const takeLine = (): string => take(/[^\n]*/y).trim();
  while (at < script.length) {
    take(BETWEEN);
    take(ADDRESS);
    const command = script.charAt(at++);
    shell.spend(WORK_PER_COMMAND);
    if (command === "s" || command === "y") {
      const delimiter = script.charAt(at++);
      const part = (): string => {
        const from = at;
        while (at < script.length && script.charAt(at) !== delimiter) at += script.charAt(at) === "\\" ? 2 : 1;
        return script.slice(from, at++);
      };
      part();
      const replacement = part();
      for (let flag = ""; ; ) {
        take(FLAGS);
        flag = script.charAt(at);
        if (flag === "e") {
          shell.spend(WORK_PER_COMMAND);
          shell.runScript(withoutEscapes(replacement));
        } else if (flag === "w") {
          at += 1;
          judgeWrite(shell, "sed", takeLine(), { onto: true });
        }
        if (flag !== "e") break;
        at += 1;
      }
    } else if (command === "e") shell.runScript(takeLine());
    else if (command === "w" || command === "W") judgeWrite(shell, "sed", takeLine(), { onto: true });
    else if ("aicrRbtT:#".includes(command)) takeLine();
  }
}
