import { join } from "node:path";
import type { z } from "zod";
import { readDocument } from "../config/document.ts";
import { readRegularFile } from "../config/read-file.ts";
import { hintForIssue, hintOf, knownKeys, reportedIssues } from "../dialects/config-problems.ts";
import { describeThrown, type Problem } from "../errors.ts";
import { type admission, loadAdmission } from "../sandbox/index.ts";
import { describeIssue } from "../schema-issue.ts";
import { suggest } from "../suggest.ts";
import { BuildError } from "./build-error.ts";

/** Reads and validates `manifest.json` and `fixtures.json` next to a guard's source. */

const MANIFEST_FILE = "manifest.json";
const FIXTURES_FILE = "fixtures.json";

/** Reads the fixtures. Returns none if there is no file. Throws `HOOK_BUILD_FILE` with the place of each problem. */
export async function readFixtures(folder: string): Promise<readonly admission.Fixture[]> {
  const { FixturesSchema } = await loadAdmission();
  return (await readSourceJson(join(folder, FIXTURES_FILE), FixturesSchema, placeInTests)) ?? [];
}

export async function readManifestFile(folder: string): Promise<admission.Manifest> {
  const file = join(folder, MANIFEST_FILE);
  const { ManifestSchema } = await loadAdmission();
  const manifest = await readSourceJson(file, ManifestSchema.omit({ fixtures: true }));
  if (manifest !== undefined) return manifest;
  throw new BuildError([
    {
      severity: "error",
      code: "HOOK_BUILD_FILE",
      message: "a guard in C or Rust needs a manifest.json in its folder",
      hint: 'for example: { "name": "my-guard", "version": "1.0.0", "abi": 1, "events": ["PreToolUse"] }',
      place: { file },
    },
  ]);
}

/** Returns the beginning of a problem about a test, such as `the test "a" (number 1): `. */
function placeInTests(path: Path, tests: unknown): string {
  const [index] = path;
  if (typeof index !== "number") return "";
  const name = Array.isArray(tests) ? (tests[index] as { readonly name?: unknown } | null)?.name : undefined;
  const test =
    typeof name === "string" && name !== "" ? `the test "${name}" (number ${index + 1})` : `test number ${index + 1}`;
  return `${test}: `;
}

async function readSourceJson<Value>(
  file: string,
  schema: z.ZodType<Value>,
  describePlace: (path: Path, value: unknown) => string = () => "",
): Promise<Value | undefined> {
  let text: string;
  try {
    text = await readRegularFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new BuildError([sourceProblem(`cannot be read: ${describeThrown(error)}`, { file })]);
  }
  const read = await readDocument(text, file);
  if (!read.ok) {
    const [first] = read.problems;
    throw new BuildError([{ ...sourceProblem("cannot be read", { file }), ...first, code: "HOOK_BUILD_FILE" }]);
  }
  const { value, locate } = read.document;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first, ...rest] = reportedIssues(result.error.issues, schema, value).flatMap((issue): Problem[] => {
    const path = issue.path.filter((part): part is string | number => typeof part !== "symbol");
    if (issue.code !== "unrecognized_keys") {
      const prefix = describePlace(path, value);
      const inside = prefix === "" ? issue : { ...issue, path: path.slice(1) };
      const about = describeIssue(inside, prefix === "" ? value : (value as unknown[])[path[0] as number]);
      return [{ ...sourceProblem(`${prefix}${about}`, locate(path, "value")), ...hintOf(hintForIssue(issue, value)) }];
    }
    const known = knownKeys(schema, path);
    const prefix = describePlace(path, value);
    const within = (prefix === "" ? path : path.slice(1)).join(".");
    return issue.keys.map((key) => ({
      ...sourceProblem(
        `${prefix}${within === "" ? "" : `${within}: `}unknown key "${key}"`,
        locate([...path, key], "key"),
      ),
      ...hintOf(suggest(key, known)),
    }));
  });
  throw new BuildError([first ?? sourceProblem("does not follow its format", { file }), ...rest]);
}

type Path = readonly (string | number)[];

function sourceProblem(message: string, place: Problem["place"] & {}): Problem {
  return { severity: "error", code: "HOOK_BUILD_FILE", message, place };
}
