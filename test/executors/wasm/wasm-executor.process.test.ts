import { spawn } from "node:child_process";
import { describe, expect, onTestFinished, test } from "vitest";
import { HANDLE, wat } from "../../helpers/guests.ts";
import { fileOf } from "./wasm-rule.ts";

/** What can end the whole process, and with it every gate, runs in a process of its own. */

const LIBRARY = new URL("../../../dist/index.js", import.meta.url).href;

interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
}

/** One event for one guard, in a new process that prints the decision, or the code of an error of the engine's. */
async function decide(module: Uint8Array, sandbox: object = {}): Promise<Ending> {
  const config = { hooks: { PreToolUse: [{ hooks: [{ type: "wasm", module: fileOf(module) }] }] } };
  const script = `
    import { createEngine } from ${JSON.stringify(LIBRARY)};
    try {
      const engine = await createEngine({ config: ${JSON.stringify(config)}, sandbox: ${JSON.stringify(sandbox)} });
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { decision } = await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: {} });
      await engine.close();
      process.stdout.write(decision);
    } catch (error) {
      process.stdout.write(String(error.code));
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, said }));
  });
}

// The entries of tables are on the thread's own heap, and V8 does not end the thread when that is full.
describe("the process survives a guard", () => {
  const tables = (entries: number) =>
    Array.from({ length: 4 }, (_, index) => `(table $t${index} ${entries} funcref)`).join("");
  const growing = Array.from(
    { length: 4 },
    (_, index) => `(drop (table.grow $t${index} (ref.null func) (i32.const 10000000)))`,
  ).join("");

  test.each([
    ["whose tables start with forty million entries", wat(`(module ${tables(10_000_000)} ${HANDLE})`)],
    [
      "whose tables grow to forty million entries",
      wat(`(module ${tables(0)} (func (export "handle") (result i32) ${growing} (i32.const 0)))`),
    ],
  ])("%s", async (_, module) => {
    expect(await decide(module)).toEqual({ code: 0, signal: null, said: "deny" });
  });
});

// The pool is started ahead of the first call, where nobody waits for it.
test.each([0, -1])(
  "the process survives a pool of %i threads: that is misuse, or a gate that stays shut",
  async (threads) => {
    const { code, signal, said } = await decide(wat(`(module ${HANDLE})`), { threads });
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(["deny", "HOOK_API_MISUSE"]).toContain(said);
  },
);
