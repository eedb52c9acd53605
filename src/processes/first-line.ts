/** A hook detaches itself with a short line, or not at all. */
export const MAX_FIRST_LINE_BYTES = 4096;

/** The first line of an output, as it comes in: looked at as long as it may still be one of JSON, and never far. */
export class FirstLine {
  #held: Buffer = Buffer.alloc(0);
  #isOpen = true;

  /** What has come of it, when it may be whole; `undefined` while it is not, and once it is past. */
  take(chunk: Buffer): string | undefined {
    if (!this.#isOpen) return undefined;
    this.#held = Buffer.concat([this.#held, chunk.subarray(0, MAX_FIRST_LINE_BYTES - this.#held.length)]);
    const isFull = this.#held.length === MAX_FIRST_LINE_BYTES;
    const text = this.#held.toString("utf8").trimStart();
    const hasEnd = text.includes("\n");
    const isPast = hasEnd || isFull || (text !== "" && !text.startsWith("{"));
    if (isPast) this.close();
    // Not every hook ends its line before it goes on.
    return text.startsWith("{") && (hasEnd || (!isFull && text.trimEnd().endsWith("}"))) ? text : undefined;
  }

  close(): void {
    this.#isOpen = false;
    this.#held = Buffer.alloc(0);
  }
}

/** The output after its first line. */
export function afterFirstLine(output: string): string {
  const start = output.trimStart();
  const end = start.indexOf("\n");
  return end === -1 ? "" : start.slice(end + 1);
}
