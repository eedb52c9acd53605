/** One line of a stream, or the reason why the line cannot be read. */
export type Line = { readonly text: string } | { readonly unreadable: string; readonly isTooLong?: boolean };

const NEWLINE = 0x0a;

/**
 * Yields the lines of a stream immediately, also a last line without a newline. A line longer than `maxBytes` becomes
 * one unreadable line. Its bytes are dropped, so that memory stays bounded.
 */
export async function* readLines(
  stream: AsyncIterable<Buffer | string>,
  maxBytes: number,
): AsyncGenerator<Line, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (bytes: Buffer): void => {
    length += bytes.byteLength;
    if (length > maxBytes) parts = [];
    else parts.push(bytes);
  };
  const end = (): Line => {
    const line = length > maxBytes ? tooLong(maxBytes) : decoded(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      take(bytes.subarray(from, at));
      yield end();
      from = at + 1;
    }
    if (from < bytes.byteLength) take(bytes.subarray(from));
  }
  if (length > 0) yield end();
  return undefined;
}

function tooLong(maxBytes: number): Line {
  return { unreadable: `the line is longer than ${maxBytes} bytes`, isTooLong: true };
}

function decoded(parts: readonly Buffer[]): Line {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)) };
  } catch {
    return { unreadable: "the line is not valid UTF-8" };
  }
}
