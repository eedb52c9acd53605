import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../helpers/folders.ts";
import { wat } from "../helpers/guests.ts";
import { everyInstruction } from "./every-instruction.ts";

/** In processes whose V8 prints what it compiles, and with which compiler. */

const WASM = resolve(import.meta.dirname, "../../dist/sandbox/admission");

/** `run(N)` counts down from N: more than enough turns to be optimised. The number makes the modules different. */
const counter = (constant: number) =>
  wat(`(module (func (export "run") (param i32)
    (loop (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
      (drop (i32.const ${constant})) (br_if 0 (local.get 0)))))`);

const PRELUDE = `
  import { readFileSync } from "node:fs";
  import { setTimeout as sleep } from "node:timers/promises";
  import { setFlagsFromString } from "node:v8";
  import * as workers from "node:worker_threads";
  import { compileUnoptimised } from ${JSON.stringify(join(WASM, "compile-unoptimised.js"))};
  import { compileModule, switchOptimiserOff } from ${JSON.stringify(join(WASM, "optimiser.js"))};
  const file = (name) => new Uint8Array(readFileSync(name));
  const run = async (module, turns = 20_000_000) => {
    const { exports } = new WebAssembly.Instance(module);
    for (let left = 5; left > 0; left--) { exports.run(turns); await sleep(50); }
  };`;

const modules = everyInstruction();

/** Returns how many functions V8 has compiled with each compiler. */
async function compiledBy(
  script: string,
  ...flags: string[]
): Promise<{ liftoff: number; turbofan: number; said: string }> {
  const folder = makeFolder({
    "a.wasm": Buffer.from(counter(1)),
    "b.wasm": Buffer.from(counter(2)),
    "all.json": JSON.stringify(modules.map(({ module }) => Buffer.from(module).toString("base64"))),
    "script.mjs": `${PRELUDE}\n${script}`,
  });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--trace-wasm-compilation-times", ...flags, join(folder, "script.mjs")],
    { cwd: folder, maxBuffer: 64 * 1_048_576 },
  );
  const count = (compiler: string) => stdout.split(`using ${compiler}`).length - 1;
  const said = stdout.split("\n").filter((line) => line.startsWith("said "));
  return { liftoff: count("Liftoff"), turbofan: count("TurboFan"), said: said.join("\n") };
}

describe("a module that V8 may not optimise", () => {
  test("is not optimised, however long it runs", async () => {
    const { liftoff, turbofan } = await compiledBy(
      'await run(await compileModule(file("a.wasm"), { isLight: false }));',
    );
    expect({ liftoff, turbofan }).toEqual({ liftoff: 1, turbofan: 0 });
  });

  test("is not optimised in another thread", async () => {
    const { turbofan } = await compiledBy(`
      if (workers.isMainThread) {
        new workers.Worker(new URL(import.meta.url), { workerData: compileUnoptimised(file("a.wasm")) });
      } else await run(workers.workerData);`);
    expect(turbofan).toBe(0);
  });

  test("does not affect others: modules before and after it, and the host's own code", async () => {
    const { turbofan } = await compiledBy(`
      const before = await compileModule(file("b.wasm"), { isLight: true });
      compileUnoptimised(file("a.wasm"));
      await run(before);
      await run(await WebAssembly.compile(Uint8Array.from([...file("b.wasm"), 0, 2, 1, 0x78])));`);
    expect(turbofan).toBe(2);
  });

  test("is compiled by V8's first compiler alone, for every instruction", async () => {
    const { liftoff, turbofan } = await compiledBy(`
      for (const one of JSON.parse(readFileSync("all.json", "utf8")))
        compileUnoptimised(Uint8Array.from(Buffer.from(one, "base64")));`);
    expect(liftoff).toBeGreaterThan(800);
    expect(turbofan).toBe(0);
  });

  test("is not optimised if several threads compile such modules at the same time", async () => {
    const { turbofan, said } = await compiledBy(`
      const unlike = (number) => Uint8Array.from([...file("a.wasm"), 0, 3, 1, number & 127, (number >> 7) & 127]);
      const made = [];
      let refused = 0;
      const [first, count] = workers.workerData ?? [0, 60];
      for (let number = first; number < first + count; number++) {
        try { made.push(compileUnoptimised(unlike(number))); }
        catch (error) { if (!/keeps changing/.test(error.message)) throw error; refused += 1; }
        if (number === 0) for (const from of [100, 200]) new workers.Worker(new URL(import.meta.url), { workerData: [from, 60] });
        await sleep(1);
      }
      for (const module of made) new WebAssembly.Instance(module).exports.run(3_000_000);
      if (workers.isMainThread) {
        await sleep(1_500);
        console.log("said " + (made.length > 0));
      }`);
    expect({ turbofan, said }).toEqual({ turbofan: 0, said: "said true" });
  });
});

describe("flags that the host has set itself", () => {
  test.each([["--no-wasm-tier-up"], ["--no-wasm-dynamic-tiering", "--no-wasm-tier-up"]])(
    "are not changed: %s",
    async (...flags) => {
      const light = await compiledBy(
        `compileUnoptimised(file("a.wasm"));
        await run(new WebAssembly.Module(file("b.wasm")));`,
        ...flags,
      );
      const without = await compiledBy('await run(new WebAssembly.Module(file("b.wasm")));', ...flags);
      expect(light.turbofan).toBe(without.turbofan);
    },
  );

  test("are not changed if the host sets them while it runs", async () => {
    const { turbofan } = await compiledBy(`
      for (const name of ["wasm-dynamic-tiering", "wasm-tier-up"]) setFlagsFromString("--no-" + name);
      compileUnoptimised(file("a.wasm"));
      await run(new WebAssembly.Module(file("b.wasm")));`);
    expect(turbofan).toBe(0);
  });
});

test("if the optimiser is permanently off, no module is optimised, and functions are compiled when they are called", async () => {
  const { liftoff, turbofan } = await compiledBy(`
    switchOptimiserOff();
    await compileModule(file("a.wasm"), { isLight: false });
    await run(await compileModule(file("b.wasm"), { isLight: true }));`);
  expect({ liftoff, turbofan }).toEqual({ liftoff: 1, turbofan: 0 });
});
