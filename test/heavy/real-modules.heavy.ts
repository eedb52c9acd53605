import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIFTOFF_LIMITS, OPTIMISER_LIMITS, type Weights } from "../../src/wasm-binary/function-weight.ts";
import { leb128 } from "../../src/wasm-binary/leb128.ts";
import { readModule } from "../../src/wasm-binary/module-binary.ts";
import { sectionsOf } from "../helpers/guests.ts";
import { bytesOf } from "../plugins/metered-guard.ts";

/**
 * How far the largest functions of real modules are from the limits: the output of compilers stays admissible. Limits
 * of size and imports are tested elsewhere; most of these modules are no guards. Writes the table of
 * docs/cost-model.md.
 */

const PACKAGES: readonly (readonly [name: string, version: string, file: string, from: string])[] = [
  ["quickjs-wasi", "3.6.2", "quickjs.wasm", "C"],
  ["@jitl/quickjs-wasmfile-release-asyncify", "0.32.0", "dist/emscripten-module.wasm", "C, asyncify"],
  ["sql.js", "1.16.0", "dist/sql-wasm.wasm", "C"],
  ["tree-sitter-bash", "0.25.1", "tree-sitter-bash.wasm", "generated C"],
  ["tree-sitter-cpp", "0.23.4", "tree-sitter-cpp.wasm", "generated C"],
  ["tree-sitter-ocaml", "0.24.2", "tree-sitter-ocaml.wasm", "generated C"],
  ["@cedar-policy/cedar-wasm", "4.13.0", "nodejs/cedar_wasm_bg.wasm", "Rust"],
  ["@resvg/resvg-wasm", "2.6.2", "index_bg.wasm", "Rust"],
  ["@bytecodealliance/jco-transpile", "0.15.0", "vendor/js-component-bindgen-component.core.wasm", "Rust"],
  ["lightningcss-wasm", "1.33.0", "lightningcss_node.wasm", "Rust"],
  ["esbuild-wasm", "0.28.2", "esbuild.wasm", "Go"],
];

const PAGE = resolve(import.meta.dirname, "../../docs/cost-model.md");
const TABLE = /<!-- margins -->\n[\s\S]*?<!-- end of margins -->/;
const NAMES = { ...LIFTOFF_LIMITS, ...OPTIMISER_LIMITS };
type Name = keyof Weights;

let folder: string;
const rows: string[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hookbox-real-modules-"));
  const dependencies = Object.fromEntries(PACKAGES.map(([name, version]) => [name, version]));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps", "--omit=optional"];
  execFileSync("npm", ["install", ...flags], { cwd: folder, stdio: "ignore" });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  if (rows.length <= PACKAGES.length) return;
  const titles = ["module", "from", "may be optimised", ...Object.keys(NAMES)];
  const limits = ["*limit*", "", "", ...Object.values(NAMES).map((limit) => `*${limit}*`)];
  const table = [titles, titles.map(() => "---"), limits].map((cells) => `| ${cells.join(" | ")} |`);
  const text = readFileSync(PAGE, "utf8");
  const block = `<!-- margins -->\n${[...table, ...rows].join("\n")}\n<!-- end of margins -->`;
  writeFileSync(
    PAGE,
    text.replace(TABLE, () => block),
  );
});

/** The module in parts that admission reads: in each, all functions but some do nothing. */
function* partsOf(file: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  const code = sectionsOf(file).find(({ id }) => id === 10);
  if (code === undefined) return;
  let at = code.content;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = file[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const bodies = Array.from({ length: number() }, () => {
    const start = at;
    const size = number();
    at += size;
    return file.subarray(start, at);
  });
  const idle = Uint8Array.from([3, 0, 0, 0x0b]);
  for (let first = 0; first < bodies.length; ) {
    let bytes = 0;
    let end = first;
    while (end < bodies.length && (end === first || bytes + (bodies[end]?.length ?? 0) < 1_500_000)) {
      bytes += bodies[end]?.length ?? 0;
      end += 1;
    }
    const own = bodies.map((body, index) => (index >= first && index < end ? body : idle));
    const content = Buffer.concat([Buffer.from(leb128(bodies.length)), ...own]);
    const header = Buffer.from([10, ...leb128(content.byteLength)]);
    yield Uint8Array.from(Buffer.concat([file.subarray(0, code.start), header, content, file.subarray(code.end)]));
    first = end;
  }
}

function rowOf(name: string, from: string, file: Uint8Array<ArrayBuffer>): Record<Name, number> {
  const largest = {} as Record<Name, number>;
  let isLight = true;
  for (const part of partsOf(file)) {
    const { bodies, isLight: light } = readModule(part);
    isLight &&= light;
    for (const { weight } of bodies) {
      for (const one of Object.keys(NAMES) as Name[])
        largest[one] = Math.max(largest[one] ?? 0, Math.ceil(weight[one]));
    }
  }
  const cells = (Object.keys(NAMES) as Name[]).map((one) => largest[one]);
  rows.push(`| ${[name, from, isLight ? "yes" : "no", ...cells].join(" | ")} |`);
  return largest;
}

test("the shipped guards are within all limits", () => {
  const largest = rowOf("shell-guard", "TypeScript", bytesOf("shell-guard"));
  for (const name of Object.keys(NAMES) as Name[]) expect(largest[name]).toBeLessThanOrEqual(NAMES[name]);
});

test.each(PACKAGES)("every function of %s@%s is admissible", (name, _, file, from) => {
  const largest = rowOf(name, from, Uint8Array.from(readFileSync(join(folder, "node_modules", name, file))));
  for (const limit of Object.keys(LIFTOFF_LIMITS) as (keyof typeof LIFTOFF_LIMITS)[])
    expect(largest[limit]).toBeLessThanOrEqual(LIFTOFF_LIMITS[limit]);
});
