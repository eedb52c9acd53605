import { isJsonObject } from "../../event.ts";
import type { AdmittedCode } from "./admission.ts";

/** Admitted code as bytes: one line of JSON that describes it, and the module behind that. */

const NEWLINE = 0x0a;

export function encodeAdmitted({
  digest,
  imports,
  memoryPages,
  codeBytes,
  claims,
  state,
  bytes,
}: AdmittedCode): Buffer {
  return Buffer.concat([
    Buffer.from(`${JSON.stringify({ digest, imports, memoryPages, codeBytes, claims, state })}\n`),
    bytes,
  ]);
}

/** `undefined` for anything else. Whoever calls has checked the digest of `content`. */
export function decodeAdmitted(content: Buffer): AdmittedCode | undefined {
  const end = content.indexOf(NEWLINE);
  if (end < 0) return undefined;
  const head = headOf(content.toString("utf8", 0, end));
  return head === undefined ? undefined : { ok: true, ...head, bytes: Uint8Array.from(content.subarray(end + 1)) };
}

type Head = Omit<AdmittedCode, "ok" | "bytes">;

function headOf(text: string): Head | undefined {
  try {
    const head: unknown = JSON.parse(text);
    if (!isJsonObject(head)) return undefined;
    const { digest, imports, memoryPages, claims, state } = head;
    const isHead =
      typeof digest === "string" &&
      Array.isArray(imports) &&
      typeof memoryPages === "number" &&
      isJsonObject(state) &&
      (claims === undefined || isJsonObject(claims));
    return isHead ? (head as unknown as Head) : undefined;
  } catch {
    return undefined;
  }
}
