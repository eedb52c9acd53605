/**
 * Where the lines of a bundle come from. `mappings` is like that of a source map, version 3, with two differences. Each
 * line begins again from nothing, so that a guard that is failing need not pay for reading all lines before the one it
 * looks for; and a bundler may leave out segments: the nearest one before a place on its line counts.
 */
export interface LineTable {
  /** The name that the engine gives the bundle, as it stands in stacks. */
  readonly file: string;
  /** Relative to the guard's folder, with `/`. Files of this library begin with `hookbox/guest/`. */
  readonly sources: readonly string[];
  readonly mappings: string;
}

interface Place {
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/** Frames of this library say nothing to an author. */
const OWN = "hookbox/guest/";

const MAX_FRAMES = 12;

/**
 * Rewrites the frames of a stack to the author's files: `    at handle (guard.ts:12:9)`, one a line. Frames of the
 * bundle that have no place in a source, and those of this library, are left out; of equal ones that follow each
 * other, as in a recursion, the first is shown.
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

/** Finds the source of a place in the bundle; lines and columns count from 1, as in stacks. */
function placesOf({ mappings, sources }: LineTable): (line: number, column: number) => Place | undefined {
  const lines = mappings.split(";");
  return (line, column) => {
    let [generated, source, row, at] = [0, 0, 0, 0];
    let best: Place | undefined;
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
    }
    return best;
  };
}

/** Numbers of five bits a digit, lowest first; the sixth bit says that there is more, the lowest is the sign. */
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
