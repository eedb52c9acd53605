import type { AdmittedCode } from "./admission.ts";
import type { StateExports } from "./rewrite.ts";

/** Admitted code as bytes: one line of JSON that describes it, and the module behind that. */

const NEWLINE = 0x0a;

export function encodeAdmitted({ digest, imports, memoryPages, state, bytes }: AdmittedCode): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ digest, imports, memoryPages, state })}\n`), bytes]);
}

/** `undefined` for anything else. Whoever calls has checked the digest of `content`. */
export function decodeAdmitted(content: Buffer): AdmittedCode | undefined {
  const end = content.indexOf(NEWLINE);
  if (end < 0) return undefined;
  const head = JSON.parse(content.toString("utf8", 0, end)) as {
    readonly digest: string;
    readonly imports: readonly string[];
    readonly memoryPages: number;
    readonly state: StateExports;
  };
  return { ok: true, ...head, bytes: Uint8Array.from(content.subarray(end + 1)) };
}
