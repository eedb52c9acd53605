import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/sandbox/admission/manifest.ts";
import { readModule } from "../../src/wasm-binary/module-binary.ts";
import fc from "../helpers/fc.ts";
import { guest, HANDLE, sectionsOf, spliced, wat, withManifest } from "../helpers/guests.ts";

const MODULE = guest("denies");
const MANIFEST = { name: "no-nails", version: "1", abi: 1 };
const FIXTURE = { name: "one", event: { hook_event_name: "PreToolUse" }, decision: "deny" };

const read = (module: Uint8Array<ArrayBuffer>): ReturnType<typeof readManifest> => {
  expect(WebAssembly.validate(module)).toBe(true);
  return readManifest(module, readModule(module).sections);
};

describe("a manifest", () => {
  test("does not exist if the module has none, or only sections with other names", async () => {
    expect(await read(MODULE)).toBeUndefined();
    for (const name of ["", "name", "hookbox:manifest2", "hookbox:manifes", "Hookbox:manifest"]) {
      expect(await read(withManifest(MODULE, "?", name))).toBeUndefined();
    }
  });

  test("is what its author wrote", async () => {
    // A character may be several UTF-16 units, which the limits count; and zod drops a key `__proto__`.
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
      .filter((one) => one.length <= 100 && one !== "__proto__");
    const manifests = fc.record(
      {
        name: text,
        version: text,
        abi: fc.constant(1),
        description: text,
        events: fc.array(text),
        wants: fc.subarray(["hosts", "paths", "state", "clock", "random", "wasi"]),
        limits: fc.record({ fuel: fc.integer({ min: 1 }), memoryMiB: fc.integer({ min: 1 }) }, { requiredKeys: [] }),
        config: fc.dictionary(text, fc.record({ type: text })),
        fixtures: fc.uniqueArray(
          fc.string({ minLength: 1, maxLength: 9 }).map((name) => ({ ...FIXTURE, name })),
          {
            selector: ({ name }) => name,
          },
        ),
      },
      { requiredKeys: ["name", "version", "abi"] },
    );
    await fc.assert(
      fc.asyncProperty(manifests, async (manifest) => {
        expect(await read(withManifest(MODULE, manifest))).toEqual({ ok: true, manifest });
      }),
      { numRuns: 50 },
    );
  });

  test("is found wherever it is, and however its lengths are encoded", async () => {
    const text = JSON.stringify(MANIFEST);
    const name = Buffer.from("hookbox:manifest");
    // 16 as two bytes.
    const content = Buffer.concat([Buffer.from([0x90, 0x00]), name, Buffer.from(text)]);
    const section = Buffer.concat([Buffer.from([0, content.length | 0x80, 0x00]), content]);
    const [first] = sectionsOf(MODULE);
    const places = [8, first?.end ?? 8, MODULE.byteLength];
    for (const start of places) {
      expect(await read(spliced(MODULE, { start, end: start }, section))).toEqual({ ok: true, manifest: MANIFEST });
    }
  });

  test("that occurs twice is refused, whether one or both could be used", async () => {
    for (const other of [MANIFEST, "?", ""]) {
      expect(await read(withManifest(withManifest(MODULE, MANIFEST), other))).toMatchObject({
        ok: false,
        code: "HOOK_MODULE_MANIFEST",
        message: "has more than one section hookbox:manifest",
      });
    }
  });

  test.each<[string, unknown]>([
    ["a fixture with an unknown key", { fixtures: [{ ...FIXTURE, decison: "deny" }] }],
    ["a fixture without an event", { fixtures: [{ name: "one", decision: "deny" }] }],
    ["a fixture whose event has no name", { fixtures: [{ ...FIXTURE, event: {} }] }],
    ["a fixture that expects what no guard says", { fixtures: [{ ...FIXTURE, decision: "maybe" }] }],
    ["two fixtures with one name", { fixtures: [FIXTURE, FIXTURE] }],
    ["a fixture without a name", { fixtures: [{ ...FIXTURE, name: "" }] }],
    ["a wish for what there is not", { wants: ["root"] }],
    ["a limit below nothing", { limits: { fuel: -1 } }],
    ["an unknown limit", { limits: { cpu: 1 } }],
    ["a name that is too long", { name: "n".repeat(101) }],
    ["a description that is too long", { description: "d".repeat(1_001) }],
  ])("with %s is refused, with the place of the problem", async (_, parts) => {
    expect(await read(withManifest(MODULE, { ...MANIFEST, ...(parts as object) }))).toMatchObject({
      ok: false,
      code: "HOOK_MODULE_MANIFEST",
      kind: "unavailable",
      message: expect.stringMatching(/^has a manifest that cannot be used: \w/),
    });
  });

  test("is read from bytes that no code of the module can change", async () => {
    const module = wat(`(module (memory 1) (data (i32.const 0) "hookbox:manifest{}") ${HANDLE})`);
    expect(await read(module)).toBeUndefined();
  });
});
