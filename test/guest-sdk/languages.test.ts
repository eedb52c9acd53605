import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildGuard } from "../../src/authoring/build.ts";
import { compileC } from "../../src/authoring/c/compile.ts";
import { compileRust } from "../../src/authoring/rust/compile.ts";
import { WasmExecutor } from "../../src/executors/wasm/wasm-executor.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Rule } from "../../src/rule.ts";
import type { AdmittedModule } from "../../src/sandbox/admission/admitted-module.ts";
import { runGuest } from "../../src/sandbox/guest/guest-run.ts";
import { DEFAULT_HOST_LIMITS } from "../../src/sandbox/guest/host.ts";
import type { HostFunctions } from "../../src/sandbox/guest/host-functions.ts";
import { run, toolEvent, wasmRule } from "../executors/wasm/wasm-rule.ts";
import { sampleOf, times } from "../helpers/tier.ts";
import { guestTask } from "../sandbox/guest-task.ts";
import { admitted } from "../sandbox/module-requirements.ts";
import { type GeneratedCall, generateCalls } from "./generated-events.ts";
import { C_EXAMPLE, copyRustExample, noCargo, noClang, TYPESCRIPT_EXAMPLE, useCargo } from "./toolchains.ts";

const SEED = 20_261_120;
/** Ample limits, because these tests are about verdicts and not about their cost. */
const FUEL = 20_000_000_000;

interface Fixture {
  readonly name: string;
  readonly event: JsonObject;
  readonly config?: JsonObject;
  readonly decision: string;
  readonly reason?: string;
}

const SDK = path.resolve(import.meta.dirname, "../../guest-sdk");
const fixtureText = readFileSync(path.join(SDK, "example-fixtures.json"), "utf8");
const fixtures = JSON.parse(fixtureText) as readonly Fixture[];

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-languages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
useCargo();

/** The same guard in each language that this machine can compile. */
const LANGUAGES: Readonly<Record<string, () => Promise<Uint8Array<ArrayBuffer>>>> = {
  typescript: async () => (await buildGuard(TYPESCRIPT_EXAMPLE)).wasm,
  ...(noClang === "" ? { c: () => compileC(C_EXAMPLE) } : {}),
  ...(noCargo === "" ? { rust: () => compileRust(copyRustExample(path.join(folder, "word-guard"))) } : {}),
};
const names = Object.keys(LANGUAGES);

const bytes = new Map<string, Uint8Array<ArrayBuffer>>();
const guards = new Map<string, AdmittedModule>();

beforeAll(async () => {
  for (const [name, build] of Object.entries(LANGUAGES)) {
    const wasm = await build();
    bytes.set(name, wasm);
    guards.set(name, await admitted(wasm));
  }
}, 600_000);

/** A verdict, or a failure: in every form of failure the gate stays shut. */
type Said = { readonly decision: string; readonly reason: string } | "refused";

const REFUSALS = ["exit", "trap", "stack"];

async function instantiate(module: WebAssembly.Module, functions: HostFunctions): Promise<WebAssembly.Instance> {
  const imports = Object.entries(functions).map(([namespace, table = {}]) => {
    const bound = Object.entries(table).map(
      ([name, call]) => [name, call.bind(undefined, undefined as never)] as const,
    );
    return [namespace, Object.fromEntries(bound)] as const;
  });
  return WebAssembly.instantiate(module, Object.fromEntries(imports));
}

/** At the level of the guest's thread, where the input is not cleaned. */
async function callGuest(name: string, { input, config }: Pick<GeneratedCall, "input" | "config">): Promise<Said> {
  const module = guards.get(name);
  if (module === undefined) throw new Error(`no guard in ${name}`);
  const { setup, ...task } = guestTask(module, { input, fuel: FUEL });
  if (setup === undefined) throw new Error("a task without a setup");
  const limits = { ...DEFAULT_HOST_LIMITS, heapBytes: 8 * 1_048_576 };
  const answer = await runGuest({ ...task, setup: { ...setup, config, limits } }, instantiate);
  if (answer.kind === "needs-setup") throw new Error("the setup was sent");
  if (answer.kind === "failed") {
    if (!REFUSALS.includes(answer.failure.kind)) throw new Error(`${name}: ${JSON.stringify(answer.failure)}`);
    return "refused";
  }
  const said = JSON.parse(answer.text);
  if (Object.keys(said).length === 0) return { decision: "none", reason: "" };
  const { hookEventName, permissionDecision, permissionDecisionReason, ...rest } = said.hookSpecificOutput;
  expect([hookEventName, rest]).toEqual(["PreToolUse", {}]);
  return { decision: permissionDecision, reason: permissionDecisionReason };
}

describe(`word-guard in ${names.join(", ")}${noClang}${noCargo}`, () => {
  test("has one file of fixtures", () => {
    const copies = ["c/example", "rust/example"].map((example) => path.join(SDK, example, "fixtures.json"));
    for (const copy of copies) expect(readFileSync(copy, "utf8"), copy).toBe(fixtureText);
  });

  test.each(names)("passes the fixtures in %s, through the executor", async (name) => {
    const executor = new WasmExecutor({ threads: 1 });
    const guard = wasmRule(bytes.get(name) ?? new Uint8Array(), { timeoutMs: 10_000 });
    try {
      for (const fixture of fixtures) {
        const { event: payload, decision, reason = "" } = fixture;
        const event = { ...toolEvent(), name: String(payload["hook_event_name"]), payload };
        const config = fixture.config ?? {};
        const rule = { ...guard, event: event.name, handler: { ...guard.handler, config } };
        const result = await run(rule as Rule, { event, executor });
        const said = result.ok
          ? [result.reply.decision ?? "none", result.reply.reason ?? ""]
          : [result.failure.message];
        expect(said, fixture.name).toEqual([decision, expect.stringContaining(reason)]);
      }
    } finally {
      await executor.close();
    }
  });

  test("gives the same answer to hundreds of generated events in each language, or refuses in each", async () => {
    const calls = sampleOf(generateCalls(SEED), 3, ({ kind }) => kind);
    const counts: Record<string, number> = { deny: 0, ask: 0, none: 0, refused: 0 };
    for (const [index, call] of calls.entries()) {
      const answers = new Map<string, Said>();
      for (const name of names) answers.set(name, await callGuest(name, call));
      const [first = "refused"] = answers.values();
      const which = `event ${index} of seed ${SEED}, ${call.kind}: ${call.input.slice(0, 2_000)} ${JSON.stringify(call.config)}`;
      for (const answer of answers.values()) expect([...answers], which).toEqual(names.map((name) => [name, answer]));
      const decided = first === "refused" ? first : first.decision;
      counts[decided] = (counts[decided] ?? 0) + 1;
    }
    // Each class must be frequent enough for its equality to mean something.
    expect(calls.length).toBeGreaterThanOrEqual(times(500, 160));
    for (const [decision, count] of Object.entries(counts)) expect(count, decision).toBeGreaterThan(times(20, 6));
  }, 300_000);

  test("differs only if one of them rejects malformed JSON that no host lets through", async () => {
    const event = (value: string): string =>
      `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","x":${value}}}`;
    // QuickJS accepts all of these, C well-formed ones, serde none.
    for (const value of ["1e400", '"\\ud800"', "1.", "-01", '"\\v"']) {
      for (const name of names) {
        const said = await callGuest(name, { input: event(value), config: {} });
        expect(["refused", { decision: "none", reason: "" }], `${name} and ${value}`).toContainEqual(said);
      }
    }
  });
});
