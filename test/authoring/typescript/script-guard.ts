import { readFileSync } from "node:fs";
import { type Snapshot, snapshotGuard } from "../../../src/authoring/typescript/snapshot.ts";
import type { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { Rule } from "../../../src/rule.ts";
import { type RuleParts, type RunParts, runToReply, toolEvent, wasmRule } from "../../executors/wasm/wasm-rule.ts";

/** Guards of plain scripts: for tests of the engine and the packer, without bundler and runtime. */

const ENGINE_FOLDER = new URL("../../../guest-sdk/typescript/engine/", import.meta.url);

export const engine: Uint8Array<ArrayBuffer> = Uint8Array.from(readFileSync(new URL("engine.wasm", ENGINE_FOLDER)));

/** Returns a script with this body of `handle(event)`, and this before it, on separate lines for traces. */
export const scriptOf = (body: string, before = ""): string => `${before}
globalThis.__hookbox_guard = {
  manifest: "{}",
  describeError: (error) => error instanceof Error ? \`\${error}\\n\${error.stack}\` : \`thrown: \${error}\`,
  handle: function handle(event) {
${body}
  },
};
`;

/** The line on which the body of `handle` starts. */
const BODY_LINE = 6;

export const buildScript = (script: string, wants: readonly string[] = []): Promise<Snapshot> =>
  snapshotGuard({ engine, script, fileName: "guard.js", wantsOf: () => wants });

export const snapshotOf = (body: string, before = "", wants: readonly string[] = []): Promise<Snapshot> =>
  buildScript(scriptOf(body, before), wants);

async function ruleOf(body: string, parts?: RuleParts): Promise<ReturnType<typeof wasmRule>> {
  return wasmRule((await snapshotOf(body)).wasm, parts);
}

const DENY = `const deny = (value) => ({ hookSpecificOutput: {
  hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: JSON.stringify({ value }) } });`;

/** Returns a body that answers with the value of `expression`. */
export const saying = (expression: string): string => `${DENY} return deny(${expression});`;

const valueIn = (reply: { readonly reason?: string | undefined }): unknown =>
  (JSON.parse(reply.reason ?? "{}") as { value?: unknown }).value;

/** Returns the value of an expression in the engine, as JSON, after a call in the sandbox. */
export async function evaluate(expression: string, executor: WasmExecutor, parts: RunParts = {}): Promise<unknown> {
  const { reply } = await runToReply(await ruleOf(saying(expression)), { executor, ...parts });
  return valueIn(reply);
}

/**
 * Bodies of `handle` in one guard, because building and admitting one takes longer than a hundred calls. Each call runs
 * one of them, on the memory from the build. All are added before the first one runs.
 */
export class ScriptTable {
  readonly #functions: string[] = [];
  #nextLine = BODY_LINE + 1;
  readonly #before: string;
  #rule: Promise<Rule> | undefined;

  /** `before` is top-level code, on one line. */
  constructor(before = "") {
    this.#before = before;
  }

  /** Adds the body of a `handle(event)`. */
  add(body: string): TableEntry {
    if (this.#rule !== undefined) throw new Error("the guard of this table has been built");
    const text = `function handle(event) {\n${body}\n},\n`;
    const entry = this.#functions.push(text) - 1;
    const line = this.#nextLine + 1;
    this.#nextLine += text.split("\n").length - 1;
    return { line, event: toolEvent({ entry }), rule: () => this.#built() };
  }

  /** One rule, because each has its own file, which is admitted separately. */
  #built(): Promise<Rule> {
    const body = `return [\n${this.#functions.join("")}][event.entry](event);`;
    this.#rule ??= snapshotOf(body, this.#before).then(({ wasm }) => wasmRule(wasm));
    return this.#rule;
  }
}

interface TableEntry {
  /** The line of the body in traces. */
  readonly line: number;
  /** The event that makes the guard run this body. */
  readonly event: ReturnType<typeof toolEvent>;
  rule(): Promise<Rule>;
}

/** Returns the value of the entry `saying(expression)`, as JSON, after a call in the sandbox. */
export async function resultOf(entry: TableEntry, executor: WasmExecutor): Promise<unknown> {
  const { reply } = await runToReply(await entry.rule(), { executor, event: entry.event });
  return valueIn(reply);
}
