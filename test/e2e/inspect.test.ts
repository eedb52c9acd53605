import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, truncateSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { answering, guest, HANDLE, moduleWith, wat, withManifest } from "../helpers/guests.ts";
import { type CliResult, hookbox, project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

const SHIPPED = resolve(import.meta.dirname, "../../dist/guards/shell-guard.wasm");
const MANIFEST = { name: "no-nails", version: "1.2.3", abi: 1 };
/** Terminal escapes, C1 controls, bidi and zero-width marks. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

interface Inspected {
  readonly digest: string;
  readonly bytes: number;
  readonly admissible: boolean;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
  readonly imports: readonly { readonly module: string; readonly name: string; readonly capability: string }[];
  readonly capabilities: readonly string[];
  readonly manifest: Record<string, unknown> | null;
  readonly summary: string;
}

const dataOf = ({ stdout }: CliResult): Inspected => JSON.parse(stdout) as Inspected;
const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function inspect(module: Uint8Array, ...args: readonly string[]): Promise<CliResult> {
  return inProcess(["inspect", project().write("guest.wasm", module), ...args]);
}

describe("hookbox inspect", () => {
  test("prints exactly these fields of a guard with --json", async () => {
    const module = withManifest(answering("{}"), {
      ...MANIFEST,
      description: "No nails.",
      events: ["PreToolUse"],
      limits: { fuel: 1_000 },
      fixtures: [{ name: "one", event: { hook_event_name: "PreToolUse" }, decision: "none" }],
    });
    const result = await inspect(module, "--json");
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(Object.keys(dataOf(result))).toEqual([
      "digest",
      "bytes",
      "admissible",
      "problems",
      "imports",
      "capabilities",
      "needs",
      "granted",
      "exports",
      "memory",
      "manifest",
      "summary",
    ]);
    const { digest, bytes, ...rest } = dataOf(result);
    expect({ digest, bytes }).toEqual({ digest: digestOf(module), bytes: module.byteLength });
    expect(rest).toMatchInlineSnapshot(`
      {
        "admissible": true,
        "capabilities": [],
        "exports": [
          {
            "kind": "function",
            "name": "handle",
            "type": "() -> i32",
          },
        ],
        "granted": [],
        "imports": [
          {
            "capability": "core",
            "module": "extism:host/env",
            "name": "alloc",
            "type": "(i64) -> i64",
          },
          {
            "capability": "core",
            "module": "extism:host/env",
            "name": "store_u8",
            "type": "(i64, i32) -> nothing",
          },
          {
            "capability": "core",
            "module": "extism:host/env",
            "name": "output_set",
            "type": "(i64, i64) -> nothing",
          },
        ],
        "manifest": {
          "abi": 1,
          "description": "No nails.",
          "events": [
            "PreToolUse",
          ],
          "fixtures": [
            {
              "decision": "none",
              "event": {
                "hook_event_name": "PreToolUse",
              },
              "name": "one",
            },
          ],
          "limits": {
            "fuel": 1000,
          },
          "name": "no-nails",
          "version": "1.2.3",
        },
        "memory": {
          "initialBytes": 131072,
          "maximumBytes": null,
        },
        "needs": [],
        "problems": [],
        "summary": "Does not read the event. No files, no network, no clock. Can deny and ask; cannot allow unless a rule lets it.",
      }
    `);
  });

  test("describes a shipped guard the same by its name and as a file", async () => {
    const named = await hookbox(["inspect", "builtin:shell-guard", "--json"]);
    const { manifest, ...data } = dataOf(named);
    expect(named.exitCode).toBe(0);
    expect(data).toMatchObject({
      digest: digestOf(readFileSync(SHIPPED)),
      admissible: true,
      problems: [],
      capabilities: ["config", "log"],
      summary:
        "Reads the tool call and its rule's configuration. Writes log lines. No files, no network, no clock. Can deny and ask; cannot allow unless a rule lets it.",
    });
    expect(manifest).toMatchObject({ name: "shell-guard", abi: 1 });
    expect((await inProcess(["inspect", SHIPPED, "--json"])).stdout).toBe(named.stdout);
  });

  test("prints the same as text, with the facts behind it", async () => {
    const { exitCode, stdout } = await hookbox(["inspect", SHIPPED]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ {2}shell-guard \d/);
    expect(stdout).toContain("Can deny and ask; cannot allow unless a rule lets it.");
    expect(stdout).toMatch(/sha256\s+[0-9a-f]{64}/);
    expect(stdout).toMatch(/fixtures\s+[1-9]\d*/);
  });

  test("finds a file relative to the working directory", async () => {
    const place = project();
    place.write("guest.wasm", guest("denies"));
    expect(await inProcess(["inspect", "./guest.wasm"], { cwd: place.folder })).toMatchObject({ exitCode: 0 });
  });

  test("runs no code of the module", async () => {
    // In a process, which the test can end if the guest does run.
    const module = project().write("guest.wasm", guest("runs-before-its-call"));
    const { exitCode, stdout, elapsedMs } = await hookbox(["inspect", module, "--json"]);
    const floor = await hookbox(["--version"]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ admissible: false });
    expect(elapsedMs).toBeLessThan(2_000 + 20 * floor.elapsedMs);
  });
});

describe("hookbox inspect exits with 1 and says why a module would not load:", () => {
  const wasi = '(import "wasi_snapshot_preview1" "fd_write" (func (param i32)))';
  test.each<[string, Uint8Array, string, string]>([
    ["an import of WASI", wat(`(module ${wasi} ${HANDLE})`), "HOOK_MODULE_IMPORT", "Uses WASI"],
    [
      "an unknown import",
      wat(`(module (import "env" "abort" (func)) ${HANDLE})`),
      "HOOK_MODULE_IMPORT",
      "Imports func",
    ],
    [
      "an import of the network with another type",
      wat(`(module (import "extism:host/env" "http_request" (func (param i64) (result i64))) ${HANDLE})`),
      "HOOK_MODULE_IMPORT",
      "Sends requests to the hosts that its rule grants.",
    ],
    ["no entry point", wat("(module)"), "HOOK_MODULE_ABI", "Does not read the event"],
    ["a start function", guest("runs-before-its-call"), "HOOK_MODULE_ABI", "start function"],
    [
      "an instruction of threads",
      wat(`(module (memory 1) (func (drop (i32.atomic.load (i32.const 0)))) ${HANDLE})`),
      "HOOK_MODULE_FEATURE",
      "No files",
    ],
    ["too many tables", moduleWith("(table 1 funcref)".repeat(5)), "HOOK_MODULE_LIMIT", "has 5 tables"],
    ["too much memory", moduleWith("(memory 257)"), "HOOK_MODULE_LIMIT", "starts with 16842752 bytes"],
    ["no module at all", Buffer.from("hello"), "HOOK_MODULE_INVALID", "is not a valid WebAssembly module"],
    ["nothing", new Uint8Array(0), "HOOK_MODULE_INVALID", "is not a valid WebAssembly module"],
    ["a broken manifest", withManifest(guest("denies"), "{"), "HOOK_MODULE_MANIFEST", "manifest"],
  ])("%s", async (_, module, code, summary) => {
    const result = await inspect(module, "--json");
    expect(result.exitCode).toBe(1);
    const { admissible, problems, ...data } = dataOf(result);
    expect({ admissible, digest: data.digest }).toEqual({ admissible: false, digest: digestOf(module) });
    expect(problems.map((one) => one.code)).toContain(code);
    expect(data.summary).toMatch(/^Does not load: it /);
    expect(data.summary).toContain(summary);
    expect(data.summary).not.toContain("Can deny");
    const text = await inspect(module);
    expect(text.exitCode).toBe(1);
    expect(text.stdout).toContain(code);
  });

  test("with all reasons, not only the first", async () => {
    const module = wat(`(module ${wasi} (import "env" "abort" (func)) (memory 300))`);
    const { problems } = dataOf(await inspect(withManifest(module, "[]"), "--json"));
    expect(problems.map(({ code }) => code)).toEqual([
      "HOOK_MODULE_IMPORT",
      "HOOK_MODULE_IMPORT",
      "HOOK_MODULE_ABI",
      "HOOK_MODULE_LIMIT",
      "HOOK_MODULE_MANIFEST",
    ]);
  });

  test("a file that is longer than any module may be", async () => {
    const file = project().write("long.wasm", guest("denies"));
    truncateSync(file, 9 * 1_048_576);
    const result = await inProcess(["inspect", "--json", file]);
    expect(result.exitCode).toBe(1);
    expect(dataOf(result)).toMatchObject({
      digest: digestOf(readFileSync(file)),
      bytes: 9 * 1_048_576,
      problems: [{ code: "HOOK_MODULE_LIMIT" }],
      imports: [],
    });
  });

  test("under the given terms instead of the default terms of a rule", async () => {
    const judge = wat('(module (memory 64) (func (export "judge") (result i32) (i32.const 0)))');
    expect(await inspect(judge, "--function", "judge")).toMatchObject({ exitCode: 0 });
    expect(await inspect(judge, "--function", "judge", "--memory-mib", "4")).toMatchObject({ exitCode: 0 });
    expect(await inspect(judge, "--function", "judge", "--memory-mib", "3.9")).toMatchObject({ exitCode: 1 });
    expect(await inspect(judge)).toMatchObject({ exitCode: 1 });
  });

  // V8 allows this many imports; a list that is copied for each import takes minutes.
  test("a hundred thousand imports, in no more time than a few", async () => {
    const imports = (count: number): Uint8Array => wat(`(module ${'(import "e" "x" (func))'.repeat(count)} ${HANDLE})`);
    const few = await inspect(imports(2));
    const many = await inspect(imports(100_000));
    expect([few.exitCode, many.exitCode]).toEqual([1, 1]);
    expect(many.stdout.length).toBeLessThan(10_000);
    expect(many.stdout).toContain("and 88 more; see --json");
    expect(many.elapsedMs).toBeLessThan(10_000 + 10 * few.elapsedMs);
  });
});

describe("hookbox inspect exits with 2 if there is nothing to inspect:", () => {
  test.each<[string, (folder: string) => readonly string[], RegExp]>([
    ["a missing file", (folder) => [join(folder, "none.wasm")], /HOOK_MODULE_NOT_FOUND: .*does not exist/],
    ["a directory", (folder) => [folder], /HOOK_MODULE_NOT_FOUND: .*is not a file/],
    ["a guard that does not ship", () => ["builtin:toString"], /HOOK_MODULE_NOT_FOUND: .*is not a built-in guard/],
    ["no name", () => [], /HOOK_CLI_USAGE: inspect takes one file/],
    ["two names", () => ["a.wasm", "b.wasm"], /HOOK_CLI_USAGE: inspect takes one file/],
    ["memory without a number", () => ["a.wasm", "--memory-mib", "much"], /HOOK_CLI_USAGE: --memory-mib must be/],
    ["no memory", () => ["a.wasm", "--memory-mib", "0"], /HOOK_CLI_USAGE: --memory-mib must be/],
    ["an unknown option", () => ["a.wasm", "--run"], /HOOK_CLI_USAGE/],
  ])("%s", async (_, args, message) => {
    const result = await inProcess(["inspect", ...args(project().folder)]);
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toContain("    at ");
  });

  test("a named pipe, immediately, although no process writes to it", async () => {
    const pipe = join(project().folder, "pipe.wasm");
    execFileSync("mkfifo", [pipe]);
    const result = await hookbox(["inspect", pipe]);
    expect(result).toMatchObject({ exitCode: 2, signal: null });
    expect(result.stderr).toContain("is not a file");
  });
});

describe("hookbox inspect cleans text from others for the terminal:", () => {
  const EVIL = "e\\1b[2Jv\\c2\\9bJi\\e2\\80\\aeloo\\e2\\81\\a6p\\00";
  const evil = "e\u001b[2Jv\u009bJi\u202eloo\u2066p\u0000\u200b";

  test.each<[string, Uint8Array]>([
    ["names of imports", wat(`(module (import "${EVIL}" "${EVIL}" (func)) ${HANDLE})`)],
    ["names of exports", moduleWith(`(func (export "${EVIL}"))`)],
    [
      "a manifest",
      withManifest(guest("denies"), { name: evil, version: evil, abi: 1, description: evil, events: [evil] }),
    ],
    ["keys of a manifest", withManifest(guest("denies"), { ...MANIFEST, [evil]: 1 })],
    [
      "keys of a manifest that stand twice",
      withManifest(guest("denies"), `{"${"a\\u001b[2J"}":1,"${"a\\u001b[2J"}":2}`),
    ],
  ])("%s", async (_, module) => {
    const file = project().write("guest.wasm", module);
    for (const args of [[file], [file, "--json"]]) {
      const { stdout, stderr } = await inProcess(["inspect", ...args]);
      expect(stdout).not.toMatch(UNSAFE);
      expect(stderr).toBe("");
    }
  });

  test("the file's name, whether or not the file exists", async () => {
    const place = project();
    const name = "g\u001b[2J\u202e.wasm";
    expect((await inProcess(["inspect", name], { cwd: place.folder })).stderr).not.toMatch(UNSAFE);
    place.write(name, guest("denies"));
    const { exitCode, stdout } = await inProcess(["inspect", name], { cwd: place.folder });
    expect(exitCode).toBe(0);
    expect(stdout).not.toMatch(UNSAFE);
    expect(stdout).toContain("g[2J.wasm");
  });

  test("and keeps all of it with --json", async () => {
    const { imports } = dataOf(await inspect(wat(`(module (import "${EVIL}" "x" (func)) ${HANDLE})`), "--json"));
    expect(imports[0]?.module).toBe("e\u001b[2Jv\u009bJi\u202eloo\u2066p\u0000");
  });
});

describe("hookbox inspect on a manifest", () => {
  test.each<[string, Uint8Array, RegExp]>([
    ["that is not JSON", withManifest(guest("denies"), "{nope"), /not valid JSON/],
    ["that is no object", withManifest(guest("denies"), "[1]"), /not a JSON object/],
    ["that is not UTF-8", withManifest(guest("denies"), Uint8Array.of(0x7b, 0xff)), /not valid UTF-8/],
    ["that is empty", withManifest(guest("denies"), ""), /not valid JSON/],
    [
      "that stands twice",
      withManifest(withManifest(guest("denies"), MANIFEST), MANIFEST),
      /more than one section hookbox:manifest/,
    ],
    [
      "that is too long",
      withManifest(guest("denies"), `${JSON.stringify(MANIFEST)}${" ".repeat(1_048_576)}`),
      /manifest of 1048621 bytes; the limit is 1048576/,
    ],
    [
      "with a key twice",
      withManifest(guest("denies"), '{"name":"a","version":"1","abi":1,"n\\u0061me":"b"}'),
      /has the key "name" twice/,
    ],
    ["of another ABI", withManifest(guest("denies"), { ...MANIFEST, abi: 2 }), /abi is 2; expected 1/],
    ["of an ABI in words", withManifest(guest("denies"), { ...MANIFEST, abi: "1" }), /abi is "1"; expected 1/],
    ["without a name", withManifest(guest("denies"), { version: "1", abi: 1 }), /name is missing; expected a string/],
    ["with an unknown key", withManifest(guest("denies"), { ...MANIFEST, fixture: [] }), /unrecognized key/i],
    ["that is nested deep", withManifest(guest("denies"), `${"[".repeat(5_000)}`), /nested/],
  ])("%s says so, and ignores the manifest", async (_, module, message) => {
    const result = await inspect(module, "--json");
    expect(result.exitCode).toBe(1);
    const { manifest, problems } = dataOf(result);
    expect(manifest).toBeNull();
    expect(problems).toEqual([{ code: "HOOK_MODULE_MANIFEST", message: expect.stringMatching(message) }]);
  });

  test("under another section name ignores it", async () => {
    const result = await inspect(withManifest(guest("denies"), "{", "hookbox:manifests"), "--json");
    expect(result.exitCode).toBe(0);
    expect(dataOf(result).manifest).toBeNull();
  });

  test("that asks for other capabilities than the imports cannot change what is reported", async () => {
    const result = await inspect(withManifest(guest("denies"), { ...MANIFEST, wants: ["hosts"] }), "--json");
    expect(dataOf(result)).toMatchObject({ capabilities: [], summary: expect.stringContaining("no network") });
  });
});

test("a folder that is named like a guard is no guard", async () => {
  const place = project();
  mkdirSync(join(place.folder, "guard.wasm"));
  expect(await inProcess(["inspect", "guard.wasm"], { cwd: place.folder })).toMatchObject({ exitCode: 2 });
});
