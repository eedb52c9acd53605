import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { ManifestSchema } from "../../src/sandbox/admission/manifest-schema.ts";
import { isPlainManifest } from "../../src/sandbox/admission/plain-manifest.ts";
import { MANIFEST_SECTION } from "../../src/sandbox/guest/guest-abi.ts";
import { customSection } from "../../src/wasm-binary/custom-section.ts";
import fc from "../helpers/fc.ts";

const isPlain = (manifest: unknown): boolean => {
  const text = JSON.stringify(manifest);
  return isPlainManifest(JSON.parse(text) as JsonObject, text);
};

const fixture = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 5 }),
    event: fc.record({ hook_event_name: fc.string(), tool_input: fc.jsonValue() }),
    config: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
    decision: fc.constantFrom("allow", "deny", "ask", "defer", "none"),
    reason: fc.string(),
  },
  { requiredKeys: ["name", "event", "decision"] },
);
const manifest = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 100 }),
    version: fc.string({ minLength: 1, maxLength: 100 }),
    abi: fc.constant(1),
    description: fc.string(),
    events: fc.array(fc.string(), { maxLength: 3 }),
    wants: fc.array(fc.constantFrom("hosts", "paths", "state", "clock", "random", "wasi"), { maxLength: 3 }),
    config: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
    limits: fc.dictionary(
      fc.constantFrom("fuel", "fuelPerInputByte", "depth", "memoryMiB", "outputBytes", "timeoutMs"),
      fc.integer({ min: 1 }),
    ),
    fixtures: fc.uniqueArray(fixture, { maxLength: 4, selector: ({ name }) => name }),
  },
  { requiredKeys: ["name", "version", "abi"] },
);

/** Any one value in it, replaced by any other, or removed. */
const spoiled = fc
  .tuple(manifest, fc.nat(), fc.option(fc.oneof(fc.jsonValue(), fc.double(), fc.string({ maxLength: 300 }))))
  .map(([whole, at, other]) => {
    const copy = JSON.parse(JSON.stringify(whole)) as JsonObject;
    const places: [Record<string, unknown>, string][] = [];
    const walk = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const key of Object.keys(value)) {
        places.push([value as Record<string, unknown>, key]);
        walk((value as Record<string, unknown>)[key]);
      }
      if (!Array.isArray(value)) places.push([value as Record<string, unknown>, "unknown"]);
    };
    walk(copy);
    const [object, key] = places[at % places.length] ?? [copy, "name"];
    if (other === null) delete object[key];
    else object[key] = other;
    return copy;
  });

test("a plain manifest is accepted by the schema without changes", () => {
  fc.assert(
    fc.property(fc.oneof(manifest, spoiled), (drawn) => {
      const value = JSON.parse(JSON.stringify(drawn)) as JsonObject;
      if (isPlain(drawn)) expect(ManifestSchema.parse(value)).toEqual(value);
    }),
    { numRuns: 2_000 },
  );
});

test("well-formed manifests are plain, whatever their texts are", () => {
  fc.assert(
    fc.property(manifest, (drawn) => {
      expect(isPlain(drawn) || JSON.stringify(drawn).includes("__proto__")).toBe(true);
    }),
  );
});

test.each(["shell-guard", "secret-guard"])("the manifest of %s is plain", (name) => {
  const module = readFileSync(join(import.meta.dirname, "../../dist/guards", `${name}.wasm`));
  const text = new TextDecoder().decode(customSection(module, MANIFEST_SECTION));
  expect(isPlainManifest(JSON.parse(text) as JsonObject, text)).toBe(true);
});

test.each<[string, object]>([
  ["an unknown key", { nme: "x" }],
  ["another ABI", { abi: 2 }],
  ["a name without letters", { name: "" }],
  ["a fraction as a limit", { limits: { fuel: 1.5 } }],
  [
    "two fixtures of one name",
    { fixtures: ["a", "a"].map((name) => ({ name, event: { hook_event_name: "Stop" }, decision: "deny" })) },
  ],
  ["a fixture that blocks", { fixtures: [{ name: "a", event: { hook_event_name: "Stop" }, decision: "block" }] }],
  [
    "a fixture with a world",
    { fixtures: [{ name: "a", event: { hook_event_name: "Stop" }, decision: "deny", given: {} }] },
  ],
])("a manifest with %s is left to the schema", (_, parts) => {
  expect(isPlain({ name: "n", version: "1", abi: 1, ...parts })).toBe(false);
});
