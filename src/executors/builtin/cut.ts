/** Cutting text by bytes, never within a character, with a line that says so. */

/** The first bytes of a text, or the last; as it is when it fits. */
export function cutToBytes(text: string, maxBytes: number, keep: "head" | "tail"): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const kept = keep === "head" ? headOf(bytes, maxBytes) : tailOf(bytes, maxBytes);
  const notice = `[cut at ${maxBytes} bytes]`;
  return keep === "head" ? `${kept}\n${notice}` : `${notice}\n${kept}`;
}

export function headOf(bytes: Buffer, maxBytes: number): string {
  let end = Math.min(maxBytes, bytes.length);
  if (end < bytes.length) while (end > 0 && isWithinCharacter(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

export function tailOf(bytes: Buffer, maxBytes: number): string {
  let start = Math.max(0, bytes.length - maxBytes);
  while (start > 0 && start < bytes.length && isWithinCharacter(bytes[start])) start += 1;
  return bytes.toString("utf8", start);
}

function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
