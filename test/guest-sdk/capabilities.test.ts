import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALWAYS_GRANTED, capabilityOf, type Reach } from "../../src/executors/wasm/guest/guest-abi.ts";
import { callGuard } from "../plugins/bare-host.ts";
import { type BareWorld, bareWorld } from "./bare-world.ts";
import {
  buildsIn,
  EXAMPLES,
  type ExampleFixture,
  type ExampleName,
  fixturesOf,
  textOf,
} from "./capability-examples.ts";
import { noCargo, noClang, useCargo } from "./toolchains.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-capabilities-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
useCargo();

const builds = buildsIn(folder);
const names = Object.keys(builds);
const guards = new Map<string, Uint8Array<ArrayBuffer>>();

beforeAll(async () => {
  for (const [language, build] of Object.entries(builds)) {
    for (const example of EXAMPLES) guards.set(`${language} ${example}`, await build(example));
  }
}, 600_000);

function moduleOf(language: string, example: ExampleName): WebAssembly.Module {
  return new WebAssembly.Module(guards.get(`${language} ${example}`) ?? new Uint8Array());
}

/** What a module needs a grant for. */
function reachOf(module: WebAssembly.Module): readonly Reach[] {
  const reached = WebAssembly.Module.imports(module).map(({ module: space, name }) =>
    capabilityOf({ module: space, name }),
  );
  return [...new Set(reached)].filter((one) => one === "unknown" || !ALWAYS_GRANTED.includes(one));
}

/** With bits that pick the first of however many there are. */
function worldOf({ given = {} }: ExampleFixture): BareWorld {
  const { state = {}, ...world } = given;
  const encoded = Object.entries(state).map(([key, text]) => [key, new TextEncoder().encode(text)] as const);
  return { ...world, state: new Map(encoded), random: [2n ** 63n] };
}

interface Said {
  readonly decision: string;
  readonly reason: string;
}

function ask(module: WebAssembly.Module, { event, config }: ExampleFixture, world: BareWorld): Said | string {
  const { code, output, error } = callGuard(module, JSON.stringify(event), config, bareWorld(world));
  if (code !== 0) return error ?? "failed without a word";
  const { hookSpecificOutput: said } = JSON.parse(output ?? "");
  return { decision: said?.permissionDecision ?? "none", reason: said?.permissionDecisionReason ?? "" };
}

describe(`example guards in ${names.join(", ")}${noClang}${noCargo}`, () => {
  test.each(EXAMPLES)("of %s have the same tests and the same manifest in each language", (example) => {
    for (const file of ["fixtures.json", "manifest.json"]) {
      expect(textOf("c", example, file), file).toBe(textOf("rust", example, file));
    }
    expect(JSON.parse(textOf("rust", example, "manifest.json"))).toMatchObject({ wants: [example] });
  });

  test.each(EXAMPLES)("of %s import what that needs, and nothing else that needs a grant", (example) => {
    for (const language of names) expect(reachOf(moduleOf(language, example)), language).toEqual([example]);
  });

  test.each(EXAMPLES)("of %s pass their tests in the plainest of hosts", (example) => {
    for (const fixture of fixturesOf(example)) {
      const { decision, reason = "" } = fixture;
      for (const language of names) {
        const said = ask(moduleOf(language, example), fixture, worldOf(fixture));
        expect(said, `${language}: ${fixture.name}`).toEqual({ decision, reason: expect.stringContaining(reason) });
      }
    }
  });
});
