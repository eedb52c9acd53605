/** Log lines of one guest call, up to a limit. */

export interface LogLimits {
  readonly logLines: number;
  readonly logBytes: number;
}

export class GuestLog {
  #limits: LogLimits = { logLines: 0, logBytes: 0 };
  #lines: string[] = [];
  #bytes = 0;
  #notKept = 0;

  /** Resets the log for the next call. */
  begin(limits: LogLimits): void {
    this.#limits = limits;
    this.#lines = [];
    this.#bytes = 0;
    this.#notKept = 0;
  }

  get lines(): readonly string[] {
    const more = this.#notKept;
    return more === 0
      ? this.#lines
      : [...this.#lines, `${more} more ${more === 1 ? "line was" : "lines were"} not kept`];
  }

  /** Whether at least a part of another line would be kept. */
  get hasRoom(): boolean {
    return this.#lines.length < this.#limits.logLines && this.#bytes < this.#limits.logBytes;
  }

  note(level: string, line: Uint8Array): void {
    if (!this.hasRoom) {
      this.#notKept += 1;
      return;
    }
    const text = new TextDecoder().decode(line.subarray(0, this.#limits.logBytes - this.#bytes));
    this.#bytes += line.byteLength;
    this.#lines.push(`${level}: ${text}`);
  }
}
