import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { BuildError } from "../../src/authoring/build-error.ts";
import { compileRust } from "../../src/authoring/rust/compile.ts";
import { run, toolEvent, wasmRule } from "../executors/wasm/wasm-rule.ts";
import { copyRustExample, noCargo, useCargo } from "../guest-sdk/toolchains.ts";
import { blocksOf } from "../pages/blocks.ts";
import { callGuard } from "../plugins/bare-host.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-rust-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
useCargo();

const SOURCE = `use hookbox_guest::{guard, Context, Event, PreToolUse, Reply};
fn judge(call: PreToolUse, _: &Context) -> Result<Option<Reply>, String> {
    if call.tool_text("command") == Some("panic") {
        panic!("all is lost")
    }
    // Blocks of all sizes, freed and grown out of order: each must keep what was written into it.
    let mut seed = 7u32;
    let mut blocks: Vec<(u8, Vec<u8>)> = Vec::new();
    for step in 0..3000u32 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let at = (seed >> 8) as usize;
        let mark = step as u8;
        match seed >> 30 {
            0 if !blocks.is_empty() => drop(blocks.swap_remove(at % blocks.len())),
            1 if !blocks.is_empty() => {
                let index = at % blocks.len();
                let (mark, block) = &mut blocks[index];
                let longer = block.len() + at % 500;
                block.resize(longer, *mark);
            }
            _ => blocks.push((mark, vec![mark; at % 700])),
        }
        if blocks.iter().any(|(mark, block)| block.iter().any(|byte| byte != mark)) {
            return Err(format!("a block was overwritten in step {step}"));
        }
    }
    match call.tool_text("command") {
        Some("") => Err("an empty command".to_owned()),
        Some(command) => Ok(Some(Reply::deny(command))),
        None => Ok(None),
    }
}
guard!(judge);
`;
const PANIC_LINE = SOURCE.split("\n").findIndex((line) => line.includes("panic!")) + 1;

/** Each guard on the page. */
const PAGE_GUARDS = blocksOf("docs/guard-rust.md").flatMap((one) => (one.language === "rust" ? [one.text] : []));

function crateWith(where: string, source: string): string {
  const crate = copyRustExample(path.join(folder, where), "compiled-guard");
  writeFileSync(path.join(crate, "guard.rs"), source);
  return crate;
}

describe.skipIf(noCargo !== "")(`compiling a guard in Rust${noCargo}`, { timeout: 300_000 }, () => {
  /** One guard for all tests that run one, because linking takes seconds. */
  let wasm: Uint8Array<ArrayBuffer>;
  let crate: string;
  beforeAll(async () => {
    crate = crateWith("guard", SOURCE);
    wasm = await compileRust(crate);
  }, 300_000);

  test("gives the same bytes in any folder, without paths of this machine", async () => {
    const other = await compileRust(crateWith("some where/else", SOURCE));
    expect(Buffer.compare(wasm, other)).toBe(0);
    const text = Buffer.from(wasm).toString("latin1");
    expect(text).not.toContain(folder);
    expect(text).not.toMatch(/\/(tmp|home|root)\/|\/usr\/share/);
  });

  test.each(PAGE_GUARDS.map((source, index) => [index + 1, source] as const))(
    "compiles guard %i of docs/guard-rust.md, which judges as the page says",
    async (_, source) => {
      writeFileSync(path.join(crate, "guard.rs"), source);
      const built = await compileRust(crate);
      const isCounting = source.includes("state::increment");
      const rule = wasmRule(built, {
        handler: {
          config: isCounting ? {} : { words: ["--force"] },
          ...(isCounting ? { grants: { state: { maxKeys: 4, maxBytes: 1_000 } } } : {}),
        },
      });
      const answer = await run(rule, { event: toolEvent({ session_id: "s", tool_input: { command: "x --force" } }) });
      expect(answer).toMatchObject({
        ok: true,
        reply: isCounting ? {} : { decision: "deny", reason: "names --force" },
      });
    },
  );

  test("names each error's file and line", async () => {
    const source = SOURCE.replace('panic!("all is lost")', "call.nothing()");
    // The same crate: its dependencies are compiled already.
    writeFileSync(path.join(crate, "guard.rs"), source);
    const error = (await compileRust(crate).catch((thrown: unknown) => thrown)) as BuildError;
    expect(error.problems).toMatchObject([
      {
        code: "HOOK_BUILD_SOURCE",
        message: expect.stringContaining("nothing"),
        place: { file: path.join(crate, "guard.rs"), line: PANIC_LINE },
      },
    ]);
  });

  test("shows cargo's message about a crate that it cannot read", async () => {
    const broken = crateWith("broken", SOURCE);
    writeFileSync(path.join(broken, "Cargo.toml"), "[package]\nname = 1\n");
    await expect(compileRust(broken)).rejects.toMatchObject({
      code: "HOOK_BUILD_SOURCE",
      place: { file: path.join(broken, "Cargo.toml") },
    });
  });

  test("says how to install cargo if there is none", async () => {
    vi.stubEnv("PATH", "/nowhere");
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(compileRust(crate)).rejects.toMatchObject({
      code: "HOOK_BUILD_TOOL",
      hint: expect.stringContaining("rustup target add wasm32-unknown-unknown"),
    });
  });

  test("reports where a guard has panicked, through the executor", async () => {
    const result = await run(wasmRule(wasm), { event: toolEvent({ tool_input: { command: "panic" } }) });
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: "trap", message: expect.stringMatching(new RegExp(`all is lost.*guard\\.rs:${PANIC_LINE}`)) },
    });
  });

  test("reads typed events, accepts strings as errors, and returns memory once", async () => {
    const module = new WebAssembly.Module(wasm);
    const event = { hook_event_name: "PreToolUse", tool_name: "Bash" };
    const say = (more: object) => callGuard(module, JSON.stringify({ ...event, ...more }));
    expect(JSON.parse(say({ tool_input: { command: "é" } }).output ?? "").hookSpecificOutput).toMatchObject({
      permissionDecisionReason: "é",
    });
    expect(say({})).toMatchObject({ code: 0, output: "{}" });
    expect(say({ tool_input: { command: "" } })).toMatchObject({ code: 1, error: "an empty command" });
    expect(say({ tool_name: 7 })).toMatchObject({ code: 1, error: expect.stringContaining("not as expected") });
  });
});
