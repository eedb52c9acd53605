import { describe, expect, test } from "vitest";
import { hostFunctions, importsOf } from "./bare-host.ts";
import { bytesOf } from "./metered-guard.ts";
import { bashEvent, callShellGuard, judge } from "./shell-guard-verdict.ts";
import { read } from "./verdict.ts";
import { withActions } from "./with-actions.ts";

describe("bounds", () => {
  const size = 64 * 1024 - 16;
  const fill = (text: string) => text.repeat(Math.floor(size / text.length));
  // Each of these once was, or might have been, quadratic.
  const texts: Readonly<Record<string, string>> = {
    "one long word": `echo ${fill("a").slice(8)}`,
    "many commands": fill("a;"),
    "many removals": fill("rm -r a;"),
    "many targets": `rm -r ${fill("a ").slice(16)}`,
    "a deep path": `rm -r ${fill("a/").slice(16)}`,
    "many directories": fill("cd a;"),
    "many directories and removals": fill("cd a;rm -r b;"),
    "open braces": fill("{"),
    "many choices": `echo {${fill("a,").slice(16)}}`,
    "open substitutions": fill("$("),
    "open arithmetic": fill("$(("),
    "open parameters": fill("${a["),
    "open patterns": fill("!(a"),
    "many substitutions": fill("$(a) "),
    "many variables": fill("a=b;"),
    "a variable that doubles": `X=aaaaaaaa;${fill("X=$X$X;").slice(16)}`,
    "a list used often": `X=(${"'' ".repeat(8000)});${"echo $X ".repeat(4000)}`,
    "evals of evals": fill("eval "),
    "finds in finds": `find / ${fill("-exec find ").slice(16)}`,
    "cases in cases": fill("case a in b) "),
    functions: fill("f()"),
    "here-documents": "a<<E\n".repeat(9000),
    "many wrappers": fill("sudo "),
    "many pipes": fill("a|"),
    "many operators": fill(";"),
    "many parentheses": fill(")"),
    "many redirections": fill(">a "),
    "many expansions": fill("${a:-b} "),
    "many arrays": fill("a=(b) "),
    "an open test": `[[ ${fill("a ").slice(16)}`,
    "many options": `rm ${fill("-a ").slice(16)}`,
    "many blanks": fill("\t  "),
    "many comments": fill("#\n"),
    "quoted variables": `"${fill("$a ").slice(16)}"`,
    "a program of calls": `python3 -c "${fill("os.remove(x);").slice(20)}"`,
    "a program of open brackets": `python3 -c "os.remove${fill("([").slice(40)}"`,
    "a program of texts": `node -e "${fill("rm + 'a' + ").slice(20)}"`,
    "a program of open holes": `node -e "rm(\\\`${fill("${a(").slice(40)}"`,
    "a program of programs": `ruby -e '${fill("eval %q(").slice(20)}'`,
    "a program of unfinished documents": `perl -e '${fill("unlink <<a;\n").slice(20)}'`,
    "a program of patterns": `perl -e '${fill("unlink s/a/b/e;").slice(20)}'`,
    "a program that doubles a text": `python3 -c "import os;a='aaaaaaaa';${fill("a=a+a;os.system(a);").slice(60)}"`,
    "many scripts of sed": `sed '${fill("s/e/e/;").slice(16)}'`,
    "many words of a runner": `npx ${fill("rm ").slice(16)}`,
    "characters that have to be replaced": fill("\ue000 "),
  };

  test.each(Object.entries(texts))("%s: an answer within the usual fuel and memory", (_name, command) => {
    const answer = callShellGuard(bashEvent(command));
    read(answer);
    expect(answer.pages).toBeLessThan(256);
  });

  test("a command that is too long is put to the user", () => {
    expect(judge(`echo ${"a".repeat(70_000)}`)).toEqual({
      decision: "ask",
      reason: expect.stringContaining("too long"),
    });
  });

  test("a command of many parts is put to the user", () => {
    expect(judge("npm run build && ".repeat(3_000))).toEqual({
      decision: "ask",
      reason: expect.stringContaining("too long"),
    });
  });

  test("the reason quotes only the start of a long target", () => {
    expect(judge(`rm -rf /etc/${"a".repeat(10_000)}`).reason.length).toBeLessThan(250);
  });

  test("an instance that is not restored starts in its first state nevertheless", () => {
    const inputs = ["d=/etc; cd /; rm -rf $d", "rm -rf $d", "ls", 'echo "', "ls"].map(bashEvent);
    const module = new WebAssembly.Module(bytesOf("shell-guard"));
    let current: Record<string, unknown> = {};
    const forward =
      (name: string) =>
      (...args: unknown[]) =>
        (current[name] as (...args: unknown[]) => unknown)(...args);
    const instance = new WebAssembly.Instance(module, importsOf(module, forward));
    const { handle, memory } = instance.exports as { handle: () => number; memory: WebAssembly.Memory };
    for (let round = 0; round < 20; round++) {
      const decisions = inputs.map((input) => {
        const answer: { output?: string; logs: string[] } = { logs: [] };
        const bytes = new TextEncoder().encode(withActions(input));
        const readInput = (at: bigint): void => new Uint8Array(memory.buffer).set(bytes, Number(at));
        current = { ...hostFunctions(bytes, {}, answer), input_read: readInput };
        return [handle(), JSON.parse(answer.output ?? "").hookSpecificOutput?.permissionDecision];
      });
      expect(decisions).toEqual([
        [0, "deny"],
        [0, undefined],
        [0, undefined],
        [0, "ask"],
        [0, undefined],
      ]);
    }
  });
});
