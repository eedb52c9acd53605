import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ABSENT } from "../helpers/folders.ts";
import { guest, HANDLE, wat, withManifest } from "../helpers/guests.ts";
import { sha256 } from "../sandbox/module-requirements.ts";
import { bashCall, type CliResult, hookbox, type Project, project, replyOf, verdictOf } from "./cli.ts";
import { inProcess } from "./in-process.ts";
import { hasTerminals, hookboxOnTerminal } from "./terminal.ts";

const DENIES = guest("denies");
/** Another module with the same decision and one more import. */
const OTHER = wat(`(module
  (import "extism:host/env" "log_info" (func (param i64)))
  (import "extism:host/env" "config_get" (func (param i64) (result i64)))
  (memory 2 4) ${HANDLE})`);
const WASI = guest("imports-wasi");

const MANIFEST = { name: "no-nails", version: "1.0.0", abi: 1 };
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

interface LockData {
  readonly ok: boolean;
  readonly written: boolean;
  readonly locks: readonly {
    readonly file: string;
    readonly problem: string | null;
    readonly modules: readonly {
      readonly module: string;
      readonly change: string;
      readonly differences: readonly { readonly what: string; readonly before: string; readonly after: string }[];
      readonly summary: string | null;
      readonly problems: readonly { readonly code: string; readonly message: string }[];
      readonly fixtures: { readonly passed: number; readonly failed: readonly unknown[] };
    }[];
    readonly removed: readonly string[];
  }[];
}

interface LockJson {
  lockVersion: number;
  modules: Record<string, { sha256: string; imports: string[]; [key: string]: unknown }>;
}

const dataOf = ({ stdout }: CliResult): LockData => JSON.parse(stdout) as LockData;
const wasm = (module: string, parts: object = {}): object => ({ type: "wasm", module, timeoutMs: 20_000, ...parts });

/** Returns a project with one guard in its folder. */
function guarded(module: Uint8Array = DENIES, rule: object = {}): Project {
  const place = project();
  place.write("guard.wasm", module);
  place.configure("PreToolUse", wasm("./guard.wasm", rule));
  return place;
}

const lock = ({ folder }: Project, ...args: readonly string[]): Promise<CliResult> =>
  inProcess(["lock", ...args], { cwd: folder });

async function locked(module?: Uint8Array, rule?: object): Promise<Project> {
  const place = guarded(module, rule);
  expect(await lock(place, "--yes")).toMatchObject({ exitCode: 0, stderr: "" });
  return place;
}

const lockText = ({ folder }: Project): string => readFileSync(join(folder, "hookbox.lock"), "utf8");
const lockJson = (place: Project): LockJson => JSON.parse(lockText(place)) as LockJson;

async function differences(place: Project): Promise<readonly unknown[]> {
  const result = await lock(place, "--check", "--json");
  expect(result.exitCode).toBe(1);
  expect(dataOf(result)).toMatchObject({ ok: false, written: false });
  expect(dataOf(result).locks[0]?.modules[0]?.change).toBe("changed");
  return dataOf(result).locks[0]?.modules[0]?.differences ?? [];
}

/** Returns the decision of `run` at a gate. */
async function decision(
  place: Project,
  start: typeof inProcess = inProcess,
): Promise<{ readonly decision: string | undefined; readonly reason: string }> {
  const result = await start(["run"], { stdin: bashCall("ls"), cwd: place.folder });
  if (result.exitCode === 2) return { decision: "refused", reason: result.stderr };
  const reply = result.stdout === "" ? {} : replyOf(result);
  return { decision: reply.permissionDecision, reason: reply.permissionDecisionReason ?? "" };
}

describe("hookbox lock", () => {
  test("writes nothing before the user agrees", async () => {
    const place = guarded();
    const result = await hookbox(["lock"], { cwd: place.folder });
    expect(result).toMatchObject({ exitCode: 1, stderr: "" });
    expect(result.stdout).toContain("./guard.wasm  new");
    expect(result.stdout).toContain("Nothing was written. Once you agree, run it again with --yes.");
    expect(readdirSync(place.folder).sort()).toEqual(["guard.wasm", "hookbox.json"]);
  });

  test("writes with --yes what was reviewed, and nothing else", async () => {
    const module = withManifest(DENIES, {
      ...MANIFEST,
      fixtures: [
        { name: "all", event: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} }, decision: "deny" },
      ],
    });
    const place = guarded(module, { timeoutMs: 900, limits: { memoryMiB: 4 } });
    expect(await hookbox(["lock", "--yes"], { cwd: place.folder })).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readdirSync(place.folder).sort()).toEqual(["guard.wasm", "hookbox.json", "hookbox.lock"]);
    expect(lockJson(place)).toEqual({
      lockVersion: 1,
      modules: {
        "./guard.wasm": {
          sha256: sha256(module),
          bytes: module.byteLength,
          capabilities: [],
          imports: ["extism:host/env alloc", "extism:host/env store_u8", "extism:host/env output_set"],
          memory: { initialBytes: 65_536, maximumBytes: null },
          manifest: MANIFEST,
          fixtures: 1,
          may: ["deny", "ask"],
          limits: expect.objectContaining({ timeoutMs: 900, memoryBytes: 4 * 1_048_576 }),
        },
      },
    });
    expect(lockText(place)).toMatch(/\}\n$/);
    const said = await decision(place, hookbox);
    expect(said).toMatchObject({ decision: "deny", reason: expect.not.stringContaining("LOCK") });
  });

  test("finds no difference on the next run, and does not change the file", async () => {
    const place = await locked();
    const { mtimeMs, ino } = statSync(join(place.folder, "hookbox.lock"));
    for (const args of [["--check"], [], ["--yes"]]) {
      const result = await lock(place, ...args);
      expect(result).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining("All modules are as they were locked."),
      });
    }
    expect(statSync(join(place.folder, "hookbox.lock"))).toMatchObject({ mtimeMs, ino });
  });

  test("prints exactly these fields with --json", async () => {
    const place = guarded();
    const result = await lock(place, "--json");
    expect(result.exitCode).toBe(1);
    expect(dataOf(result)).toEqual({
      ok: false,
      written: false,
      locks: [
        {
          file: join(place.folder, "hookbox.lock"),
          problem: null,
          modules: [
            {
              module: "./guard.wasm",
              change: "new",
              differences: [],
              summary: expect.stringContaining("Can deny and ask; cannot allow unless a rule lets it."),
              problems: [],
              fixtures: { passed: 0, failed: [] },
            },
          ],
          removed: [],
        },
      ],
    });
    expect(existsSync(join(place.folder, "hookbox.lock"))).toBe(false);
    expect(dataOf(await lock(place, "--json", "--yes"))).toMatchObject({ ok: true, written: true });
    expect(dataOf(await lock(place, "--json"))).toMatchObject({
      ok: true,
      written: false,
      locks: [{ modules: [{ change: "same" }] }],
    });
  });

  test("changes nothing with --check, whatever the other options are", async () => {
    const place = guarded();
    const result = await lock(place, "--check", "--yes");
    expect(result).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining("A module differs from the lock file"),
    });
    expect(existsSync(join(place.folder, "hookbox.lock"))).toBe(false);
  });

  test("needs no entry for shipped guards", async () => {
    const place = project();
    place.configure("PreToolUse", wasm("builtin:shell-guard"));
    expect(await lock(place, "--check")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("Nothing to lock"),
    });
    place.write("hookbox.lock", '{"lockVersion":1,"modules":{}}');
    expect(await decision(place)).toEqual({ decision: undefined, reason: "" });
  });
});

describe("hookbox lock shows what changed:", () => {
  test("bytes, imports and exports of the module", async () => {
    const place = await locked();
    place.write("guard.wasm", OTHER);
    expect(await differences(place)).toEqual([
      { what: "sha256", before: sha256(DENIES), after: sha256(OTHER) },
      { what: "bytes", before: String(DENIES.byteLength), after: String(OTHER.byteLength) },
      { what: "capabilities", before: "", after: "config, log" },
      {
        what: "imports",
        before: "extism:host/env alloc, extism:host/env store_u8, extism:host/env output_set",
        after: "extism:host/env log_info, extism:host/env config_get",
      },
      { what: "memory.initialBytes", before: "65536", after: "131072" },
      { what: "memory.maximumBytes", before: "none", after: "262144" },
    ]);
    const { stdout } = await lock(place);
    expect(stdout).toContain("./guard.wasm  changed");
    expect(stdout).toMatch(/capabilities\s+\+ config, log\n/);
  });

  test("the module's manifest", async () => {
    const place = await locked(withManifest(DENIES, MANIFEST));
    place.write("guard.wasm", withManifest(DENIES, { ...MANIFEST, version: "2.0.0", wants: ["hosts"] }));
    expect(await differences(place)).toEqual(
      expect.arrayContaining([
        { what: "manifest.version", before: "1.0.0", after: "2.0.0" },
        { what: "manifest.wants", before: "none", after: '["hosts"]' },
      ]),
    );
  });

  test("the rule's grants, which need no new review of the module", async () => {
    const place = await locked();
    place.configure("PreToolUse", wasm("./guard.wasm", { may: ["deny", "allow"], limits: { fuel: 500_000 } }));
    expect(await differences(place)).toEqual([
      { what: "may", before: "ask", after: "allow" },
      { what: "limits.fuel", before: "100000000", after: "500000" },
    ]);
    expect((await decision(place)).decision).toBe("deny");
  });

  test("and updates the lock file if the user agrees", async () => {
    const place = await locked();
    place.write("guard.wasm", OTHER);
    expect(await lock(place, "--yes")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("Wrote hookbox.lock."),
    });
    expect(lockJson(place).modules["./guard.wasm"]?.sha256).toBe(sha256(OTHER));
  });

  test("the largest grants of several rules", async () => {
    const place = project();
    place.write("guard.wasm", DENIES);
    place.configure(
      "PreToolUse",
      wasm("./guard.wasm", { timeoutMs: 500 }),
      wasm("guard.wasm", { timeoutMs: 700, may: ["context"] }),
    );
    expect((await lock(place, "--yes")).exitCode).toBe(0);
    expect(lockJson(place).modules).toEqual({
      "./guard.wasm": expect.objectContaining({
        may: ["deny", "ask", "context"],
        limits: expect.objectContaining({ timeoutMs: 700 }),
      }),
    });
  });
});

describe("a module that no rule names any more", () => {
  test("stays locked, and is removed with --prune", async () => {
    const place = project();
    for (const name of ["a.wasm", "b.wasm"]) place.write(name, DENIES);
    place.configure("PreToolUse", wasm("a.wasm"), wasm("b.wasm"));
    await lock(place, "--yes");
    place.configure("PreToolUse", wasm("b.wasm"));
    const kept = await lock(place, "--check");
    expect(kept).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("./a.wasm  not named by these files; kept"),
    });
    const pending = await lock(place, "--prune", "--json");
    expect(pending.exitCode).toBe(1);
    expect(dataOf(pending).locks[0]).toMatchObject({
      removed: ["./a.wasm"],
      modules: [{ module: "./b.wasm", change: "same" }],
    });
    expect(Object.keys(lockJson(place).modules)).toEqual(["./a.wasm", "./b.wasm"]);
    expect((await lock(place, "--prune", "--yes")).stdout).toContain("./a.wasm  no longer configured");
    expect(Object.keys(lockJson(place).modules)).toEqual(["./b.wasm"]);
  });

  test("is removed with --prune even if it is the last one", async () => {
    const place = await locked();
    place.configure("PreToolUse", wasm("builtin:shell-guard"));
    expect((await lock(place, "--check")).exitCode).toBe(0);
    expect((await lock(place, "--check", "--prune")).exitCode).toBe(1);
    expect((await lock(place, "--prune", "--yes")).exitCode).toBe(0);
    expect(lockJson(place)).toEqual({ lockVersion: 1, modules: {} });
  });

  // The names of properties that every object inherits.
  test.each(["toString", "__proto__", "constructor"])("can have any name, even %s", async (name) => {
    const place = await locked();
    const text = lockText(place).replace(
      '"modules": {',
      `"modules": { ${JSON.stringify(name)}: {"sha256":"${"0".repeat(64)}","imports":[]},`,
    );
    place.write("hookbox.lock", text);
    expect((await lock(place, "--check")).stdout).toContain(`${name}  not named by these files; kept`);
    expect(await lock(place, "--prune", "--yes")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(Object.keys(lockJson(place).modules)).toEqual(["./guard.wasm"]);
  });
});

describe("several configuration files", () => {
  test("of one folder share its lock file, and locking one of them keeps the entries of the other", async () => {
    const place = project();
    const hooks = (module: string): string => JSON.stringify({ hooks: { PreToolUse: [{ hooks: [wasm(module)] }] } });
    for (const name of ["a", "b"]) {
      place.write(`${name}.wasm`, DENIES);
      place.write(`${name}.json`, hooks(`${name}.wasm`));
    }
    expect((await lock(place, "a.json", "b.json", "--yes")).exitCode).toBe(0);
    place.write("a.wasm", OTHER);
    expect((await lock(place, "--config", "a.json", "--yes")).exitCode).toBe(0);
    const { modules } = lockJson(place);
    expect([modules["./a.wasm"]?.sha256, modules["./b.wasm"]?.sha256]).toEqual([sha256(OTHER), sha256(DENIES)]);
  });

  test("of two folders have separate lock files", async () => {
    const place = project();
    for (const name of ["a", "b"]) {
      mkdirSync(join(place.folder, name));
      place.write(`${name}/guard.wasm`, name === "a" ? DENIES : OTHER);
      place.write(`${name}/hooks.yaml`, "hooks: { PreToolUse: [{ hooks: [{ type: wasm, module: guard.wasm }] }] }");
    }
    const args = ["a/hooks.yaml", "b/hooks.yaml", "--format", "hookbox"];
    const result = await lock(place, ...args, "--yes");
    expect(result.stdout).toContain("Wrote a/hookbox.lock.\n  Wrote b/hookbox.lock.");
    const digests = ["a", "b"].map((name) => {
      const { modules } = JSON.parse(readFileSync(join(place.folder, name, "hookbox.lock"), "utf8")) as LockJson;
      return modules["./guard.wasm"]?.sha256;
    });
    expect(digests).toEqual([sha256(DENIES), sha256(OTHER)]);
    place.write("b/guard.wasm", DENIES);
    expect(dataOf(await lock(place, ...args, "--json")).locks.map(({ modules }) => modules[0]?.change)).toEqual([
      "same",
      "changed",
    ]);
  });

  test("that cannot be used lock nothing", async () => {
    const place = guarded();
    place.write("hookbox.json", '{"hoks":{}}');
    const result = await inProcess(["lock", "--yes"], { cwd: place.folder });
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toContain("HOOK_CONFIG_UNKNOWN_KEY");
    expect(await lock(project(), "--yes")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("HOOK_CONFIG_NOT_FOUND"),
    });
    expect(await lock(place, "--force")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("HOOK_CLI_USAGE"),
    });
    expect(readdirSync(place.folder)).not.toContain("hookbox.lock");
  });
});

describe("a module that cannot be admitted blocks every lock:", () => {
  const failing = withManifest(DENIES, {
    ...MANIFEST,
    fixtures: [{ name: "lets \u001b[2Jls pass", event: { hook_event_name: "PreToolUse" }, decision: "none" }],
  });

  test.each<[string, Uint8Array | undefined, string]>([
    ["one that fails its own tests", failing, "HOOK_MODULE_FIXTURE"],
    ["one that imports what it was not granted", WASI, "HOOK_MODULE_IMPORT"],
    ["one that is no module", Buffer.from("?"), "HOOK_MODULE_INVALID"],
    ["one that is not there", undefined, "HOOK_MODULE_NOT_FOUND"],
  ])("%s", async (_, module, code) => {
    const place = await locked();
    const before = lockText(place);
    if (module === undefined) rmSync(join(place.folder, "guard.wasm"));
    else place.write("guard.wasm", module);
    place.write("new.wasm", DENIES);
    place.configure("PreToolUse", wasm("./guard.wasm"), wasm("./new.wasm"));
    const result = await lock(place, "--yes");
    expect(result).toMatchObject({ exitCode: 1, stderr: "" });
    expect(result.stdout).toContain("./guard.wasm  cannot be locked");
    expect(result.stdout).toContain(code);
    expect(result.stdout).toContain("Nothing was written: a module cannot be locked.");
    expect(result.stdout).not.toMatch(UNSAFE);
    expect(lockText(place)).toBe(before);
    const json = await lock(place, "--yes", "--json");
    expect(json.exitCode).toBe(1);
    expect(dataOf(json)).toMatchObject({ ok: false, written: false });
    expect(dataOf(json).locks[0]?.modules[0]).toMatchObject({ change: "unfit", problems: [{ code }] });
  });

  test("a module that one rule admits and another does not", async () => {
    const place = project();
    place.write("guard.wasm", OTHER);
    place.configure("PreToolUse", wasm("guard.wasm"), wasm("guard.wasm", { function: "judge" }));
    expect(await lock(place, "--yes")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining("HOOK_MODULE_ABI"),
    });
  });

  test("a module that is longer than any module may be", async () => {
    const place = guarded();
    truncateSync(join(place.folder, "guard.wasm"), 9 * 1_048_576);
    expect(await lock(place, "--yes")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining("HOOK_MODULE_LIMIT"),
    });
  });

  // Starting a thread takes longer than the timeout of some rules.
  test("but not a module whose rule's timeout is shorter than the start of a process", async () => {
    const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
    const module = withManifest(DENIES, { ...MANIFEST, fixtures: [{ name: "ls", event, decision: "deny" }] });
    const place = await locked(module, { timeoutMs: 1 });
    expect(lockJson(place).modules["./guard.wasm"]?.["fixtures"]).toBe(1);
  });
});

describe("with a lock file, run denies by name", () => {
  test("a module with another digest, HOOK_LOCK_MISMATCH", async () => {
    const place = await locked();
    place.write("guard.wasm", OTHER);
    const { decision: said, reason } = await decision(place);
    expect(said).toBe("deny");
    expect(reason).toContain("HOOK_LOCK_MISMATCH");
    expect(reason).toContain(sha256(OTHER));
  });

  test("a module without an entry, HOOK_LOCK_MISSING", async () => {
    const place = await locked();
    place.write("another.wasm", DENIES);
    place.configure("PreToolUse", wasm("another.wasm"));
    expect(await decision(place)).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("HOOK_LOCK_MISSING"),
    });
  });

  test("a module whose digest was corrected by hand and whose imports were not", async () => {
    const place = await locked();
    place.write("guard.wasm", OTHER);
    place.write("hookbox.lock", lockText(place).replace(sha256(DENIES), sha256(OTHER)));
    // Twice, because the second run finds the module in the cache.
    for (let round = 0; round < 2; round += 1) {
      expect(await decision(place)).toMatchObject({
        decision: "deny",
        reason: expect.stringMatching(/HOOK_LOCK_MISMATCH.*imports extism:host\/env log_info/),
      });
    }
  });

  test("a module that an earlier process has run and cached", async () => {
    const place = guarded(OTHER);
    await decision(place, hookbox);
    place.write("guard.wasm", DENIES);
    await lock(place, "--yes");
    place.write("guard.wasm", OTHER);
    expect(await decision(place, hookbox)).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("HOOK_LOCK_MISMATCH"),
    });
  });

  test.each<[string, (file: string) => void]>([
    ["is no JSON", (file) => writeFileSync(file, "{")],
    ["is of another version", (file) => writeFileSync(file, '{"lockVersion":2,"modules":{}}')],
    ["has a key twice", (file) => writeFileSync(file, '{"lockVersion":1,"modules":{},"m\\u006fdules":{}}')],
    [
      "has an entry without a sha256",
      (file) => writeFileSync(file, '{"lockVersion":1,"modules":{"./x":{"imports":[]}}}'),
    ],
    ["is a directory", (file) => mkdirSync(file)],
    ["is a link to nowhere", (file) => symlinkSync(`${ABSENT}/hookbox.lock`, file)],
  ])("every module, HOOK_LOCK_INVALID, when the file %s", async (_, spoil) => {
    const place = guarded();
    spoil(join(place.folder, "hookbox.lock"));
    const [said, checked, reviewed] = await Promise.all([
      decision(place),
      inProcess(["check"], { cwd: place.folder }),
      lock(place, "--check", "--json"),
    ]);
    expect(said).toMatchObject({ decision: "deny", reason: expect.stringContaining("HOOK_LOCK_INVALID") });
    expect(checked.exitCode).toBe(1);
    const problem = expect.stringContaining("HOOK_LOCK_INVALID");
    expect(dataOf(reviewed)).toMatchObject({ ok: false, locks: [{ problem }] });
  });

  // Root may read every file, so this cannot be tested as root.
  test.skipIf(process.getuid?.() === 0)("every module, if the file may not be read", async () => {
    const place = await locked();
    const { chmodSync } = await import("node:fs");
    chmodSync(join(place.folder, "hookbox.lock"), 0);
    expect((await decision(place)).reason).toContain("HOOK_LOCK_INVALID");
  });

  test("but not the module of a rule in monitor mode", async () => {
    const place = await locked(DENIES, { mode: "monitor" });
    place.write("guard.wasm", OTHER);
    const result = await inProcess(["run", "--json"], { stdin: bashCall("ls"), cwd: place.folder });
    expect(verdictOf(result).decision).toBe("none");
    expect(result.stdout).toContain("HOOK_LOCK_MISMATCH");
  });
});

describe("a broken lock file", () => {
  test("is rewritten if the user agrees", async () => {
    const place = guarded();
    place.write("hookbox.lock", '{"lockVersion":1,"modules":{"./x":{}}}');
    const result = await lock(place);
    expect(result).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("HOOK_LOCK_INVALID") });
    expect((await lock(place, "--yes")).exitCode).toBe(0);
    expect((await lock(place, "--check")).exitCode).toBe(0);
  });

  test("that is a directory is not replaced, and no other file is left next to it", async () => {
    const place = guarded();
    mkdirSync(join(place.folder, "hookbox.lock"));
    const result = await lock(place, "--yes");
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(/HOOK_LOCK_INVALID: .*hookbox\.lock cannot be written/);
    expect(result.stderr).not.toContain("    at ");
    expect(readdirSync(place.folder).sort()).toEqual(["guard.wasm", "hookbox.json", "hookbox.lock"]);
  });

  test("that is a link is replaced by a file, and the link's target is not changed", async () => {
    const place = guarded();
    const elsewhere = place.write("elsewhere.json", "mine");
    symlinkSync(elsewhere, join(place.folder, "hookbox.lock"));
    expect((await lock(place, "--yes")).exitCode).toBe(0);
    expect(readFileSync(elsewhere, "utf8")).toBe("mine");
  });

  test.each([
    ["a key", '{"lockVersion":1,"modules":{"\\u001b[2J\\u202e":{}}}'],
    ["a key that stands twice", '{"\\u001b[2J":1,"\\u001b[2J":2}'],
    [
      "what it says of a module",
      `{"lockVersion":1,"modules":{"./guard.wasm":{"sha256":"${"0".repeat(64)}","imports":["\\u001b[2J"],"manifest":{"\\u001b[2J\\u009b":"\\u202e"}},"\\u001b[2J":{"sha256":"${"0".repeat(64)}","imports":[]}}}`,
    ],
  ])("does not print %s to the terminal uncleaned", async (_, text) => {
    const place = guarded();
    place.write("hookbox.lock", text);
    const verbs = [["lock"], ["lock", "--json"], ["lock", "--prune"], ["check"], ["check", "--json"], ["run"]];
    const shown = verbs.map(async (args) => {
      const { stdout, stderr } = await inProcess(args, { cwd: place.folder, stdin: bashCall("ls") });
      return stdout + stderr;
    });
    for (const text of await Promise.all(shown)) expect(text).not.toMatch(UNSAFE);
  });

  test("whose other fields have any type is compared nevertheless", async () => {
    const place = await locked();
    const { modules } = lockJson(place);
    const odd = { bytes: "x", capabilities: 7, memory: "m", manifest: [1], fixtures: null, may: { a: 1 }, limits: 3 };
    place.write(
      "hookbox.lock",
      JSON.stringify({ lockVersion: 1, modules: { "./guard.wasm": { ...modules["./guard.wasm"], ...odd } } }),
    );
    expect(await lock(place)).toMatchObject({ exitCode: 1, stderr: "" });
    expect((await decision(place)).reason).not.toContain("LOCK");
  });
});

test("names in a configuration are cleaned for the terminal", async () => {
  const evil = "x\u001b[2J\u202e";
  const place = guarded(DENIES, { name: evil });
  for (const args of [["lock"], ["lock", "--json"], ["check"], ["check", "--json"]]) {
    expect((await inProcess(args, { cwd: place.folder })).stdout).not.toMatch(UNSAFE);
  }
});

test("one file has one entry, however its path is written", async () => {
  const place = project();
  mkdirSync(join(place.folder, "guards"));
  place.write("guards/a.wasm", DENIES);
  place.configure(
    "PreToolUse",
    ...["guards/a.wasm", "./guards/a.wasm", "guards//a.wasm", "./guards/../guards/./a.wasm"].map((path) => wasm(path)),
  );
  await lock(place, "--yes");
  expect(Object.keys(lockJson(place).modules)).toEqual(["./guards/a.wasm"]);
  place.configure("PreToolUse", wasm("x/../guards/a.wasm"));
  expect((await decision(place)).reason).not.toContain("LOCK");
});

test("modules outside of the folder are locked by their paths", async () => {
  const place = guarded();
  const outside = project();
  outside.write("a.wasm", DENIES);
  mkdirSync(join(place.folder, "sub"));
  const config = {
    hooks: { PreToolUse: [{ hooks: [wasm(join(outside.folder, "x/../a.wasm")), wasm("../guard.wasm")] }] },
  };
  place.write("sub/hookbox.json", JSON.stringify(config));
  expect((await lock(place, "sub/hookbox.json", "--yes")).exitCode).toBe(0);
  const { modules } = JSON.parse(readFileSync(join(place.folder, "sub/hookbox.lock"), "utf8")) as LockJson;
  expect(Object.keys(modules).sort()).toEqual(
    ["../guard.wasm", `${dirname(join(outside.folder, "a.wasm"))}/a.wasm`].sort(),
  );
});

describe("hookbox check", () => {
  const absent = async (place: Project): Promise<readonly string[]> => {
    // From another folder: an approval would pin the modules of a project.
    const { stdout } = await inProcess(["check", "--json", join(place.folder, "hookbox.json")]);
    const { problems } = JSON.parse(stdout) as { problems: { code: string; severity: string; message: string }[] };
    return problems.filter(({ code }) => code === "HOOK_LOCK_ABSENT").map(({ message }) => message);
  };

  test("warns only of modules without an entry", async () => {
    const place = project();
    place.write("guard.wasm", DENIES);
    const rules = [
      wasm("guard.wasm", { name: "bare" }),
      wasm("guard.wasm", { name: "pinned", sha256: sha256(DENIES) }),
      wasm("builtin:shell-guard", { name: "shipped" }),
      wasm("none.wasm", { name: "lost" }),
      { type: "command", command: "true", name: "command" },
    ];
    place.configure("PreToolUse", ...rules);
    expect(await absent(place)).toEqual(['rule "bare": nothing pins the bytes of module guard.wasm']);
    place.configure("PreToolUse", ...rules.slice(0, 3));
    expect(await inProcess(["check"], { cwd: place.folder })).toMatchObject({ exitCode: 0 });
    await lock(place, "--yes");
    expect(await absent(place)).toEqual([]);
  });
});

describe("asked whether to lock, hookbox lock", () => {
  const answered = (place: Project, answer: string, ...args: readonly string[]): Promise<CliResult> =>
    inProcess(["lock", ...args], { cwd: place.folder, answer });

  test.each(["y", "Yes", " YES "])("writes after %j", async (answer) => {
    const place = guarded();
    const result = await answered(place, answer);
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Lock these? [y/N]") });
    expect(result.stdout).toContain("Wrote hookbox.lock.");
    expect(lockJson(place).modules["./guard.wasm"]?.sha256).toBe(sha256(DENIES));
  });

  test.each(["n", "", "yep"])("writes nothing after %j", async (answer) => {
    const place = guarded();
    const result = await answered(place, answer);
    expect(result).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("Lock these? [y/N]") });
    expect(result.stdout).toContain("Nothing was written. Once you agree, run it again with --yes.");
    expect(existsSync(join(place.folder, "hookbox.lock"))).toBe(false);
  });

  test("asks nothing if there is nothing to agree to", async () => {
    const place = await locked();
    for (const args of [[], ["--check"]]) {
      const { exitCode, stdout } = await answered(place, "y", ...args);
      expect(exitCode).toBe(0);
      expect(stdout).not.toContain("[y/N]");
    }
  });
});

// A question needs a terminal, which python3's standard library provides.
describe.skipIf(!hasTerminals)("at a terminal, hookbox lock asks, and", () => {
  test("writes after y", async () => {
    const place = guarded();
    const { exitCode, shown } = await hookboxOnTerminal(["lock"], { keys: "y\r", cwd: place.folder });
    expect(shown).toContain("Lock these? [y/N]");
    expect(shown).toContain("Wrote hookbox.lock.");
    expect(exitCode).toBe(0);
    expect(lockJson(place).modules["./guard.wasm"]?.sha256).toBe(sha256(DENIES));
  });

  test.each([
    ["nothing", "\r"],
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("writes nothing after %s", async (_, keys) => {
    const place = guarded();
    const { exitCode, shown } = await hookboxOnTerminal(["lock"], { keys, cwd: place.folder });
    expect(shown).toContain("Nothing was written. Once you agree, run it again with --yes.");
    expect(shown).not.toContain("HOOK_INTERNAL");
    expect(exitCode).toBe(1);
    expect(existsSync(join(place.folder, "hookbox.lock"))).toBe(false);
  });
});
