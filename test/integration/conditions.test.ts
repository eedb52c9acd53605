import { afterEach, describe, expect, test } from "vitest";
import { createEngine, type Engine, type JsonObject } from "../../src/index.ts";

const engines: Engine[] = [];

async function engineFor(...hooks: object[]): Promise<Engine> {
  const config = { hooks: { PreToolUse: [{ hooks: hooks.map((hook) => ({ type: "command", ...hook })) }] } };
  const engine = await createEngine({ config, sandbox: { threads: 1 } });
  engines.push(engine);
  return engine;
}

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

const bash = (command: string): JsonObject => ({ tool_name: "Bash", tool_input: { command } });

describe("a hook with an `if`", () => {
  const noRemoving = { name: "no-rm", if: "Bash(rm *)", command: "echo 'no rm' >&2; exit 2" };

  test("runs for the calls that it names, and no others", async () => {
    const engine = await engineFor(noRemoving);
    expect(await engine.dispatch("PreToolUse", bash("ls"))).toMatchObject({ decision: "none", rules: [] });
    expect(await engine.dispatch("PreToolUse", bash("ls && rm x"))).toMatchObject({ decision: "deny" });
  });

  test("judges what another hook makes from a call", async () => {
    const reply = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "rm -rf x" } } };
    const rewriter = { name: "rewriter", if: "Bash(ls *)", command: `cat >/dev/null; echo '${JSON.stringify(reply)}'` };
    const engine = await engineFor(noRemoving, rewriter);
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict).toMatchObject({ decision: "deny", reason: "no-rm: no rm", updatedInput: null });
    expect(verdict.rules.map(({ rule, look }) => `${rule} ${look}`)).toEqual(["rewriter first", "no-rm second"]);
  });

  test("is explained", async () => {
    const engine = await engineFor(noRemoving);
    const why = (command: string): unknown =>
      engine.explain("PreToolUse", bash(command)).map((one) => [one.applies, one.why]);
    expect(why("a; rm b")).toEqual([
      [true, 'no matcher: applies always; condition "Bash(rm *)" matches the command "rm b"'],
    ]);
    expect(why("ls")).toEqual([
      [false, 'no matcher: applies always; condition "Bash(rm *)" does not match the command in "ls"'],
    ]);
  });

  test("that is invalid shuts its gate, by name", async () => {
    const engine = await engineFor({ name: "broken", if: "Bash(rm", command: "true" });
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict.decision).toBe("deny");
    expect(verdict.problems.map(({ code }) => code)).toContain("HOOK_CONFIG_CONDITION");
  });
});
