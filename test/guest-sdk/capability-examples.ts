import { readFileSync } from "node:fs";
import path from "node:path";
import { compileC } from "../../src/authoring/c/compile.ts";
import { compileRust } from "../../src/authoring/rust/compile.ts";
import type { JsonObject } from "../../src/event.ts";
import type { Capability } from "../../src/executors/wasm/guest/guest-abi.ts";
import type { GivenWorld } from "../../src/executors/wasm/guest/protocol.ts";
import { copyRustExample, noCargo, noClang } from "./toolchains.ts";

/** One example guard for each grant, in each language that this machine can compile. */

const SDK = path.resolve(import.meta.dirname, "../../guest-sdk");

export const EXAMPLES = ["state", "hosts", "paths", "clock", "random"] as const satisfies readonly Capability[];
export type ExampleName = (typeof EXAMPLES)[number];

export interface ExampleFixture {
  readonly name: string;
  readonly event: JsonObject;
  readonly config?: JsonObject;
  readonly given?: GivenWorld & { readonly state?: Readonly<Record<string, string>> };
  readonly decision: string;
  readonly reason?: string;
}

export const folderOf = (language: "c" | "rust", example: ExampleName): string =>
  path.join(SDK, language, "examples", example);

export const textOf = (language: "c" | "rust", example: ExampleName, file: string): string =>
  readFileSync(path.join(folderOf(language, example), file), "utf8");

export const fixturesOf = (example: ExampleName): readonly ExampleFixture[] =>
  JSON.parse(textOf("rust", example, "fixtures.json"));

export type Build = (example: ExampleName) => Promise<Uint8Array<ArrayBuffer>>;

/** Crates are copied into this folder. */
export function buildsIn(folder: string): Readonly<Record<string, Build>> {
  return {
    ...(noClang === "" ? { c: (example: ExampleName) => compileC(folderOf("c", example)) } : {}),
    ...(noCargo === ""
      ? {
          rust: (example: ExampleName) =>
            compileRust(copyRustExample(path.join(folder, example), `example-of-${example}`, `examples/${example}`)),
        }
      : {}),
  };
}
