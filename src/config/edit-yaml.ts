import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Path } from "../dialects/editing.ts";
import type { TextEditor } from "./edit-brackets.ts";
import {
  type Bracketed,
  type Change,
  insertChild,
  type Render,
  removeChild,
  type Span,
  styleOf,
  type TextStyle,
} from "./edit-brackets.ts";
import { renderJson } from "./edit-json.ts";

/** Edits YAML: block style by whole lines, flow style by its brackets. */
export function yamlEditor(text: string): TextEditor {
  const document = parseDocument(text, { keepSourceTokens: false, stringKeys: true, schema: "core" });
  const style: TextStyle = { ...styleOf(text, "#"), unit: "  " };
  const at = (path: Path): Node | undefined => {
    const node = path.length === 0 ? document.contents : document.getIn([...path], true);
    return isNode(node) ? node : undefined;
  };
  return {
    slice(path) {
      const node = at(path);
      return node === undefined ? undefined : text.slice(startOf(node), lastEnd(node));
    },
    insert(parent, key, value, raw) {
      const node = at(parent);
      const name = typeof key === "string" ? `${JSON.stringify(key)}: ` : "";
      if (isCollection(node) && node.flow === true && node.items.length > 0) {
        if (typeof key === "number" && isMap(node)) return undefined;
        const render: Render = (indent) => `${name}${raw ?? renderJson(value, indent, style)}`;
        return insertChild(text, boxOf(node), typeof key === "number" ? key : node.items.length, render, style);
      }
      const item = typeof key === "number" ? [value] : { [key]: value };
      if (!isCollection(node)) return parent.length === 0 ? [atEnd(text, block(item, "", style), style)] : undefined;
      if (node.items.length === 0) {
        if (parent.length === 0) return [{ ...spanChange(node), text: block(item, "", style) }];
        return belowKey(parent, item, raw);
      }
      if (typeof key === "number" && isMap(node)) return undefined;
      const indent = " ".repeat(columnOf(text, startOf(node)));
      const lines = raw !== undefined && isSeq(node) ? [`${indent}- ${raw}`] : [block(item, indent, style)];
      const [line] = lines as [string];
      if (key === 0) return [{ offset: lineStart(text, startOf(node)), length: 0, text: `${line}${style.newline}` }];
      const before = node.items[typeof key === "number" ? key - 1 : node.items.length - 1];
      return [afterLine(text, lastEnd(before), line, style)];
    },
    remove(parent, key) {
      const node = at(parent);
      if (!isCollection(node)) return undefined;
      const index = isMap(node) ? node.items.findIndex((pair) => keyOf(pair) === key) : Number(key);
      const item = node.items[index];
      if (item === undefined) return undefined;
      if (node.flow === true) return removeChild(text, boxOf(node), index, style);
      const lines = linesOf(text, node, item);
      if (lines === undefined) return undefined;
      if (node.items.length > 1) return [lines];
      const pair = pairAt(parent);
      if (pair === undefined) return undefined;
      const colon = colonAfter(text, pair);
      return colon === undefined ? undefined : [{ offset: colon, length: 0, text: isMap(node) ? " {}" : " []" }, lines];
    },
    replace(path, value) {
      const node = at(path);
      if (isScalar(node) && node.value !== null && (typeof value !== "object" || value === null))
        return [{ ...spanChange(node), text: JSON.stringify(value) }];
      if (isCollection(node) && node.items.length > 0) return undefined;
      return typeof value === "object" && value !== null ? belowKey(path, value as object) : undefined;
    },
  };

  function pairAt(path: Path): Pair | undefined {
    const parent = at(path.slice(0, -1));
    return isMap(parent) ? (parent.items as Pair[]).find((pair) => keyOf(pair) === path.at(-1)) : undefined;
  }

  /** Writes a value below a key whose value is missing or is an empty list or mapping. */
  function belowKey(path: Path, value: object, raw?: string): Change[] | undefined {
    const pair = pairAt(path);
    const parent = at(path.slice(0, -1));
    if (pair === undefined || !isMap(parent) || parent.flow === true || !isNode(pair.key)) return undefined;
    const colon = colonAfter(text, pair);
    if (colon === undefined) return undefined;
    const said = isNode(pair.value) && pair.value.range ? pair.value.range : undefined;
    const hasText = said !== undefined && text.slice(said[0], said[1]).trim() !== "";
    const removed: Change[] = hasText ? [{ offset: colon, length: said[1] - colon, text: "" }] : [];
    const indent = `${" ".repeat(columnOf(text, startOf(pair.key)))}${style.unit}`;
    const line =
      raw !== undefined && Array.isArray(value)
        ? `${indentOfItem(raw) ?? indent}- ${raw}`
        : block(value, indent, style);
    const end = lineEnd(text, hasText ? said[1] : colon);
    return [...removed, { offset: end, length: 0, text: `${style.newline}${line}` }];
  }
}

/** Returns the indentation of an item's dash, derived from the item's later lines. */
function indentOfItem(raw: string): string | undefined {
  return /\n( +) {2}[^ #\r\n]/.exec(raw)?.[1];
}

function isCollection(node: unknown): node is YAMLMap | YAMLSeq {
  return isMap(node) || isSeq(node);
}

function keyOf(pair: Pair): unknown {
  return isScalar(pair.key) ? pair.key.value : undefined;
}

function startOf(node: unknown): number {
  if (isPair(node)) return startOf(node.key);
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Returns the offset after a value's last character. yaml's range of a block also includes the lines after it. */
function lastEnd(node: unknown): number {
  if (isPair(node)) return isNode(node.value) && hasRange(node.value) ? lastEnd(node.value) : lastEnd(node.key);
  if (isCollection(node) && node.flow !== true && node.items.length > 0) return lastEnd(node.items.at(-1));
  return isNode(node) || isAlias(node) ? (node.range?.[1] ?? 0) : 0;
}

function hasRange(node: Node): boolean {
  return node.range !== undefined && node.range !== null && (isCollection(node) || node.range[1] > node.range[0]);
}

function spanChange(node: Node): { offset: number; length: number } {
  const [start, end] = node.range ?? [0, 0];
  return { offset: start, length: end - start };
}

function boxOf(node: YAMLMap | YAMLSeq): Bracketed {
  const [start, end] = node.range ?? [0, 0];
  const children = (node.items as unknown[]).map((item): Span => ({ start: startOf(item), end: lastEnd(item) }));
  return { open: start + 1, close: end - 1, children };
}

/** Returns the lines of an item. Returns `undefined` if these lines also contain other text. */
function linesOf(text: string, node: YAMLMap | YAMLSeq, item: unknown): Change | undefined {
  const column = columnOf(text, startOf(node));
  const start = isMap(node) ? lineStart(text, startOf(item)) : dashLine(text, startOf(item), column);
  if (start === undefined || text.slice(start, start + column).trim() !== "") return undefined;
  const end = lineEnd(text, lastEnd(item));
  if (end < text.length) return { offset: start, length: text.indexOf("\n", end) + 1 - start, text: "" };
  const before = text.slice(0, start).endsWith("\r\n") ? 2 : start > 0 ? 1 : 0;
  return { offset: start - before, length: end - start + before, text: "" };
}

function dashLine(text: string, offset: number, column: number): number | undefined {
  for (let start = lineStart(text, offset); ; start = lineStart(text, start - 1)) {
    if (text[start + column] === "-" && text.slice(start, start + column).trim() === "") return start;
    if (start === 0) return undefined;
  }
}

function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Returns the offset before the line break. A block scalar ends after its line break. */
function lineEnd(text: string, offset: number): number {
  const from = text[offset - 1] === "\n" ? offset - 1 : offset;
  const found = text.indexOf("\n", from);
  const end = found < 0 ? text.length : found;
  return text[end - 1] === "\r" && found >= 0 ? end - 1 : end;
}

function afterLine(text: string, offset: number, line: string, { newline }: TextStyle): Change {
  return { offset: lineEnd(text, offset), length: 0, text: `${newline}${line}` };
}

function atEnd(text: string, lines: string, { newline }: TextStyle): Change {
  const gap = text === "" || text.endsWith("\n") ? "" : newline;
  return { offset: text.length, length: 0, text: `${gap}${lines}${newline}` };
}

function colonAfter(text: string, { key }: Pair): number | undefined {
  const from = lastEnd(key);
  const found = /^\s*:/.exec(text.slice(from));
  return found === null ? undefined : from + found[0].length;
}

/** Returns lines in block style, without the last line break. */
function block(value: object, indent: string, { newline }: TextStyle): string {
  return stringify(value, { lineWidth: 0, indent: 2 })
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? line : `${indent}${line}`))
    .join(newline);
}
