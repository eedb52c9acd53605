import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { buildGuard } from "../../../src/authoring/build.ts";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { Grants } from "../../../src/grants.ts";
import { runToFailure, runToReply, toolEvent, wasmRule } from "../../executors/wasm/wasm-rule.ts";
import { buildTypeScriptExample, EXAMPLES, type ExampleName, textOf } from "../../guest-sdk/capability-examples.ts";
import { makeFolder } from "../../helpers/folders.ts";
import { httpServer } from "../../net/servers.ts";
import { folderWith, guardText } from "../source-folder.ts";
import { resultOf, ScriptTable, saying, snapshotOf } from "./script-guard.ts";

/** Guards with grants, as they are built and as rules run them. */

/** The examples' own tests are run in test/guest-sdk. */
const executor = new WasmExecutor({ threads: 1, fixtures: "skip" });
afterAll(() => executor.close());

const TIMES = "[Date.now(), new Date().getTime(), Math.random(), Math.random()]";

/** A guard that wants no grant. */
const modest = new ScriptTable("const { getVar, request, now } = __hookbox_host;");
const timesOfNobody = modest.add(saying(TIMES));
const UNWANTED = [
  ['getVar("a")', "var_get"],
  ['request("{}", undefined)', "http_request"],
  ["now()", "clock_now"],
].map(([call = "", name = ""]) => [call, name, modest.add(`try { ${call}; } catch {} return {};`)] as const);

const bash = (command: string, more = {}) =>
  toolEvent({ tool_name: "Bash", tool_input: { command }, session_id: "s", ...more });

test.each(EXAMPLES)("the example of %s has the same manifest as in Rust and C", async (name) => {
  const { manifest, inspection } = await buildTypeScriptExample(name);
  const { fixtures: _, ...own } = manifest;
  expect(own).toEqual(JSON.parse(textOf("rust", name, "manifest.json")));
  expect(inspection).toMatchObject({ admissible: true, needs: [name] });
});

function grantsOf(names: readonly ExampleName[]): Grants {
  const all: Required<Pick<Grants, ExampleName>> = {
    state: { maxKeys: 8, maxBytes: 1_024 },
    hosts: { allow: [], network: "private", maxCalls: 2, responseBytes: 1_024 },
    paths: [],
    clock: "fixed",
    random: "seeded",
  };
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

describe("in the real world", () => {
  test("a session may run a limited number of risky commands, separately from other sessions", async () => {
    const { wasm } = await buildTypeScriptExample("state");
    const rule = wasmRule(wasm, { handler: { grants: grantsOf(["state"]), config: { limit: 2 } } });
    const decisions: unknown[] = [];
    for (const session_id of ["a", "a", "a", "b", "a"]) {
      const { reply } = await runToReply(rule, { executor, event: bash("rm -rf build", { session_id }) });
      decisions.push(reply.decision);
    }
    expect(decisions).toEqual([undefined, undefined, "deny", undefined, "deny"]);
  });

  test("a policy server is asked, and no other can be", async () => {
    const server = await httpServer((response, { body }) =>
      response.end(JSON.stringify({ allow: !body.includes("production"), reason: "größer als gedacht" })),
    );
    onTestFinished(() => server.close());
    const { wasm } = await buildTypeScriptExample("hosts");
    const hosts = { allow: [server.origin], network: "private", maxCalls: 8, responseBytes: 1_024 } as const;
    const rule = (url: string) => wasmRule(wasm, { handler: { grants: { hosts }, config: { url } } });
    const asked = rule(`${server.origin}/deploys`);
    expect((await runToReply(asked, { executor, event: bash("deploy --to test") })).reply.decision).toBeUndefined();
    const { reply } = await runToReply(asked, { executor, event: bash("deploy --to production") });
    expect(reply).toMatchObject({ decision: "deny", reason: "the policy server says no: größer als gedacht" });
    expect(server.requests).toMatchObject([
      { method: "POST", url: "/deploys", body: '{"command":"deploy --to test"}' },
      { method: "POST", url: "/deploys", body: '{"command":"deploy --to production"}' },
    ]);
    // Even if the guard catches the error: a refused capability has failed the call.
    const elsewhere = rule("https://elsewhere.example/deploys");
    expect(await runToFailure(elsewhere, { executor, event: bash("deploy") })).toMatchObject({ kind: "capability" });
  });

  test("a list is read at each call from where the rule says", async () => {
    const folder = makeFolder({ "team.txt": "npm publish\n" });
    const { wasm } = await buildTypeScriptExample("paths");
    const paths = [{ name: "deny-list.txt", path: join(folder, "team.txt"), access: "read" }] as const;
    const rule = wasmRule(wasm, { handler: { grants: { paths } } });
    const { reply } = await runToReply(rule, { executor, event: bash("npm publish --tag next") });
    expect(reply).toMatchObject({ decision: "deny", reason: 'deny-list.txt has "npm publish"' });
    expect((await runToReply(rule, { executor, event: bash("npm test") })).reply.decision).toBeUndefined();
  });
});

describe("Date and Math.random", () => {
  test("are fixed if the guard wants no clock or random numbers", async () => {
    const [now, date, one, other] = (await resultOf(timesOfNobody, executor)) as number[];
    expect([now, date]).toEqual([0, 0]);
    expect(one).not.toBe(other);
    expect(await resultOf(timesOfNobody, executor)).toEqual([now, date, one, other]);
  });

  test("are the rule's if the guard wants them", async () => {
    const { wasm } = await snapshotOf(saying(TIMES), "", ["clock", "random"]);
    const grants: Grants = { clock: "fixed", random: "seeded" };
    const told = async (event = bash("ls"), given: Grants = grants): Promise<number[]> => {
      const { reply } = await runToReply(wasmRule(wasm, { handler: { grants: given } }), { executor, event });
      return (JSON.parse(reply.reason ?? "") as { value: number[] }).value;
    };
    const [now = 0, date = 0, one = 0, other = 0] = await told();
    expect([now, date]).toEqual([Date.UTC(2000, 0, 1), Date.UTC(2000, 0, 1) + 1]);
    expect([one, other].every((draw) => draw >= 0 && draw < 1) && one !== other).toBe(true);
    expect(await told()).toEqual([now, date, one, other]);
    expect((await told(bash("pwd")))[2]).not.toBe(one);
    const before = Date.now();
    const [real = 0, , lot] = await told(bash("ls"), { clock: "real", random: "real" });
    expect(real).toBeGreaterThanOrEqual(before);
    expect(lot).not.toBe((await told(bash("ls"), { clock: "real", random: "real" }))[2]);
  });

  test("at the top level of a guard that wants a clock are an error with the author's place", async () => {
    const before = "// when it began\nconst began = Date.now();";
    const guard = (fields: string) =>
      folderWith({ "guard.ts": guardText("return deny(String(began));", { before, fields }) });
    await expect(buildGuard(guard('\n  wants: ["clock"],'))).rejects.toMatchObject({
      code: "HOOK_BUILD_SOURCE",
      message: expect.stringContaining("the clock is read in handle, not while the guard is built"),
      place: { line: 3, column: expect.any(Number) },
    });
    // Without it, the time is 1970 there and in every call.
    expect((await buildGuard(guard(""))).manifest.wants).toBeUndefined();
  });
});

test.each(UNWANTED)(
  "a call of %s that the guard did not ask for fails by name, whatever the guard does next",
  async (_, name, entry) => {
    expect(await runToFailure(await entry.rule(), { executor, event: entry.event })).toMatchObject({
      kind: "capability",
      message: expect.stringContaining(`called ${name}, but its manifest does not want that capability`),
    });
  },
);

test("text from a file or a server is text, whatever its bytes are", async () => {
  const folder = makeFolder({ bytes: Buffer.from([0x61, 0xff, 0xfe, 0x00, 0x62]) });
  const before = "const { readFile } = __hookbox_host;";
  const { wasm } = await snapshotOf(saying('readFile("bytes")'), before, ["paths"]);
  const paths = [{ name: "bytes", path: join(folder, "bytes"), access: "read" }] as const;
  const { reply } = await runToReply(wasmRule(wasm, { handler: { grants: { paths } } }), { executor });
  expect(reply.reason).toBe(JSON.stringify({ value: "a\ufffd\ufffd\u0000b" }));
});
