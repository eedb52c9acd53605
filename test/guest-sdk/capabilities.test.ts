import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BuiltGuard } from "../../src/authoring/build.ts";
import { runConformance } from "../../src/authoring/conformance/run-conformance.ts";
import { WasmExecutor } from "../../src/executors/wasm/wasm-executor.ts";
import type { Grants } from "../../src/grants.ts";
import type { JsonObject } from "../../src/json.ts";
import { ALWAYS_GRANTED } from "../../src/sandbox/grants/grants.ts";
import { capabilityOf, type Reach } from "../../src/sandbox/guest/guest-abi.ts";
import { runToFailure, runToReply, toolEvent, wasmRule } from "../executors/wasm/wasm-rule.ts";
import { sampleOf } from "../helpers/tier.ts";
import { askBare } from "./bare-world.ts";
import {
  type Build,
  buildsIn,
  EXAMPLES,
  type ExampleName,
  fixturesOf,
  LANGUAGES,
  textOf,
} from "./capability-examples.ts";
import { noCargo, noClang, useCargo } from "./toolchains.ts";
import { type Tried, tryGuard, WORLDS } from "./tried-guard.ts";

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-capabilities-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
useCargo();

const builds = buildsIn(folder);
const names = Object.keys(builds);
/** The languages that this machine can compile. Compiling a crate takes longer than all tests of one guard. */
const rustExamples = sampleOf(EXAMPLES, EXAMPLES.length, () => "rust");
const languagesOf = (example: ExampleName): readonly string[] =>
  names.filter((language) => language !== "rust" || rustExamples.includes(example));
const guards = new Map<string, BuiltGuard>();

const tried = new Map<BuiltGuard, Tried>();

// What a guard is asked outside of rules comes right after it is built, while its admission is remembered.
beforeAll(async () => {
  for (const example of EXAMPLES) {
    for (const language of languagesOf(example)) {
      const guard = await (builds[language] as Build)(example);
      guards.set(`${language} ${example}`, guard);
      tried.set(guard, await tryGuard(guard));
    }
  }
}, 600_000);

/** One for all rules: to start a thread takes longer than a hundred calls. The guards' own tests have been run. */
const executor = new WasmExecutor({ threads: 1, fixtures: "skip", cacheDir: path.join(folder, "cache") });
afterAll(() => executor.close());

function guardOf(language: string, example: ExampleName): BuiltGuard {
  const guard = guards.get(`${language} ${example}`);
  if (guard === undefined) throw new Error(`no guard for ${example} in ${language}`);
  return guard;
}

function triedOf(language: string, example: ExampleName): Tried {
  const found = tried.get(guardOf(language, example));
  if (found === undefined) throw new Error(`nobody has tried ${example} in ${language}`);
  return found;
}

const moduleOf = (language: string, example: ExampleName) => new WebAssembly.Module(guardOf(language, example).wasm);

/** The functions for which a module needs a grant. */
function reachOf(module: WebAssembly.Module): readonly Reach[] {
  const reached = WebAssembly.Module.imports(module).map(({ module: space, name }) =>
    capabilityOf({ module: space, name }),
  );
  return [...new Set(reached)].filter((one) => one === "unknown" || !ALWAYS_GRANTED.includes(one));
}

/** The grants of a rule; these tests use none of them. */
const REAL: Required<Omit<Grants, "wasi">> = {
  state: { maxKeys: 64, maxBytes: 65_536 },
  hosts: { allow: ["https://policy.example.com"], network: "public", maxCalls: 8, responseBytes: 262_144 },
  paths: [{ name: "deny-list.txt", path: "/nowhere/deny-list.txt", access: "read" }],
  clock: "real",
  random: "real",
};

describe(`example guards in ${names.join(", ")}${noClang}${noCargo}`, { timeout: 120_000 }, () => {
  test.each(EXAMPLES)("of %s have the same tests in each language, and declare what they want", (example) => {
    const texts = LANGUAGES.map((language) => textOf(language, example, "fixtures.json"));
    expect(new Set(texts).size).toBe(1);
    for (const language of ["c", "rust"] as const) {
      expect(JSON.parse(textOf(language, example, "manifest.json"))).toMatchObject({ wants: [example] });
    }
  });

  test.each(EXAMPLES)("of %s import what they want, and nothing else that needs a grant", (example) => {
    for (const language of languagesOf(example))
      expect(reachOf(moduleOf(language, example)), language).toEqual([example]);
  });

  test.each(EXAMPLES)("of %s pass their tests on the plainest host", (example) => {
    for (const fixture of fixturesOf(example)) {
      const { decision, reason = "" } = fixture;
      // TypeScript's engine imports functions that its guard does not want, and a plain host does not have all of them.
      for (const language of languagesOf(example).filter((one) => one !== "typescript")) {
        const said = askBare(moduleOf(language, example), fixture);
        expect(said, `${language}: ${fixture.name}`).toEqual({ decision, reason: expect.stringContaining(reason) });
      }
    }
  });

  test.each(EXAMPLES)("of %s pass their tests as an engine runs them", (example) => {
    for (const language of languagesOf(example)) {
      const { results } = triedOf(language, example).trial;
      expect(results, language).toHaveLength(fixturesOf(example).length);
      expect(results.filter(({ passed }) => !passed)).toEqual([]);
    }
  });

  test.each(EXAMPLES)("of %s do not load without the rule's grant, and name the missing grant", async (example) => {
    for (const language of languagesOf(example)) {
      const { wasm } = guardOf(language, example);
      const others = Object.fromEntries(Object.entries(REAL).filter(([grant]) => grant !== example));
      for (const grants of [undefined, others]) {
        const rule = wasmRule(wasm, { handler: grants === undefined ? {} : { grants } });
        expect(await runToFailure(rule, { executor }), language).toMatchObject({
          code: "HOOK_MODULE_IMPORT",
          kind: "capability",
          message: expect.stringContaining(`needs a grant of "${example}"`),
        });
      }
    }
  });

  test("answer the same for every invalid world, or refuse in each language", () => {
    expect(WORLDS.length).toBeGreaterThan(10);
    for (const example of EXAMPLES) {
      const answers = languagesOf(example).map((language) => triedOf(language, example).saidInOtherWorlds);
      for (const said of answers) expect(said, example).toEqual(answers[0]);
    }
  });

  test.skipIf(noClang !== "")("pass the vectors of every guard", async () => {
    for (const [example, least] of [
      ["hosts", 10],
      ["random", 0],
    ] as const) {
      const results = await runConformance(guardOf("c", example).wasm);
      expect(results.filter(({ passed }) => !passed)).toEqual([]);
      expect(results.filter(({ id }) => id.startsWith("capabilities/")).length).toBeGreaterThanOrEqual(least);
    }
  });

  /** Each guard's decisions about calls of one session one after another, with a real grant. */
  async function decisions(
    example: ExampleName,
    grants: Grants,
    calls: readonly JsonObject[],
    config: JsonObject = {},
  ) {
    const said = new Map<string, readonly string[]>();
    for (const language of languagesOf(example)) {
      const rule = wasmRule(guardOf(language, example).wasm, { handler: { grants, config }, timeoutMs: 10_000 });
      const one: string[] = [];
      for (const call of calls) {
        const { reply } = await runToReply(rule, { executor, event: toolEvent(call) });
        one.push(reply.decision === undefined ? "none" : `${reply.decision}: ${reply.reason}`);
      }
      said.set(language, one);
    }
    return [...said.values()];
  }
  const deploy = { tool_input: { command: "deploy --to production" } };

  test("of state count for each session", async () => {
    const call = (session_id: string) => ({ session_id, tool_input: { command: "rm -rf build" } });
    const calls = [call("a"), call("b"), call("a"), call("b"), call("a")];
    const grants = { state: { maxKeys: 64, maxBytes: 65_536 } };
    const no = 'deny: this session has used up its 1 risky commands ("rm -rf")';
    for (const said of await decisions("state", grants, calls, { limit: 1 })) {
      expect(said).toEqual(["none", "none", no, no, no]);
    }
  });

  test("of hosts ask a server, and deny if it does not answer", async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      request.on("end", () => {
        asked.push([request.method, request.headers["content-type"], JSON.parse(body)]);
        response.end('{"allow":false,"reason":"code freeze"}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const hosts = { allow: [origin], network: "private", maxCalls: 8, responseBytes: 262_144 } as const;
    const config = { url: `${origin}/deploys` };
    try {
      for (const said of await decisions("hosts", { hosts }, [deploy], config)) {
        expect(said).toEqual(["deny: the policy server says no: code freeze"]);
      }
      const question = ["POST", "application/json", { command: "deploy --to production" }];
      expect(asked).toEqual(languagesOf("hosts").map(() => question));
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    for (const said of await decisions("hosts", { hosts }, [deploy], config)) {
      expect(said).toEqual(["deny: the policy server does not answer"]);
    }
  });

  test("of paths read the file that the rule names", async () => {
    const file = path.join(realpathSync(folder), "team.txt");
    const paths = [{ name: "deny-list.txt", path: file, access: "read" }] as const;
    writeFileSync(file, "deploy\n");
    for (const said of await decisions("paths", { paths }, [deploy])) {
      expect(said).toEqual(['deny: deny-list.txt has "deploy"']);
    }
    rmSync(file);
    for (const said of await decisions("paths", { paths }, [deploy])) {
      expect(said).toEqual(["deny: there is no deny-list.txt"]);
    }
  });

  test("of clock see a Saturday in 2000 if the clock is fixed", async () => {
    for (const said of await decisions("clock", { clock: "fixed" }, [deploy])) {
      expect(said).toEqual(["deny: no deploys now: Saturday, 0:00 UTC"]);
    }
  });

  test("of random pick the same events in each language if the numbers depend on the event", async () => {
    const calls = Array.from({ length: 60 }, (_, index) => ({ tool_input: { command: `echo ${index}` } }));
    const [first = [], ...others] = await decisions("random", { random: "seeded" }, calls, { oneIn: 3 });
    for (const said of others) expect(said).toEqual(first);
    const picked = first.filter((said) => said !== "none").length;
    expect(picked).toBeGreaterThan(5);
    expect(picked).toBeLessThan(40);
  });
});
