import { readFileSync } from "node:fs";
import path from "node:path";
import { type BuiltGuard, buildGuard } from "../../src/authoring/build.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Capability } from "../../src/sandbox/grants/grants.ts";
import type { GivenWorld } from "../../src/sandbox/guest/protocol.ts";
import { builtOnce } from "./built-once.ts";
import { copyRustExample, noCargo, noClang } from "./toolchains.ts";

/** One example guard for each grant, in each language that this machine can compile. */

const SDK = path.resolve(import.meta.dirname, "../../guest-sdk");

/** Named after the grant that they want. */
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

export const LANGUAGES = ["typescript", "c", "rust"] as const;
type LanguageName = (typeof LANGUAGES)[number];

const folderOf = (language: LanguageName, example: ExampleName): string =>
  path.join(SDK, language, "examples", example);

export const textOf = (language: LanguageName, example: ExampleName, file: string): string =>
  readFileSync(path.join(folderOf(language, example), file), "utf8");

export const fixturesOf = (example: ExampleName): readonly ExampleFixture[] =>
  JSON.parse(textOf("rust", example, "fixtures.json"));

export type Build = (example: ExampleName) => Promise<BuiltGuard>;

/** Each is built once in a run of the suite. */
const once =
  (language: LanguageName, place: (example: ExampleName) => string): Build =>
  (example) =>
    builtOnce(`${language}-example-of-${example}`, [`guest-sdk/${language}`], () => buildGuard(place(example)));

export const buildTypeScriptExample: Build = once("typescript", (example) => folderOf("typescript", example));

/** One after the other: all crates are copied to one place below this folder, where the SDK's own is compiled once. */
export function buildsIn(folder: string): Readonly<Record<string, Build>> {
  const crate = (example: ExampleName): string =>
    copyRustExample(path.join(folder, "crate"), `example-of-${example}`, `examples/${example}`);
  return {
    typescript: buildTypeScriptExample,
    ...(noClang === "" ? { c: once("c", (example) => folderOf("c", example)) } : {}),
    ...(noCargo === "" ? { rust: once("rust", crate) } : {}),
  };
}
