import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { counting } from "../executors/wasm/counting-guest.ts";
import { guest, HANDLE, wat, withManifest } from "../helpers/guests.ts";
import { bashCall, hookbox, type Project, project, replyOf } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** Imports of one capability each. Imports of the engine itself need no grant. */
const IMPORTS = {
  hosts: '(import "extism:host/env" "http_request" (func (param i64 i64) (result i64)))',
  paths: '(import "hookbox:host/env" "file_read" (func (param i64) (result i64)))',
  writing: '(import "hookbox:host/env" "file_write" (func (param i64 i64)))',
  state: '(import "extism:host/env" "var_get" (func (param i64) (result i64)))',
  clock: '(import "hookbox:host/env" "clock_now" (func (result i64)))',
  random: '(import "hookbox:host/env" "random_bits" (func (result i64)))',
  absent: '(import "hookbox:host/absent" "http_request" (func (param i64 i64) (result i64)))',
} as const;
const needing = (...names: readonly (keyof typeof IMPORTS)[]) =>
  wat(`(module ${names.map((name) => IMPORTS[name]).join(" ")} ${HANDLE})`);

const MANIFEST = { name: "g", version: "1.0.0", abi: 1 };
const EVERYTHING = {
  hosts: ["api.example.com"],
  paths: { "policy.json": "./policy.json", out: { path: "./out", access: "write" } },
  state: true,
  clock: "real",
  random: "seeded",
};
const ALL_NEEDED = needing("hosts", "paths", "state", "clock", "random");

interface Told {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
}

function guarded(module: Uint8Array, grants?: object, rest: object = {}): Project {
  const place = project();
  place.write("guard.wasm", module);
  place.configure("PreToolUse", {
    type: "wasm",
    name: "g",
    module: "./guard.wasm",
    ...(grants && { grants }),
    ...rest,
  });
  return place;
}

const start = ({ folder }: Project, ...args: readonly string[]) => inProcess(args, { cwd: folder });
/** Runs from another folder, so that the file does not count as a project's. */
const named = ({ folder }: Project, verb: string, ...args: readonly string[]) =>
  inProcess([verb, "--config", join(folder, "hookbox.json"), ...args]);
const json = async <Data>(place: Project, ...args: readonly string[]): Promise<Data> =>
  JSON.parse((await start(place, ...args, "--json")).stdout) as Data;

async function warnings(module: Uint8Array, grants?: object): Promise<readonly string[]> {
  const { problems } = await json<{ problems: readonly Told[] }>(guarded(module, grants), "check");
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return problems.filter(({ code }) => code === "HOOK_MODULE_GRANT").map(({ message }) => message);
}

describe("hookbox inspect", () => {
  interface Inspected {
    readonly admissible: boolean;
    readonly capabilities: readonly string[];
    readonly needs: readonly string[];
    readonly granted: readonly string[];
    readonly imports: readonly { readonly capability: string }[];
    readonly summary: string;
  }

  test.each<[string, Uint8Array, readonly string[], string]>([
    ["requests", needing("hosts"), ["hosts"], "Sends requests to the hosts that its rule grants."],
    ["reading files", needing("paths"), ["paths"], "Reads the files that its rule grants."],
    ["writing files", needing("writing"), ["paths"], "Reads and writes the files that its rule grants."],
    ["state", needing("state"), ["state"], "Keeps variables between calls of a session."],
    ["the clock", needing("clock"), ["clock"], "Reads the clock."],
    ["randomness", needing("random"), ["random"], "Uses random numbers."],
  ])(
    "says that a module imports functions for %s, and that its rule has to grant this",
    async (_, module, needs, said) => {
      const place = guarded(module);
      const alone = await json<Inspected>(place, "inspect", "guard.wasm");
      expect(alone).toMatchObject({ admissible: false, needs, granted: [], capabilities: needs });
      expect(alone.summary).toMatch(new RegExp(`^Loads only if its rule grants "${needs[0]}"\\.`));
      expect(alone.summary).toContain(said);
      const granted = await json<Inspected>(place, "inspect", "guard.wasm", "--grant", String(needs[0]));
      expect(granted).toMatchObject({ admissible: true, needs, granted: needs });
      expect(granted.summary).toContain(said);
      expect(granted.summary).not.toContain("Loads only");
    },
  );

  test("recognises a WASI command, and says how a rule runs it", async () => {
    const type = "(func (param i32 i32 i32 i32) (result i32))";
    const imports = ["fd_read", "fd_write"].map((name) => `(import "wasi_snapshot_preview1" "${name}" ${type})`);
    const command = wat(`(module ${imports.join(" ")} (memory (export "memory") 1) (func (export "_start")))`);
    const place = guarded(command);
    const { stdout } = await start(place, "inspect", "guard.wasm");
    expect(stdout).toContain('Loads only if its rule grants "wasi". Reads the event. Uses WASI.');
    expect(stdout).toContain("Can deny and ask");
    expect(stdout).toContain('"function": "_start", "grants": { "wasi": true } in its rule; try it with --grant wasi');
    expect(await start(place, "inspect", "guard.wasm", "--grant", "wasi")).toMatchObject({ exitCode: 0 });
    expect((await start(place, "check")).stdout).toContain('add "grants": { "wasi": true } to the rule');
    const { stdout: checked } = await start(guarded(command, { wasi: true }), "check");
    expect(checked).toContain('if it is a WASI command, add "function": "_start" to the rule');
  });

  test("says which grants a module with several needs, and how to judge it with these grants", async () => {
    const place = guarded(ALL_NEEDED);
    const { exitCode, stdout } = await start(place, "inspect", "guard.wasm", "--grant", "hosts");
    expect(exitCode).toBe(1);
    expect(stdout).toContain('Loads only if its rule grants "paths", "state", "clock" and "random".');
    expect(stdout).toContain("in its rule; try it with --grant paths --grant state");
    const names = ["hosts", "paths", "state", "clock", "random"].flatMap((name) => ["--grant", name]);
    expect(await start(place, "inspect", "guard.wasm", ...names)).toMatchObject({ exitCode: 0 });
  });

  test("does not suggest a grant for a problem that no grant would solve", async () => {
    const place = guarded(wat(`(module ${IMPORTS.state} (import "env" "abort" (func)) ${HANDLE})`));
    expect((await json<Inspected>(place, "inspect", "guard.wasm")).summary).toMatch(/^Does not load: it imports /);
  });

  test("shows what a language's engine imports and the guard has not asked for, but not as a capability", async () => {
    const place = guarded(needing("absent"));
    const data = await json<Inspected>(place, "inspect", "guard.wasm");
    expect(data).toMatchObject({ admissible: true, capabilities: [], needs: [], imports: [{ capability: "absent" }] });
    expect(data.summary).toContain("No files, no network, no clock.");
    expect(data.summary).not.toContain("http");
    // Functions of the language's engine are not shown to people, because they say nothing about the guard.
    expect((await start(place, "inspect", "guard.wasm")).stdout).not.toContain("http_request");
  });

  test("rejects unknown grants", async () => {
    const { exitCode, stderr } = await start(guarded(needing()), "inspect", "guard.wasm", "--grant", "network");
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("hosts, paths, state") });
  });
});

describe("hookbox check and explain", () => {
  test("show what each rule grants", async () => {
    const place = guarded(ALL_NEEDED, EVERYTHING);
    place.write("policy.json", "{}");
    const { rules, problems } = await json<{ rules: readonly object[]; problems: readonly Told[] }>(place, "check");
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      {
        loaded: true,
        grants: {
          hosts: { allow: ["https://api.example.com"], network: "public", maxCalls: 8, responseBytes: 262_144 },
          paths: [
            { name: "policy.json", path: join(place.folder, "policy.json"), access: "read" },
            { name: "out", path: join(place.folder, "out"), access: "write" },
          ],
          state: { maxKeys: 64, maxBytes: 65_536 },
          clock: "real",
          random: "seeded",
        },
      },
    ]);
    const words =
      "hosts: https://api.example.com; paths: policy.json (read), out (write); state; clock: real; random: seeded";
    expect((await start(place, "check")).stdout).toContain(`grants ${words}`);
    const explained = await inProcess(["explain"], { cwd: place.folder, stdin: bashCall("ls") });
    expect(explained.stdout).toContain(`grants: ${words}`);
    const data = await inProcess(["explain", "--json"], { cwd: place.folder, stdin: bashCall("ls") });
    expect(JSON.parse(data.stdout)).toMatchObject({ rules: [{ grants: { clock: "real" } }] });
  });

  test("say null of rules that grant nothing", async () => {
    expect(await json(guarded(guest("denies")), "check")).toMatchObject({ rules: [{ grants: null }] });
  });

  test("name a guard that needs more than it was granted, whose gate denies everything", async () => {
    const place = guarded(ALL_NEEDED, { ...EVERYTHING, clock: undefined });
    const { rules, problems } = await json<{ rules: readonly object[]; problems: readonly Told[] }>(place, "check");
    expect(rules).toMatchObject([{ loaded: false }]);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_MODULE_IMPORT",
        message: /clock_now: needs a grant of "clock"/,
        hint: 'if you agree, add "clock": "real" to the grants of the rule',
      },
    ]);
    const run = await inProcess(["run"], { cwd: place.folder, stdin: bashCall("ls") });
    expect(replyOf(run)).toMatchObject({ permissionDecision: "deny", permissionDecisionReason: /HOOK_MODULE_IMPORT/ });
  });

  test("say what to add to the rule of a guard that was granted nothing", async () => {
    const written =
      '"grants": { "hosts": ["HOST"], "paths": { "NAME": "./FILE" }, "state": true, "clock": "real", "random": "seeded" }';
    const place = guarded(ALL_NEEDED);
    expect((await start(place, "check")).stdout).toContain(`if you agree, add ${written} to the rule\n`);
    const explained = await inProcess(["explain"], { cwd: place.folder, stdin: bashCall("ls") });
    expect(explained.stdout).toContain(`if you agree, add ${written} to the rule\n`);
    expect((await start(place, "lock")).stdout).toContain(`it needs ${written} in its rule\n`);
  });

  test("warn of grants that the module cannot use", async () => {
    expect(await warnings(needing("state"), { state: true, hosts: ["a.example"], wasi: true })).toEqual([
      expect.stringContaining('grants "hosts", but module ./guard.wasm imports no function that uses it'),
      expect.stringContaining('grants "wasi", but module ./guard.wasm imports no function that uses it'),
    ]);
    expect(await warnings(needing("absent"), { hosts: ["a.example"] })).toHaveLength(1);
    expect(await warnings(ALL_NEEDED, EVERYTHING)).toEqual([]);
  });

  test("warn of manifests that ask for other capabilities than the module imports", async () => {
    const claiming = (wants: readonly string[], ...names: readonly (keyof typeof IMPORTS)[]) =>
      withManifest(needing(...names), { ...MANIFEST, wants });
    expect(await warnings(claiming(["state"], "state"), { state: true })).toEqual([]);
    expect(await warnings(claiming(["state"]))).toEqual([
      expect.stringContaining('the manifest of module ./guard.wasm wants "state", which the rule does not grant'),
    ]);
    expect(await warnings(claiming(["state"]), { state: true })).toEqual([
      expect.stringContaining("imports no function that uses it, although its manifest wants it"),
    ]);
    expect(await warnings(claiming([], "state"), { state: true })).toEqual([
      expect.stringContaining('uses "state", which its manifest does not want'),
    ]);
  });
});

describe("hookbox lock", () => {
  const entry = ({ folder }: Project) =>
    (
      JSON.parse(readFileSync(join(folder, "hookbox.lock"), "utf8")) as {
        modules: Record<string, { grants?: string[] }>;
      }
    ).modules["./guard.wasm"];
  const regrant = (place: Project, grants: object | undefined) =>
    place.configure("PreToolUse", { type: "wasm", name: "g", module: "./guard.wasm", ...(grants && { grants }) });

  async function decision(place: Project): Promise<string> {
    const run = await inProcess(["run"], { cwd: place.folder, stdin: bashCall("ls") });
    return run.stdout === "" ? "none" : String(replyOf(run).permissionDecisionReason);
  }

  test("records the grants of all rules, in a form that is the same on every machine", async () => {
    const place = guarded(ALL_NEEDED);
    place.configure(
      "PreToolUse",
      { type: "wasm", module: "./guard.wasm", grants: EVERYTHING },
      {
        type: "wasm",
        module: "guard.wasm",
        grants: { ...EVERYTHING, hosts: { allow: ["b.example"], allowPrivate: true }, paths: { 'a="b': "~/x" } },
      },
    );
    // A project's file may not open private networks.
    expect(await named(place, "lock", "--yes")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(entry(place)?.grants).toEqual([
      ...["hosts https://api.example.com", "paths read policy.json = ./policy.json", "paths write out = ./out"],
      ...["state", "clock real", "random seeded"],
      ...["hosts https://b.example", "hosts allowPrivate", 'paths read "a=\\"b" = ~/x'],
    ]);
  });

  test("does not change the entries of guards without grants", async () => {
    const place = guarded(guest("denies"));
    await start(place, "lock", "--yes");
    expect(entry(place)).not.toHaveProperty("grants");
  });

  const MORE: readonly [string, object, string][] = [
    ["another host", { ...EVERYTHING, hosts: ["api.example.com", "evil.example"] }, "hosts https://evil.example"],
    ["another place", { ...EVERYTHING, paths: { "policy.json": "../secret" } }, "paths read policy.json = ../secret"],
    [
      "a place to write",
      { ...EVERYTHING, paths: { "policy.json": { path: "./policy.json", access: "write" } } },
      "paths write policy.json",
    ],
    ["real random numbers", { ...EVERYTHING, random: "real" }, "random real"],
    ["WASI", { ...EVERYTHING, wasi: true }, "wasi"],
  ];
  test.each(MORE)("makes run refuse a rule that has granted %s since the review", async (_, grants, added) => {
    const place = guarded(ALL_NEEDED, EVERYTHING);
    await named(place, "lock", "--yes");
    expect(await decision(place)).not.toContain("HOOK_LOCK");
    regrant(place, grants);
    const check = await named(place, "check", "--json");
    expect(JSON.parse(check.stdout)).toMatchObject({
      problems: [{ severity: "error", code: "HOOK_LOCK_MISMATCH", message: expect.stringContaining(added) }],
    });
    const review = await named(place, "lock", "--check");
    expect(review).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(`+ ${added}`) });
    expect(review.stdout).toContain(`grants ${added}`);
    await named(place, "lock", "--yes");
    expect(await named(place, "lock", "--check")).toMatchObject({ exitCode: 0 });
  });

  test("accepts fewer grants than were reviewed, and shows them", async () => {
    const place = guarded(counting(), {
      state: true,
      clock: "real",
      paths: { out: { path: "./out", access: "write" } },
    });
    await start(place, "lock", "--yes");
    regrant(place, { state: true, clock: "fixed", paths: { out: "./out" } });
    expect(await decision(place)).toContain("000001");
    expect((await start(place, "lock", "--check")).exitCode).toBe(1);
  });

  test("from a version without grants counts as reviewed without grants", async () => {
    const place = guarded(guest("denies"));
    await start(place, "lock", "--yes");
    expect(await decision(place)).not.toContain("HOOK_LOCK");
    regrant(place, { clock: "fixed" });
    expect(await decision(place)).toContain("HOOK_LOCK_MISMATCH");
  });

  test.each([7, "state", [7], {}])("is unreadable with grants such as %j", async (grants) => {
    const place = guarded(guest("denies"));
    const text = JSON.stringify({
      lockVersion: 1,
      modules: { "./guard.wasm": { sha256: "0".repeat(64), imports: [], grants } },
    });
    place.write("hookbox.lock", text);
    expect(await decision(place)).toContain("HOOK_LOCK_INVALID");
  });
});

test("the receipt of a call lists the guard's grants, and whether its answer can be reproduced", async () => {
  const place = guarded(counting(), { state: true, clock: "fixed" }, { timeoutMs: 20_000 });
  const { stdout } = await hookbox(["run", "--json"], { cwd: place.folder, stdin: bashCall("ls") });
  expect(JSON.parse(stdout)).toMatchObject({
    decision: "deny",
    rules: [{ rule: "g", receipt: { grants: ["state", "clock: fixed"], deterministic: false } }],
  });
  const plain = guarded(guest("denies"), { clock: "fixed", random: "seeded", wasi: true });
  const data = JSON.parse((await inProcess(["run", "--json"], { cwd: plain.folder, stdin: bashCall("ls") })).stdout);
  expect(data.rules[0].receipt.grants).toEqual(["clock: fixed", "random: seeded", "wasi"]);
  expect(data.rules[0].receipt).not.toHaveProperty("deterministic");
});
