import type { Path } from "../dialects/editing.ts";
import type { JsonValue } from "../json.ts";

/** Changes a list or an object in brackets and keeps the rest of the text. Also used for YAML's flow style. */

/** Replaces `length` characters at `offset`. */
export interface Change {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Bracketed {
  /** The offset after the opening bracket. */
  readonly open: number;
  /** The offset of the closing bracket. */
  readonly close: number;
  readonly children: readonly Span[];
}

export interface TextStyle {
  readonly newline: string;
  /** The text of one level of indentation. */
  readonly unit: string;
  /** Whether the text has several lines. A file with one line stays on one line. */
  readonly hasLines: boolean;
  /** The start of a line comment. */
  readonly lineComment: "//" | "#";
}

/** Edits the text of one notation. A method returns `undefined` if the edit is not possible at the path. */
export interface TextEditor {
  slice(path: Path): string | undefined;
  insert(parent: Path, key: string | number, value: JsonValue, raw?: string): readonly Change[] | undefined;
  remove(parent: Path, key: string | number): readonly Change[] | undefined;
  replace(path: Path, value: JsonValue): readonly Change[] | undefined;
}

/** Writes a value as text. `indent` is the indentation of the value's line; `undefined` for a single line. */
export type Render = (indent: string | undefined) => string;

export function styleOf(text: string, lineComment: TextStyle["lineComment"]): TextStyle {
  const unit = /(?:^|\n)([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return {
    newline: text.includes("\r\n") ? "\r\n" : "\n",
    unit: unit.startsWith("\t") ? "\t" : unit,
    hasLines: /\n[ \t]*\S/.test(text) || !/\S/.test(text.replace(/^[\s{[]+|[\s}\]]+$/g, "")),
    lineComment,
  };
}

export function applyChanges(text: string, changes: readonly Change[]): string {
  return [...changes]
    .sort((one, other) => other.offset - one.offset || other.length - one.length)
    .reduce(
      (result, { offset, length, text: put }) => result.slice(0, offset) + put + result.slice(offset + length),
      text,
    );
}

export function insertChild(text: string, box: Bracketed, index: number, render: Render, style: TextStyle): Change[] {
  const { children } = box;
  const next = children[index];
  const last = children.at(-1);
  if (next !== undefined) {
    const space = spaceBefore(text, next.start);
    const render1 = space.includes("\n") ? render(lastLine(space)) : render(undefined);
    return [{ offset: next.start, length: 0, text: `${render1},${space === "" ? " " : space}` }];
  }
  if (last === undefined) return [insertOnly(text, box, render, style)];
  const gap = gapTokens(text, last.end, box.close, style);
  const comma = gap.find(({ kind }) => kind === "comma");
  const from = comma?.end ?? last.end;
  // A comment on the line of the last child stays with this child.
  const remark = gap.filter(
    ({ kind, start, end }) => kind === "comment" && start >= from && !hasLine(text, from, start, end),
  );
  const offset = remark.at(-1)?.end ?? from;
  const space = spaceBefore(text, last.start);
  const afterLineComment = text.slice(remark.at(-1)?.start ?? offset, offset).startsWith(style.lineComment);
  const inLines = space.includes("\n") || afterLineComment;
  const indent = space.includes("\n") ? lastLine(space) : `${indentOfLine(text, last.start)}${style.unit}`;
  const put = inLines ? `${style.newline}${indent}${render(indent)}` : ` ${render(undefined)}`;
  if (comma !== undefined) return [{ offset, length: 0, text: `${put},` }];
  if (offset === last.end) return [{ offset, length: 0, text: `,${put}` }];
  return [
    { offset: last.end, length: 0, text: "," },
    { offset, length: 0, text: put },
  ];
}

function insertOnly(text: string, { open, close }: Bracketed, render: Render, style: TextStyle): Change {
  const inside = text.slice(open, close);
  const outer = indentOfLine(text, open);
  const indent = `${outer}${style.unit}`;
  const inLines = style.hasLines || inside.includes("\n");
  if (inside.trim() === "") {
    const put = inLines ? `${style.newline}${indent}${render(indent)}${style.newline}${outer}` : render(undefined);
    return { offset: open, length: inside.length, text: put };
  }
  // The list contains a comment, possibly a line comment, so the new text starts on a new line.
  const offset = open + inside.trimEnd().length;
  return { offset, length: close - offset, text: `${style.newline}${indent}${render(indent)}${style.newline}${outer}` };
}

export function removeChild(text: string, box: Bracketed, index: number, style: TextStyle): Change[] {
  const child = box.children[index] as Span;
  const previous = box.children[index - 1];
  const next = box.children[index + 1];
  const before = gapTokens(text, previous?.end ?? box.open, child.start, style);
  const after = gapTokens(text, child.end, next?.start ?? box.close, style);
  const isBlank = [...before, ...after].every(({ kind }) => kind !== "comment");
  if (previous === undefined && next === undefined && isBlank)
    return [{ offset: box.open, length: box.close - box.open, text: "" }];
  const comma = after.find(({ kind }) => kind === "comma");
  const changes: Change[] = [];
  let end = child.end;
  if (comma !== undefined && text.slice(child.end, comma.start).trim() === "") end = comma.end;
  else if (comma !== undefined) changes.push({ offset: comma.start, length: 1, text: "" });
  // If the removed child has no successor and no comma after it, the comma before it is removed.
  const loose = next === undefined && comma === undefined ? before.find(({ kind }) => kind === "comma") : undefined;
  if (loose !== undefined) changes.push({ offset: loose.start, length: 1, text: "" });
  const space = spaceBefore(text, child.start);
  const beforeSpace = before.findLast(({ kind }) => kind !== "space");
  const swallows = beforeSpace?.kind === "comment" && text.startsWith(style.lineComment, beforeSpace.start);
  const rest = /^[ \t]*\r?\n/.test(text.slice(end));
  if (space !== "" && (!swallows || rest))
    changes.push({ offset: child.start - space.length, length: end - child.start + space.length, text: "" });
  else {
    const trailing = /^\s*/.exec(text.slice(end, next?.start ?? box.close))?.[0] ?? "";
    changes.push({ offset: child.start, length: end - child.start + trailing.length, text: "" });
  }
  return changes;
}

interface GapToken extends Span {
  readonly kind: "space" | "comma" | "comment";
}

/** Returns the spaces, commas and comments between two children. */
function gapTokens(text: string, start: number, end: number, { lineComment }: TextStyle): GapToken[] {
  const pattern = lineComment === "//" ? /\s+|,|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g : /\s+|,|#[^\r\n]*/g;
  return [...text.slice(start, end).matchAll(pattern)].map((match) => ({
    kind: match[0] === "," ? "comma" : match[0].trim() === "" ? "space" : "comment",
    start: start + match.index,
    end: start + match.index + match[0].length,
  }));
}

function hasLine(text: string, from: number, start: number, end: number): boolean {
  return text.slice(from, start).includes("\n") || text.slice(start, end).includes("\n");
}

function spaceBefore(text: string, offset: number): string {
  return /\s*$/.exec(text.slice(0, offset))?.[0] ?? "";
}

function lastLine(space: string): string {
  return space.slice(space.lastIndexOf("\n") + 1);
}

function indentOfLine(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}
