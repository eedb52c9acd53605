/**
 * Maps lines of a bundle to the author's files. `mappings` is like that of a source map, version 3, with two
 * differences. Each line starts with fresh numbers, so that a failing guard reads only the line that it needs. A
 * bundler may omit segments: a place is as far from the nearest segment before it as in the source.
 */
export interface LineTable {
  /** The name of the bundle in the engine's stacks. */
  readonly file: string;
  /** The sources, relative to the guard's folder, with `/`. Files of this library begin with `hookbox/guest/`. */
  readonly sources: readonly string[];
  readonly mappings: string;
}

interface Place {
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/** The prefix of this library's files. Their frames are left out, because they do not help an author. */
const OWN = "hookbox/guest/";

const MAX_FRAMES = 12;

/**
 * Rewrites the frames of a stack to the author's files, one per line: `    at handle (guard.ts:12:9)`. Leaves out
 * frames of this library, and frames of the bundle without a source. If equal frames follow each
 * other, as in a recursion, only the first is shown.
 */
export function mapStack(stack: string, table: LineTable | undefined): string[] {
  const places = table === undefined ? undefined : placesOf(table);
  const frames: string[] = [];
  let before: string | undefined;
  for (const line of stack.split("\n")) {
    if (line === before) continue;
    before = line;
    const frame = /^\s*at (?:(.*) \((.*)\)|(.*))$/.exec(line);
    if (frame === null) continue;
    const place = frame[2] ?? frame[3] ?? "";
    const name = frame[1];
    const [, file, row = "0", column = "1"] = /^(.*?):(\d+)(?::(\d+))?$/.exec(place) ?? [];
    if (table === undefined || places === undefined || file !== table.file) frames.push(`    ${line.trim()}`);
    else {
      const found = places(Number(row), Number(column));
      if (found === undefined || found.source.startsWith(OWN)) continue;
      const where = `${found.source}:${found.line}:${found.column}`;
      frames.push(name === undefined || name === "" ? `    at ${where}` : `    at ${name} (${where})`);
    }
    if (frames.length === MAX_FRAMES) break;
  }
  return frames;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Returns a function that finds the source of a place in the bundle. Lines and columns count from 1, as in stacks. */
function placesOf({ mappings, sources }: LineTable): (line: number, column: number) => Place | undefined {
  const lines = mappings.split(";");
  return (line, column) => {
    let [generated, source, row, at] = [0, 0, 0, 0];
    let best: Place | undefined;
    let bestGenerated = 0;
    for (const segment of lines[line - 1]?.split(",") ?? []) {
      const [advance, sourceStep, rowStep, columnStep] = decodeSegment(segment);
      if (advance === undefined || sourceStep === undefined || rowStep === undefined || columnStep === undefined) break;
      generated += advance;
      if (best !== undefined && generated > column - 1) break;
      source += sourceStep;
      row += rowStep;
      at += columnStep;
      const name = sources[source];
      best = name === undefined ? undefined : { source: name, line: row + 1, column: at + 1 };
      bestGenerated = generated;
    }
    return best && { ...best, column: best.column + Math.max(0, column - 1 - bestGenerated) };
  };
}

/**
 * Decodes numbers with five bits per digit, lowest first. The sixth bit says that more digits follow; the lowest bit is
 * the sign.
 */
function decodeSegment(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = BASE64.indexOf(digit);
    value += (bits & 31) << shift;
    if ((bits & 32) !== 0) {
      shift += 5;
      continue;
    }
    numbers.push((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}
