import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { capabilityOf } from "../../../src/sandbox/guest/guest-abi.ts";
import { readModule } from "../../../src/wasm-binary/module-binary.ts";
import { engine } from "./script-guard.ts";

const folder = new URL("../../../guest-sdk/typescript/engine/", import.meta.url);
const read = (name: string): Buffer => readFileSync(new URL(name, folder));
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

interface Digests {
  readonly outputs: Record<string, string>;
  readonly inputs: Record<string, string>;
}

const { outputs, inputs } = JSON.parse(read("digests.json").toString()) as Digests;

// `build.mjs --check`, which needs a compiler, checks that they follow from the sources.
describe("the engine's files are the built ones", () => {
  test.each(Object.entries(outputs))("%s", (name, digest) => expect(sha256(read(name))).toBe(digest));

  test.each(Object.entries(inputs).filter(([name]) => /^[\w-]+\.(?:c|h|mjs)$/.test(name)))(
    "from this %s",
    (name, digest) => expect(sha256(read(name))).toBe(digest),
  );
});

describe("the engine", () => {
  const { imports, exports, hasStart, mutableGlobals } = readModule(engine);

  test("imports the functions of every grant, and of no other namespace than the host's", () => {
    const reaches = new Set(imports.map(capabilityOf));
    expect(reaches).toEqual(new Set(["core", "config", "log", "state", "hosts", "paths", "clock", "random"]));
    expect(hasStart).toBe(false);
  });

  test("exports what the packer and the host call", () => {
    expect(exports.map(({ name }) => name).sort()).toEqual([
      "__stack_pointer",
      "handle",
      "hookbox_allocate",
      "hookbox_compile",
      "hookbox_finish",
      "hookbox_load",
      "hookbox_start",
      "hookbox_text",
      "hookbox_text_bytes",
      "memory",
    ]);
    expect(mutableGlobals).toHaveLength(1);
  });
});
