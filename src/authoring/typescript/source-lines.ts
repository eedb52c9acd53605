/** Reads the parts of a source map's `mappings` (version 3) that stack frames and messages need. */

export interface Segment {
  /** The column. All numbers of a segment count from 0. */
  readonly generatedColumn: number;
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

export interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

const DIGITS = new Map(
  [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].map((char, value) => [char, value]),
);

/** Returns the segments of each generated line, ordered by column. */
export function readMappings(mappings: string): readonly (readonly Segment[])[] {
  let source = 0;
  let line = 0;
  let column = 0;
  return mappings.split(";").map((text) => {
    let generatedColumn = 0;
    return text.split(",").flatMap((encoded): Segment[] => {
      const [generated = 0, toSource, toLine = 0, toColumn = 0] = readNumbers(encoded);
      generatedColumn += generated;
      // Code that the bundler has added has no source.
      if (toSource === undefined) return [];
      source += toSource;
      line += toLine;
      column += toColumn;
      return [{ generatedColumn, source, line, column }];
    });
  });
}

/** Decodes base 64 digits: five bits each, and a bit if more digits follow. The lowest bit of a number is its sign. */
function readNumbers(encoded: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const char of encoded) {
    const digit = DIGITS.get(char);
    if (digit === undefined) throw new TypeError(`a source map with the character ${JSON.stringify(char)}`);
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2);
    value = 0;
    shift = 0;
  }
  return numbers;
}

/** Returns the last segment at or before a column, otherwise the first segment of the line. */
export function segmentAt(segments: readonly Segment[], generatedColumn: number): Segment | undefined {
  return segments.findLast((segment) => segment.generatedColumn <= generatedColumn) ?? segments[0];
}
