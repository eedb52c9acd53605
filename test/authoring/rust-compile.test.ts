import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { BuildError } from "../../src/authoring/build-error.ts";
import { compileRust } from "../../src/authoring/rust/compile.ts";
import { run, toolEvent, wasmRule } from "../executors/wasm/wasm-rule.ts";
import { copyRustExample, noCargo, useCargo } from "../guest-sdk/toolchains.ts";
import { callGuard } from "../plugins/bare-host.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-rust-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
useCargo();

const copyTo = (where: string): string => copyRustExample(path.join(folder, where), "compiled-guard");
/** One crate for all guards of these tests: what it depends on is compiled once. */
const crate = noCargo === "" ? copyTo("guard") : "";
const guard = (body: string): string =>
  `use hookbox_guest::{guard, Context, Event, PreToolUse, Reply};\n${body}\nguard!(judge);\n`;

async function compileGuard(body: string): Promise<Uint8Array<ArrayBuffer>> {
  writeFileSync(path.join(crate, "guard.rs"), guard(body));
  return compileRust(crate);
}

describe.skipIf(noCargo !== "")(`compiling a guard in Rust${noCargo}`, { timeout: 300_000 }, () => {
  test("gives the same bytes wherever the folder stands, with nothing of this machine in them", async () => {
    const one = await compileRust(crate);
    const other = await compileRust(copyTo("some where/else"));
    expect(Buffer.compare(one, other)).toBe(0);
    const text = Buffer.from(one).toString("latin1");
    expect(text).not.toContain(folder);
    expect(text).not.toMatch(/\/(tmp|home|root)\/|\/usr\/share/);
  });

  test("names each error's file and line", async () => {
    const error = (await compileGuard("fn judge(event: Event, _: &Context) -> Reply {\n    event.nothing()\n}").catch(
      (thrown: unknown) => thrown,
    )) as BuildError;
    expect(error.problems).toMatchObject([
      {
        code: "HOOK_BUILD_SOURCE",
        message: expect.stringContaining("nothing"),
        place: { file: path.join(crate, "guard.rs"), line: 3 },
      },
    ]);
  });

  test("says what cargo says of a crate that it cannot read", async () => {
    const broken = copyTo("broken");
    writeFileSync(path.join(broken, "Cargo.toml"), "[package]\nname = 1\n");
    await expect(compileRust(broken)).rejects.toMatchObject({
      code: "HOOK_BUILD_SOURCE",
      place: { file: path.join(broken, "Cargo.toml") },
    });
  });

  test("says how to get a cargo where there is none", async () => {
    vi.stubEnv("PATH", "/nowhere");
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(compileRust(crate)).rejects.toMatchObject({
      code: "HOOK_BUILD_TOOL",
      hint: expect.stringContaining("rustup target add wasm32-unknown-unknown"),
    });
  });

  test("tells where a guard has panicked, through the executor", async () => {
    const wasm = await compileGuard('fn judge(_: Event, _: &Context) -> Reply {\n    panic!("all is lost")\n}');
    const result = await run(wasmRule(wasm), { event: toolEvent() });
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: "trap", message: expect.stringMatching(/all is lost.*guard\.rs:3/) },
    });
  });

  test("reads typed events, takes strings for errors, and hands memory out once", async () => {
    const wasm = await compileGuard(`
fn judge(call: PreToolUse, _: &Context) -> Result<Option<Reply>, String> {
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
}`);
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
