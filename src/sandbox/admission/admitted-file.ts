import { isJsonObject, type JsonObject } from "../../json.ts";
import type { AdmittedCode } from "./admitted-module.ts";
import type { EngineGuard } from "./engine-guard.ts";

/**
 * The file format of an admitted module: one line of JSON that describes the module, then its bytes. The file of a
 * guard of the shared engine contains the guard's data and its manifest instead.
 */

const NEWLINE = 0x0a;

export function encodeAdmitted(admitted: AdmittedCode | EngineGuard): Buffer {
  if ("bytes" in admitted) {
    const { ok: _, bytes, ...head } = admitted;
    return encoded(head, bytes);
  }
  const { ok: _, data, manifest, ...head } = admitted;
  const guard = { ...head, dataBytes: data.byteLength, hasManifest: manifest !== undefined };
  return encoded(guard, data, manifest ?? new Uint8Array(0));
}

function encoded(head: object, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...parts]);
}

/**
 * Decodes a file. Returns `undefined` for bytes in another format. The caller must have checked the digest of
 * `content`, and must not change `content` afterwards, because the result refers to its memory.
 */
export function decodeAdmitted(content: Buffer): AdmittedCode | EngineGuard | undefined {
  const end = content.indexOf(NEWLINE);
  if (end < 0) return undefined;
  const head = headOf(content.toString("utf8", 0, end));
  if (head === undefined) return undefined;
  const start = content.byteOffset + end + 1;
  const rest = new Uint8Array(content.buffer as ArrayBuffer, start, content.length - end - 1);
  if ("state" in head) return { ok: true, ...head, bytes: rest };
  const { dataBytes, hasManifest, ...guard } = head;
  const manifest = hasManifest ? rest.subarray(dataBytes) : undefined;
  return { ok: true, ...guard, claims: guard.claims, data: rest.subarray(0, dataBytes), manifest };
}

type CodeHead = Omit<AdmittedCode, "ok" | "bytes">;
type GuardHead = Omit<EngineGuard, "ok" | "data" | "manifest"> & {
  readonly dataBytes: number;
  readonly hasManifest: boolean;
};

function headOf(text: string): CodeHead | GuardHead | undefined {
  try {
    const head: unknown = JSON.parse(text);
    if (!isJsonObject(head)) return undefined;
    const { digest, imports, startExports, memoryPages, isLight, claims, state } = head;
    const isHead =
      typeof digest === "string" &&
      Array.isArray(imports) &&
      Array.isArray(startExports) &&
      typeof memoryPages === "number" &&
      ((isJsonObject(state) && typeof isLight === "boolean") || isGuard(head)) &&
      (claims === undefined || isJsonObject(claims));
    return isHead ? (head as unknown as CodeHead | GuardHead) : undefined;
  } catch {
    return undefined;
  }
}

function isGuard({ pages, dataBytes, hasManifest, state }: JsonObject): boolean {
  const areNumbers = typeof pages === "number" && typeof dataBytes === "number";
  return areNumbers && typeof hasManifest === "boolean" && state === undefined;
}
