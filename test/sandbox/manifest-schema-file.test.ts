import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ManifestSchema, manifestJsonSchema } from "../../src/sandbox/admission/manifest-schema.ts";

const ROOT = join(import.meta.dirname, "../..");

test("the published schema is the schema of manifests that load", () => {
  const published: unknown = JSON.parse(readFileSync(join(ROOT, "dist/guard-manifest.schema.json"), "utf8"));
  expect(published).toEqual(JSON.parse(JSON.stringify(manifestJsonSchema())));
  expect(published).toMatchObject({
    additionalProperties: false,
    required: ["name", "version", "abi"],
    properties: { fixtures: { maxItems: 1_000, items: { additionalProperties: false } } },
  });
  const { properties } = published as { readonly properties: object };
  expect(Object.keys(properties)).toEqual(Object.keys(ManifestSchema.shape));
});

test("the package contains it where the documentation says", () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  expect(exports["./guard-manifest-schema"]).toBe("./dist/guard-manifest.schema.json");
});
