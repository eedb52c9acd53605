import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildGuard } from "../../src/authoring/build.ts";
import { engineWithoutGuard } from "../../src/authoring/typescript/snapshot.ts";
import { WasmExecutor } from "../../src/executors/wasm/wasm-executor.ts";
import { admitCode } from "../../src/sandbox/admission/admission.ts";
import { recognise, wholeModule } from "../../src/sandbox/admission/engine-guard.ts";
import { grantsToLoad } from "../../src/sandbox/admission/inspection.ts";
import { GRANTABLE } from "../../src/sandbox/grants/grants.ts";
import { ABSENT_NAMESPACE } from "../../src/sandbox/guest/guest-abi.ts";
import { readEngine } from "../../src/sandbox/index.ts";
import { sharedEngine } from "../../src/sandbox/modules/shared-engine.ts";
import { leb128 } from "../../src/wasm-binary/leb128.ts";
import { LIMITS, runToReply, toolEvent, wasmRule } from "../executors/wasm/wasm-rule.ts";
import fc from "../helpers/fc.ts";
import { customSection, sectionsOf, withManifest } from "../helpers/guests.ts";
import { MIB, requirements, sha256 } from "./module-requirements.ts";

const ROOT = join(import.meta.dirname, "../..");
const SHIPPED = ["shell-guard", "secret-guard"] as const;
const shipped = (name: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(readFileSync(join(ROOT, "dist/guards", `${name}.wasm`)));
const BARE = await engineWithoutGuard(await readEngine());
const ALL = grantsToLoad(GRANTABLE);
const engine = sharedEngine();
if (engine === undefined) throw new Error("the build has left no engine");

const recognised = (file: Uint8Array, parts: { readonly memoryBytes?: number; readonly function?: string } = {}) =>
  recognise(file, sha256(file), { ...requirements(), ...parts }, engine);

type Content = readonly [id: number, content: Iterable<number>];

const contentsOf = (file: Uint8Array): readonly Content[] =>
  sectionsOf(file).map(({ id, content, end }) => [id, file.subarray(content, end)]);

/** Returns a module of these sections, each with the header that `hookbox build` writes. */
function moduleOf(contents: readonly Content[]): Uint8Array<ArrayBuffer> {
  const pieces = contents.flatMap(([id, content]) => {
    const bytes = Uint8Array.from(content);
    return [Uint8Array.from([id, ...leb128(bytes.byteLength)]), bytes];
  });
  return Uint8Array.from(Buffer.concat([BARE.subarray(0, 8), ...pieces]));
}

/** Returns the engine with other contents for some sections. */
const engineWith = (contents: Readonly<Record<number, Iterable<number>>>, file = BARE): Uint8Array<ArrayBuffer> =>
  moduleOf(contentsOf(file).map(([id, content]): Content => [id, contents[id] ?? content]));

const MEMORY = 5;
const DATA = 11;
const memory = (initial: number, maximum = 16_384): number[] => [1, 1, ...leb128(initial), ...leb128(maximum)];
/** A number that is not negative, encoded as in `i32.const`. */
const signed = (value: number): number[] => {
  const bytes = leb128(value);
  const last = bytes.at(-1) ?? 0;
  return (last & 0x40) === 0 ? bytes : [...bytes.slice(0, -1), last | 0x80, 0];
};
const segment = (address: number, bytes: Iterable<number>): number[] => {
  const content = [...bytes];
  return [0, 0x41, ...signed(address), 0x0b, ...leb128(content.length), ...content];
};
const data = (...segments: readonly (readonly number[])[]): number[] => [
  ...leb128(segments.length),
  ...segments.flat(),
];
const GUARD = engineWith({ [MEMORY]: memory(3), [DATA]: data(segment(1_024, [1, 2, 3])) });

/** Full admission must give the same bytes as joining the engine and the guard's own parts. */
async function expectEqual(file: Uint8Array<ArrayBuffer>, memoryBytes = 16 * MIB): Promise<void> {
  const guard = await recognised(file, { memoryBytes });
  const full = await admitCode(file, { ...requirements({ memoryBytes }), grants: ALL });
  if (guard === undefined || !full.ok) throw new Error(full.ok ? "the guard was not recognised" : full.message);
  const { bytes, ...rest } = wholeModule(guard, engine as NonNullable<typeof engine>);
  const { bytes: expected, ...described } = full;
  expect(rest).toEqual(described);
  expect(Buffer.from(bytes).equals(expected)).toBe(true);
}

describe("a guard of the shipped engine", () => {
  test.each(SHIPPED)("%s becomes the same bytes as with full admission", async (name) => {
    await expectEqual(shipped(name));
  });

  test.each(["example", ...["clock", "hosts", "paths", "random", "state"].map((name) => `examples/${name}`)])(
    "built by hookbox build from guest-sdk/typescript/%s becomes the same bytes as with full admission",
    async (folder) => {
      const { wasm } = await buildGuard(join(ROOT, "guest-sdk/typescript", folder));
      await expectEqual(wasm);
    },
  );

  test("becomes the same bytes as with full admission for any memory, data, imports and manifest", async () => {
    const imports = contentsOf(BARE).find(([id]) => id === 2)?.[1] as Uint8Array;
    const parts = fc.record({
      pages: fc.integer({ min: 1, max: 40 }),
      maximum: fc.constantFrom(64, 200, 16_384, 65_536),
      memoryMib: fc.constantFrom(4, 8, 16, 64),
      segments: fc.array(fc.tuple(fc.nat(65_000), fc.uint8Array({ maxLength: 500 })), { maxLength: 6 }),
      manifest: fc.option(fc.record({ description: fc.string({ maxLength: 50 }) })),
    });
    await fc.assert(
      fc.asyncProperty(parts, async ({ pages, maximum, memoryMib, segments, manifest }) => {
        const bare = engineWith({
          2: imports,
          [MEMORY]: memory(pages, maximum),
          [DATA]: data(...segments.map(([at, bytes]) => segment(Math.min(at, pages * 65_536 - bytes.length), bytes))),
        });
        const file =
          manifest === null ? bare : withManifest(bare, { name: "drawn", version: "1", abi: 1, ...manifest });
        await expectEqual(file, memoryMib * MIB);
      }),
      { numRuns: 12 },
    );
  });
});

describe("full admission decides about a module", () => {
  const [first = [0, []], ...rest] = contentsOf(GUARD);
  const sections = [first, ...rest];
  const index = (id: number): number => sections.findIndex(([one]) => one === id);
  const changed = (id: number, at = -1): Uint8Array<ArrayBuffer> => {
    const content = Uint8Array.from(sections[index(id)]?.[1] ?? []);
    const place = at < 0 ? content.length + at : at;
    content[place] = (content[place] ?? 0) ^ 1;
    return engineWith({ [id]: content }, GUARD);
  };
  const importsWith = (from: string, to: string): Uint8Array<ArrayBuffer> => {
    const content = Buffer.from(Uint8Array.from(sections[index(2)]?.[1] ?? []));
    const at = content.indexOf(`${String.fromCharCode(from.length)}${from}`, 0, "latin1");
    if (at < 0) throw new Error(`the engine does not import ${from}`);
    const other = Buffer.from(`${String.fromCharCode(to.length)}${to}`, "latin1");
    return engineWith(
      { 2: Buffer.concat([content.subarray(0, at), other, content.subarray(at + 1 + from.length)]) },
      GUARD,
    );
  };
  const paddedHeader = (id: number): Uint8Array<ArrayBuffer> => {
    const { start, content, end } = sectionsOf(GUARD).find((one) => one.id === id) ?? { start: 0, content: 0, end: 0 };
    const size = leb128(end - content);
    const longer = [...size.slice(0, -1), (size.at(-1) ?? 0) | 0x80, 0];
    return Uint8Array.from(
      Buffer.concat([GUARD.subarray(0, start + 1), Uint8Array.from(longer), GUARD.subarray(content)]),
    );
  };
  const manifest = { name: "drawn", version: "1", abi: 1 };

  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ["with one byte of its types changed", changed(1)],
    ["with one byte of its functions changed", changed(3, 200)],
    ["with another table", changed(4)],
    ["with another first value of a global", changed(6, 4)],
    ["with another export", changed(7, 2)],
    ["with another element", changed(9)],
    ["with one byte of its code changed", changed(10, 300_000)],
    ["with the last byte of its code changed", changed(10)],
    ["whose header is another", Uint8Array.from(GUARD, (byte, at) => (at === 4 ? 2 : byte))],
    ["with a start function", moduleOf([...sections.slice(0, index(9)), [8, [26]], ...sections.slice(index(9))])],
    ["with a count of its data", moduleOf([...sections.slice(0, index(10)), [12, [1]], ...sections.slice(index(10))])],
    ["with two sections of code", moduleOf([...sections, sections[index(10)] as Content])],
    ["with two sections of data", moduleOf([...sections, sections[index(DATA)] as Content])],
    ["with two memories", moduleOf([...sections.slice(0, index(6)), [MEMORY, memory(1)], ...sections.slice(index(6))])],
    ["without its exports", moduleOf(sections.filter(([id]) => id !== 7))],
    ["without its data", moduleOf(sections.filter(([id]) => id !== DATA))],
    ["with its sections in another order", moduleOf([...sections.slice(1), first])],
    ["that is another module's beginning", GUARD.slice(0, -2)],
    ["with bytes behind its end", Uint8Array.from([...GUARD, 0])],
    ["with an import of another name", importsWith("alloc", "allot")],
    ["with an import of WASI's namespace", importsWith("extism:host/env", "wasi_snapshot_preview1")],
    ["with an import that no guard may miss made absent", importsWith("extism:host/env", ABSENT_NAMESPACE)],
    ["with an import from where admission links it", importsWith("hookbox:host/env", "hookbox:host/wasi")],
    ["with an import of another type", changed(2)],
    [
      "with one import more",
      engineWith(
        { 2: [...leb128(27), ...Uint8Array.from(sections[index(2)]?.[1] ?? []).slice(1), 1, 97, 1, 97, 0, 0] },
        GUARD,
      ),
    ],
    ["whose memory has no maximum", engineWith({ [MEMORY]: [1, 0, 3] }, GUARD)],
    ["whose memory is shared", engineWith({ [MEMORY]: [1, 3, 3, ...leb128(16_384)] }, GUARD)],
    ["whose memory has 64-bit addresses", engineWith({ [MEMORY]: [1, 5, 3, ...leb128(16_384)] }, GUARD)],
    ["whose memory starts beyond its maximum", engineWith({ [MEMORY]: memory(3, 2) }, GUARD)],
    ["whose memory has more pages than there are", engineWith({ [MEMORY]: memory(3, 65_537) }, GUARD)],
    ["with more memory than its rule gives", engineWith({ [MEMORY]: memory(257) }, GUARD)],
    ["with bytes behind its memory's limits", engineWith({ [MEMORY]: [...memory(3), 0] }, GUARD)],
    ["with data beyond its memory", engineWith({ [DATA]: data(segment(3 * 65_536 - 2, [1, 2, 3])) }, GUARD)],
    ["with data at an address beyond all memory", engineWith({ [DATA]: data([0, 0x41, 0x7f, 0x0b, 1, 1]) }, GUARD)],
    ["with data at the address in a global", engineWith({ [DATA]: data([0, 0x23, 0, 0x0b, 1, 1]) }, GUARD)],
    ["with data at the address in our counter", engineWith({ [DATA]: data([0, 0x23, 1, 0x0b, 1, 1]) }, GUARD)],
    ["with data that is copied later", engineWith({ [DATA]: data([1, 1, 1]) }, GUARD)],
    ["with data for a second memory", engineWith({ [DATA]: data([2, 1, 0x41, 0, 0x0b, 1, 1]) }, GUARD)],
    ["with data longer than its section", engineWith({ [DATA]: [1, 0, 0x41, 0, 0x0b, 5, 1] }, GUARD)],
    ["with fewer segments than it counts", engineWith({ [DATA]: [2, ...segment(0, [1])] }, GUARD)],
    ["with more segments than it counts", engineWith({ [DATA]: [0, ...segment(0, [1])] }, GUARD)],
    ["with a padded address", engineWith({ [DATA]: [1, 0, 0x41, 0x80, 0, 0x0b, 1, 1] }, GUARD)],
    ["with a padded length of data", engineWith({ [DATA]: [1, 0, 0x41, 0, 0x0b, 0x81, 0, 1] }, GUARD)],
    ["with a padded header of its memory", paddedHeader(MEMORY)],
    ["with a padded header of its data", paddedHeader(DATA)],
    ["with a custom section of another name", Uint8Array.from([...GUARD, ...customSection("name", 3)])],
    ["with a custom section before its manifest", withManifest(moduleOf([...sections, [0, [1, 97]]]), manifest)],
    ["with a custom section behind its manifest", Uint8Array.from([...withManifest(GUARD, manifest), 0, 2, 1, 97])],
    ["with two manifests", withManifest(withManifest(GUARD, manifest), manifest)],
    ["with a manifest before its code", moduleOf([[0, [16, ...Buffer.from("hookbox:manifest{}")]], ...sections])],
    ["with a custom section that ends in its name", moduleOf([...sections, [0, [16, 97]]])],
    ["with a manifest that is no JSON", withManifest(GUARD, "{")],
    ["with a manifest with an unknown key", withManifest(GUARD, { ...manifest, abii: 1 })],
  ])("%s", async (_, file) => {
    expect(await recognised(file)).toBeUndefined();
  });

  test("for another function of the rule", async () => {
    expect(await recognised(GUARD, { function: "memory" })).toBeUndefined();
  });

  test("and recognises the unchanged module", async () => {
    expect(await recognised(GUARD)).toMatchObject({ pages: 3, memoryPages: 256, digest: sha256(GUARD) });
    expect(await recognised(withManifest(GUARD, manifest))).toMatchObject({ claims: { fixtures: 0 } });
  });
});

describe("guards that share the compiled engine", () => {
  test("give the same answers for the same fuel as separate modules, even alternately", async () => {
    const executor = new WasmExecutor({ threads: 1, fixtures: "skip" });
    onTestFinished(() => executor.close());
    const commands = ["npm test", "rm -rf /", "git push --force origin main && echo done"];
    for (const memoryBytes of [16 * MIB, 9 * MIB]) {
      const limits = { ...LIMITS, memoryBytes };
      const pairs = SHIPPED.map((name) => {
        const file = shipped(name);
        // A module that is not recognised, and does the same.
        const apart = Uint8Array.from([...file, ...customSection("apart", 1)]);
        return [file, apart].map((one) => wasmRule(one, { handler: { limits } }));
      });
      for (const command of commands) {
        const event = toolEvent({ tool_input: { command } });
        for (const [shared, own] of pairs) {
          if (shared === undefined || own === undefined) throw new Error("a pair has two");
          const answers = await Promise.all([shared, own].map((rule) => runToReply(rule, { executor, event })));
          const [one, other] = answers.map(({ reply, receipt }) => ({
            reply,
            fuel: receipt.fuel,
            memory: receipt.memoryBytes,
          }));
          expect(one).toEqual(other);
          expect(one?.fuel).toBeGreaterThan(0);
        }
      }
    }
  });
});
