/** The maximum length of the line with which a hook detaches itself. */
export const MAX_FIRST_LINE_BYTES = 4096;

/** Reads the first line of an output while it arrives, up to a limit, if it may be JSON. */
export class FirstLine {
  #held: Buffer = Buffer.alloc(0);
  #isOpen = true;

  /** Returns the line when it may be complete. Returns `undefined` before that, and after the first result. */
  take(chunk: Buffer): string | undefined {
    if (!this.#isOpen) return undefined;
    this.#held = Buffer.concat([this.#held, chunk.subarray(0, MAX_FIRST_LINE_BYTES - this.#held.length)]);
    const isFull = this.#held.length === MAX_FIRST_LINE_BYTES;
    const text = this.#held.toString("utf8").trimStart();
    const hasEnd = text.includes("\n");
    const isPast = hasEnd || isFull || (text !== "" && !text.startsWith("{"));
    if (isPast) this.close();
    // Some hooks print no newline after the JSON.
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
