/** Cuts text by bytes, never within a character. */

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
