import { readStrictJson } from "../../strict-json.ts";
import type { ModuleSection } from "../../wasm-binary/module-sections.ts";
import { Cursor } from "../../wasm-binary/operators.ts";
import { MANIFEST_SECTION } from "../guest/guest-abi.ts";
import type { Manifest } from "./manifest-schema.ts";
import { isPlainManifest } from "./plain-manifest.ts";
import { type RefusedModule, refusedModule } from "./refusal.ts";

const MAX_MANIFEST_BYTES = 1_048_576;

/** Reads a module's manifest. Resolves to `undefined` if the module has none, because a manifest is optional. */
export async function readManifest(
  file: Uint8Array,
  sections: readonly ModuleSection[],
): Promise<{ readonly ok: true; readonly manifest: Manifest } | RefusedModule | undefined> {
  const [text, another] = sections.flatMap((section) => manifestText(file, section) ?? []);
  if (text === undefined) return undefined;
  if (another !== undefined) return refuse(`has more than one section ${MANIFEST_SECTION}`);
  if (text.byteLength > MAX_MANIFEST_BYTES)
    return refuse(`has a manifest of ${text.byteLength} bytes; the limit is ${MAX_MANIFEST_BYTES}`);
  const json = readStrictJson(text, "manifest");
  if (!json.ok) return refuse(`has a manifest that cannot be used: the ${json.message}`);
  if (isPlainManifest(json.value, json.text)) return { ok: true, manifest: json.value as unknown as Manifest };
  const { parseManifest } = await import("./manifest-schema.ts");
  const parsed = parseManifest(json.value);
  return parsed.ok ? parsed : refuse(`has a manifest that cannot be used: ${parsed.message}`);
}

function refuse(message: string): RefusedModule {
  return refusedModule("HOOK_MODULE_MANIFEST", "unavailable", message);
}

function manifestText(file: Uint8Array, { id, content, end }: ModuleSection): Uint8Array | undefined {
  if (id !== 0) return undefined;
  const cursor = new Cursor(file, content);
  const start = cursor.leb() + cursor.at;
  const name = Buffer.from(file.subarray(cursor.at, Math.min(start, end))).toString("latin1");
  return name === MANIFEST_SECTION ? file.subarray(start, end) : undefined;
}
