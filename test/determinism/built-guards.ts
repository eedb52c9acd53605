import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { buildGuard } from "../../src/authoring/build.ts";

/** Guards whose bytes are compared with a golden file: across machines and Node versions. */

const folderOf = (path: string): string => fileURLToPath(new URL(`../../${path}/`, import.meta.url));

export const GUARD_FOLDERS: Readonly<Record<string, string>> = {
  "word-guard": folderOf("guest-sdk/typescript/example"),
  "reads-shell": folderOf("test/fixtures/guards/reads-shell"),
  "reads-versions": folderOf("test/fixtures/guards/reads-versions"),
};

const GOLDEN = new URL("golden-builds.json", import.meta.url);

/** sha256 of a module, by the name of its guard. */
type BuildDigests = Readonly<Record<string, string>>;

export async function digestOfBuild(build: typeof buildGuard, folder: string): Promise<string> {
  const { wasm } = await build(folder);
  return createHash("sha256").update(wasm).digest("hex");
}

export async function digestsOfBuilds(build: typeof buildGuard): Promise<BuildDigests> {
  const digests: Record<string, string> = {};
  for (const [name, folder] of Object.entries(GUARD_FOLDERS)) digests[name] = await digestOfBuild(build, folder);
  return digests;
}

export function readGoldenBuilds(): BuildDigests {
  return JSON.parse(readFileSync(GOLDEN, "utf8")) as BuildDigests;
}

export function writeGoldenBuilds(digests: BuildDigests): void {
  writeFileSync(GOLDEN, `${JSON.stringify(digests, null, 2)}\n`);
}
