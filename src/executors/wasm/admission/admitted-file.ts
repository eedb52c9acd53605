import { isJsonObject } from "../../../event.ts";
import type { AdmittedCode } from "./admission.ts";

/** Admitted code as bytes: one line of JSON that describes it, and the module behind that. */

const NEWLINE = 0x0a;

export function encodeAdmitted({
  digest,
  imports,
  startExports,
  memoryPages,
  codeBytes,
  claims,
  state,
  bytes,
}: AdmittedCode): Buffer {
  return Buffer.concat([
    Buffer.from(`${JSON.stringify({ digest, imports, startExports, memoryPages, codeBytes, claims, state })}\n`),
    bytes,
  ]);
}

/** `undefined` for anything else. Whoever calls has checked the digest of `content`, and leaves it alone from here on. */
export function decodeAdmitted(content: Buffer): AdmittedCode | undefined {
  const end = content.indexOf(NEWLINE);
  if (end < 0) return undefined;
  const head = headOf(content.toString("utf8", 0, end));
  if (head === undefined) return undefined;
  return {
    ok: true,
    ...head,
    bytes: new Uint8Array(content.buffer as ArrayBuffer, content.byteOffset + end + 1, content.length - end - 1),
  };
}

type Head = Omit<AdmittedCode, "ok" | "bytes">;

function headOf(text: string): Head | undefined {
  try {
    const head: unknown = JSON.parse(text);
    if (!isJsonObject(head)) return undefined;
    const { digest, imports, startExports, memoryPages, claims, state } = head;
    const isHead =
      typeof digest === "string" &&
      Array.isArray(imports) &&
      Array.isArray(startExports) &&
      typeof memoryPages === "number" &&
      isJsonObject(state) &&
      (claims === undefined || isJsonObject(claims));
    return isHead ? (head as unknown as Head) : undefined;
  } catch {
    return undefined;
  }
}
