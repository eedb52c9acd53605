import { join } from "node:path";
import type { z } from "zod";
import { readDocument } from "../config/document.ts";
import { readRegularFile } from "../config/read-file.ts";
import { describeThrown, type Problem } from "../errors.ts";
import type { Manifest } from "../executors/wasm/manifest.ts";
import { type Fixture, FixturesSchema, ManifestSchema } from "../executors/wasm/manifest-schema.ts";
import { BuildError } from "./build-error.ts";

/** `manifest.json` and `fixtures.json` beside a guard's source, held to the schema of what they are built into. */

export const MANIFEST_FILE = "manifest.json";
export const FIXTURES_FILE = "fixtures.json";

/** None where there is no file. Throws `HOOK_BUILD_FILE` with the place of each flaw. */
export async function readFixtures(folder: string): Promise<readonly Fixture[]> {
  return (await readSourceJson(join(folder, FIXTURES_FILE), FixturesSchema)) ?? [];
}

export async function readManifestFile(folder: string): Promise<Manifest> {
  const file = join(folder, MANIFEST_FILE);
  const manifest = await readSourceJson(file, ManifestSchema.omit({ fixtures: true }));
  if (manifest !== undefined) return manifest;
  throw new BuildError([
    {
      severity: "error",
      code: "HOOK_BUILD_FILE",
      message: "a guard in C or Rust needs a manifest.json beside its source",
      hint: 'for a start: { "name": "my-guard", "version": "1.0.0", "abi": 1, "events": ["PreToolUse"] }',
      place: { file },
    },
  ]);
}

async function readSourceJson<Value>(file: string, schema: z.ZodType<Value>): Promise<Value | undefined> {
  let text: string;
  try {
    text = await readRegularFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new BuildError([flaw(`cannot be read: ${describeThrown(error)}`, { file })]);
  }
  const read = await readDocument(text, file);
  if (!read.ok) {
    const [first] = read.problems;
    throw new BuildError([{ ...flaw("cannot be read", { file }), ...first, code: "HOOK_BUILD_FILE" }]);
  }
  const result = schema.safeParse(read.document.value);
  if (result.success) return result.data;
  const [first, ...rest] = result.error.issues
    .flatMap((issue) => describeIssue(issue))
    .map(({ path, part, message }): Problem => flaw(message, read.document.locate(path, part)));
  throw new BuildError([first ?? flaw("does not follow its format", { file }), ...rest]);
}

interface Flaw {
  readonly path: readonly (string | number)[];
  readonly part: "key" | "value";
  readonly message: string;
}

function describeIssue(issue: z.core.$ZodIssue): Flaw[] {
  const path = issue.path.filter((part): part is string | number => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], part: "key", message: `there is no key "${key}" here` }));
  }
  const where = path.length === 0 ? "" : `${path.join(".")}: `;
  return [{ path, part: "value", message: `${where}${issue.message.replace(/^Invalid (input|option): /, "")}` }];
}

function flaw(message: string, place: Problem["place"] & {}): Problem {
  return { severity: "error", code: "HOOK_BUILD_FILE", message, place };
}
