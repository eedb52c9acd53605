/** Draws the rows of a terminal as a picture. */

interface Style {
  colour?: string;
  ground?: string;
  isBold?: boolean;
  isDim?: boolean;
}

interface Run extends Style {
  readonly column: number;
  readonly text: string;
}

const [CHARACTER, LINE, MARGIN] = [8.4, 19, 18];
const [TEXT, GROUND] = ["#d4d4d4", "#1b1c20"];
const BASE = [
  ...["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5"],
  ...["#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"],
];

const hex = (...parts: readonly number[]): string =>
  `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** Returns a colour of the palette of 256 colours. */
function paletteColour(index: number): string {
  if (index < 16) return BASE[index] ?? TEXT;
  if (index >= 232) return hex(...Array<number>(3).fill(8 + (index - 232) * 10));
  const level = (at: number): number => (at === 0 ? 0 : 55 + at * 40);
  const cube = index - 16;
  return hex(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** Changes a style as a sequence of `Select Graphic Rendition` says. */
function styled(style: Style, sequence: string): Style {
  const codes = sequence.split(";").map(Number);
  let now = { ...style };
  for (let code = codes.shift(); code !== undefined; code = codes.shift()) {
    if (code === 38 || code === 48) {
      const colour = codes.shift() === 5 ? paletteColour(codes.shift() ?? 0) : hex(...codes.splice(0, 3));
      now = code === 38 ? { ...now, colour } : { ...now, ground: colour };
    } else if (code === 0) now = {};
    else if (code === 1) now.isBold = true;
    else if (code === 2) now.isDim = true;
    else if (code === 22) now = { ...now, isBold: false, isDim: false };
    else if (code === 39) delete now.colour;
    else if (code === 49) delete now.ground;
    else if ((code >= 30 && code < 38) || (code >= 90 && code < 98)) now.colour = paletteColour((code % 30) % 52);
  }
  return now;
}

function runsOf(row: string, start: Style): { readonly runs: readonly Run[]; readonly style: Style } {
  const runs: Run[] = [];
  let style = start;
  let column = 0;
  for (const [, sequence, text] of row.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
    if (text === undefined) style = styled(style, sequence ?? "0");
    else {
      runs.push({ ...style, column, text });
      column += [...text].length;
    }
  }
  return { runs, style };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

function drawn({ column, text, colour, ground, isBold, isDim }: Run, row: number): string {
  const width = [...text].length * CHARACTER;
  const [x, y] = [MARGIN + column * CHARACTER, MARGIN + row * LINE];
  const box =
    ground === undefined
      ? ""
      : `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${LINE}" fill="${ground}"/>`;
  if (text.trim() === "") return box;
  const look = `fill="${colour ?? TEXT}"${isBold ? ' font-weight="bold"' : ""}${isDim ? ' opacity="0.6"' : ""}`;
  return `${box}<text x="${x.toFixed(1)}" y="${y + 14}" textLength="${width.toFixed(1)}" ${look}>${escaped(text)}</text>`;
}

/** Returns an SVG of these rows, with the colours of their escape sequences. Leaves out empty rows at the start. */
export function svgOf(rows: readonly string[], title: string): string {
  let style: Style = {};
  const lines = rows.map((row) => {
    const read = runsOf(row.trimEnd(), style);
    style = read.style;
    return read.runs;
  });
  const shown = lines.slice(lines.findIndex((runs) => runs.some(({ text }) => text.trim() !== "")));
  const columns = Math.max(...shown.flatMap((runs) => runs.map(({ column, text }) => column + [...text].length)));
  const [width, height] = [Math.ceil(columns * CHARACTER + 2 * MARGIN), shown.length * LINE + 2 * MARGIN];
  const body = shown.map((runs, row) => runs.map((run) => drawn(run, row)).join("")).filter((line) => line !== "");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>
<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
${body.join("\n")}
</g>
</svg>
`;
}
