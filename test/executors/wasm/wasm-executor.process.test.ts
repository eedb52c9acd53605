import { spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { HANDLE, wat } from "../../helpers/guests.ts";
import { fileOf } from "./wasm-rule.ts";

/** Tests of guards that could end the whole process, and with it every gate, run in a separate process. */

const ROOT = path.resolve(import.meta.dirname, "../../..");

interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
}

/**
 * Starts a process that runs this with an `engine` whose only rule is the guard, and returns the value given to `say`.
 */
async function inProcess(module: Uint8Array, body: string, root = ROOT, sandbox: object = {}): Promise<Ending> {
  const config = { hooks: { PreToolUse: [{ hooks: [{ type: "wasm", module: fileOf(module) }] }] } };
  const script = `
    import { createEngine } from ${JSON.stringify(pathToFileURL(path.join(root, "dist/bundle/index.js")).href)};
    const say = (text) => process.stdout.write(text + " ");
    const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
    const dispatch = () => engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: {} });
    let engine;
    try {
      engine = await createEngine({ config: ${JSON.stringify(config)}, sandbox: ${JSON.stringify(sandbox)} });
      ${body}
      await engine.close();
    } catch (error) {
      say(String(error.code));
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
    child.on("close", (code, signal) => resolve({ code, signal, said: said.trim() }));
  });
}

const DECIDE = "await pause(); say((await dispatch()).decision);";

// The entries of tables are on the thread's own heap, and V8 does not end only the thread if that is full.
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
    expect(await inProcess(module, DECIDE)).toEqual({ code: 0, signal: null, said: "deny" });
  });
});

// The pool is started before the first call, when no call waits for it.
test.each([0, -1])(
  "the process survives a pool of %i threads: an error of use, or a gate that stays shut",
  async (threads) => {
    const { code, signal, said } = await inProcess(wat(`(module ${HANDLE})`), DECIDE, ROOT, { threads });
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(["deny", "HOOK_API_MISUSE"]).toContain(said);
  },
);

// As during an update that replaces the files under a running process.
test("a thread whose file is missing fails each call immediately and by name, even after a pause", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "hookbox-without-worker-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(path.join(ROOT, "dist"), path.join(root, "dist"), { recursive: true });
  copyFileSync(path.join(ROOT, "package.json"), path.join(root, "package.json"));
  symlinkSync(path.join(ROOT, "node_modules"), path.join(root, "node_modules"), "junction");
  rmSync(path.join(root, "dist/bundle/worker.js"));
  const ask = "await pause(); say((await dispatch()).rules[0].failure.kind);";
  expect(await inProcess(wat(`(module ${HANDLE})`), ask.repeat(4), root)).toEqual({
    code: 0,
    signal: null,
    said: "unavailable unavailable unavailable unavailable",
  });
});
