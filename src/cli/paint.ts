import { styleText } from "node:util";

export type Paint = (style: Style, text: string) => string;
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Returns a function that colours text if `colour` is set, without examining standard output. */
export function painter(colour: boolean): Paint {
  return colour ? (style, text) => paintText(style, text, { validateStream: false }) : (_, text) => text;
}

/** `styleText` with the options parameter, which Node 20 ignores. */
const paintText = styleText as (style: Style, text: string, options: { readonly validateStream: boolean }) => string;

/** Pads cells to columns of equal width. `paintCell` colours a cell after its width was measured. */
export function columns(
  rows: readonly (readonly string[])[],
  paintCell: (text: string, row: number, column: number) => string = (text) => text,
): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return rows.map((row, at) =>
    row
      .map(
        (cell, index) =>
          paintCell(cell, at, index) + (index === row.length - 1 ? "" : " ".repeat((widths[index] ?? 0) - cell.length)),
      )
      .join("  ")
      .trimEnd(),
  );
}

export function formatBytes(bytes: number): string {
  const inUnit = (size: number, unit: string): string =>
    `${(bytes / size).toFixed(bytes % size === 0 ? 0 : 1)} ${unit}`;
  if (bytes >= 1_048_576) return inUnit(1_048_576, "MiB");
  return bytes >= 1_024 ? inUnit(1_024, "KiB") : `${bytes} bytes`;
}

/** Formats a duration in milliseconds, so that the values of a column compare easily. */
export function formatMicros(micros: number): string {
  return `${(micros / 1_000).toFixed(micros < 100_000 ? 2 : 0)} ms`;
}
