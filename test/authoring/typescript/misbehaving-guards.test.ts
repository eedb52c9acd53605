import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildGuard } from "../../../src/authoring/build.ts";
import { createEngine, type Engine } from "../../../src/engine.ts";

/** Guards in TypeScript that misbehave, built and run as by their authors and users. */

const folder = mkdtempSync(join(tmpdir(), "hookbox-misbehaving-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Case {
  readonly does: string;
  /** What `handle` does on request. A line with `!` in a comment is the one that its failure names. */
  readonly code: string;
  readonly kind: string;
  readonly says: RegExp;
  readonly isAsync?: boolean;
}

const CASES: readonly Case[] = [
  { does: "loops for ever", code: "for (;;) seen += 1;", kind: "fuel", says: /used up its fuel/ },
  {
    does: "matches with a pattern that backtracks for ever",
    code: 'if (/^(a+)+$/.test(`${"a".repeat(40)}!`)) seen += 1;',
    kind: "fuel",
    says: /used up its fuel/,
  },
  {
    does: "recurses for ever",
    code: "const deeper = (depth: number): number => 1 + deeper(depth + 1); // !\nseen += deeper(0);",
    kind: "exit",
    says: /stack overflow/i,
  },
  {
    does: "takes all memory",
    code: "const hoard: unknown[] = [];\nfor (;;) hoard.push(new Uint8Array(1_000_000)); // !",
    kind: "exit",
    says: /out of memory/,
  },
  {
    does: "throws",
    code: 'throw new RangeError("no such branch"); // !',
    kind: "exit",
    says: /RangeError: no such branch/,
  },
  {
    does: "throws what is no error",
    code: 'throw "a string";',
    kind: "exit",
    says: /a string/,
  },
  {
    does: "reads a field of what is not there",
    code: "const none = undefined as unknown as { field: { more: string } };\nseen += none.field.more.length; // !",
    kind: "exit",
    says: /TypeError/,
  },
  {
    does: "rejects",
    code: 'await Promise.resolve();\nthrow new Error("later"); // !',
    isAsync: true,
    kind: "exit",
    says: /Error: later/,
  },
  {
    does: "waits for a promise that never settles",
    code: "await new Promise<never>(() => {});",
    isAsync: true,
    kind: "exit",
    says: /never settle/,
  },
  {
    does: "leaves a rejection to nobody",
    code: 'void Promise.reject(new Error("unheard")); // !\nreturn deny("good");',
    kind: "exit",
    says: /unheard/,
  },
  { does: "returns a string", code: 'return "deny" as never;', kind: "exit", says: /returned .*string/ },
  { does: "returns a number", code: "return 0 as never;", kind: "exit", says: /returned .*number/ },
  {
    does: "returns an answer that it made by hand",
    code: 'return { decision: "allow" } as never;',
    kind: "exit",
    says: /returned/,
  },
  { does: "returns true", code: "return true as never;", kind: "exit", says: /returned/ },
  {
    does: "returns what refers to itself",
    code: "const knot: Record<string, unknown> = {};\nknot['self'] = knot;\nreturn knot as never;",
    kind: "exit",
    says: /returned/,
  },
  {
    does: "denies with a reason that is no text",
    code: "return deny(42 as never);",
    kind: "exit",
    says: /reason/,
  },
];

const SOURCE = `import { defineGuard, deny } from "hookbox/guest";

let seen = 0;

const misdeeds = {
${CASES.map(
  ({ does, code, isAsync = false }) =>
    `  ${isAsync ? "async " : ""}${JSON.stringify(does)}() {\n    ${code.replaceAll("// !", `// ! ${does}`).replaceAll("\n", "\n    ")}\n  },`,
).join("\n")}
};

export default defineGuard({
  name: "misbehaving",
  version: "1.0.0",
  events: ["PreToolUse"],
  handle(event) {
    const misdeed = event.tool_name === "Bash" ? event.tool_input.command : "";
    return misdeed in misdeeds ? misdeeds[misdeed as keyof typeof misdeeds]() : deny(\`good \${seen}\`);
  },
});
`;

/** The line that a failure must name, from 1. */
function markedLine({ does }: Case): number | undefined {
  const at = SOURCE.split("\n").findIndex((line) => line.endsWith(`// ! ${does}`));
  return at < 0 ? undefined : at + 1;
}

describe("a TypeScript guard", () => {
  let engine: Engine;
  beforeAll(async () => {
    writeFileSync(join(folder, "guard.ts"), SOURCE);
    const { wasm } = await buildGuard(folder);
    const module = join(folder, "guard.wasm");
    writeFileSync(module, wasm);
    engine = await createEngine({
      config: { hooks: { PreToolUse: [{ hooks: [{ type: "wasm", module, timeoutMs: 20_000 }] }] } },
      cacheDir: false,
      sandbox: { threads: 1 },
    });
  });
  afterAll(() => engine.close());

  it("loads, whatever it does later", () => {
    expect(engine.problems).toEqual([]);
  });

  it.each(CASES)("that $does fails by name, and its next call is right", async (one) => {
    const ask = (command: string) => engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command } });
    const verdict = await ask(one.does);
    const failure = verdict.rules[0]?.failure;
    expect(verdict.decision).toBe("deny");
    expect(failure?.kind).toBe(one.kind);
    expect(failure?.message).toMatch(one.says);
    const line = markedLine(one);
    if (line !== undefined) expect(failure?.message).toContain(`guard.ts:${line}:`);
    const next = await ask("behave");
    expect(next.rules[0]).not.toHaveProperty("failure.kind");
    expect(next.reason).toContain("good 0");
  });
});
