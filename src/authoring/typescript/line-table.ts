import type { Segment } from "./source-lines.ts";

/** Adds a table to the script with which the runtime finds an error's place in the author's files. */

/** The free variable through which the generated entry passes the table on. */
export const LINES = "__hookbox_lines";

/** Wraps the script. Adds text to the first and the last line only, so that the script's line numbers do not change. */
export function withLineTable(
  script: string,
  segments: readonly (readonly Segment[])[],
  sources: readonly string[],
  file: string,
): string {
  const kept = sources.map((source) => !source.startsWith("hookbox"));
  const names = kept.flatMap((isKept, index) => (isKept ? [index] : []));
  const mappings = encode(
    segments.map((line) => thinned(line, sources, kept)),
    names,
  );
  const table = { file, sources: names.map((index) => sources[index]), mappings };
  return `(function(${LINES}){${script}})(${JSON.stringify(table)});\n`;
}

/**
 * Drops segments: columns in packages, because lines suffice there, and everything in the guest library. Also drops a
 * segment that is as far from the segment before it as in the source, because the runtime counts columns from there.
 */
function thinned(line: readonly Segment[], sources: readonly string[], kept: readonly boolean[]): readonly Segment[] {
  let last: Segment | undefined;
  return line.filter((segment) => {
    if (kept[segment.source] !== true) return false;
    const isPackage = sources[segment.source]?.startsWith("node_modules/") === true;
    const isNew =
      last?.source !== segment.source ||
      last.line !== segment.line ||
      (!isPackage && segment.column - last.column !== segment.generatedColumn - last.generatedColumn);
    if (isNew) last = segment;
    return isNew;
  });
}

/**
 * Encodes mappings as in a source map, version 3: differences to the previous segment of the line, as base 64 digits of
 * five bits. Differences start at 0 in each line.
 */
function encode(lines: readonly (readonly Segment[])[], names: readonly number[]): string {
  const numbers = new Map(names.map((source, index) => [source, index]));
  const texts = lines.map((line) => {
    let before = { source: 0, line: 0, column: 0 };
    let generated = 0;
    const encoded = line.map((segment) => {
      const source = numbers.get(segment.source) ?? 0;
      const steps = [
        segment.generatedColumn - generated,
        source - before.source,
        segment.line - before.line,
        segment.column - before.column,
      ];
      generated = segment.generatedColumn;
      before = { source, line: segment.line, column: segment.column };
      return steps.map(digits).join("");
    });
    return encoded.join(",");
  });
  return texts.join(";").replace(/;+$/, "");
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function digits(number: number): string {
  let rest = number < 0 ? -number * 2 + 1 : number * 2;
  let text = "";
  do {
    const more = rest > 31 ? 32 : 0;
    text += BASE64.charAt((rest & 31) | more);
    rest = Math.floor(rest / 32);
  } while (rest > 0);
  return text;
}
