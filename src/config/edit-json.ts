import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { Path } from "../dialects/editing.ts";
import type { JsonValue } from "../json.ts";
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

/** Edits JSON and JSONC by the places of the values in the text. */
export function jsonEditor(text: string): TextEditor {
  const root = parseTree(text, [], { allowTrailingComma: true }) as Node;
  const style = styleOf(text, "//");
  const at = (path: Path): Node | undefined => (path.length === 0 ? root : findNodeAtLocation(root, [...path]));
  return {
    slice(path) {
      const node = at(path);
      return node === undefined ? undefined : text.slice(node.offset, node.offset + node.length);
    },
    insert(parent, key, value, raw) {
      const node = at(parent);
      if (node === undefined) return undefined;
      if (typeof key === "number" && node.type === "object") return wrapped(text, node, value, style);
      const children = node.children ?? [];
      const name = typeof key === "string" ? `${JSON.stringify(key)}: ` : "";
      const render: Render = (indent) => `${name}${raw ?? renderJson(value, indent, style)}`;
      return insertChild(text, boxOf(node), typeof key === "number" ? key : children.length, render, style);
    },
    remove(parent, key) {
      const node = at(parent);
      const index =
        node?.type === "array"
          ? Number(key)
          : (node?.children ?? []).findIndex(({ children }) => children?.[0]?.value === key);
      if (node?.children?.[index] === undefined) return undefined;
      return removeChild(text, boxOf(node), index, style);
    },
    replace(path, value) {
      const node = at(path);
      if (node === undefined) return undefined;
      const indent = style.hasLines ? (/^[ \t]*/.exec(lineOf(text, node.offset))?.[0] ?? "") : undefined;
      return [{ offset: node.offset, length: node.length, text: renderJson(value, indent, style) }];
    },
  };
}

/** Turns a single hook into a list of two hooks. The text of the existing hook does not change. */
function wrapped(text: string, node: Node, value: JsonValue, style: TextStyle): Change[] {
  const indent = style.hasLines ? (/^[ \t]*/.exec(lineOf(text, node.offset))?.[0] ?? "") : undefined;
  return [
    { offset: node.offset, length: 0, text: "[" },
    { offset: node.offset + node.length, length: 0, text: `, ${renderJson(value, indent, style)}]` },
  ];
}

function lineOf(text: string, offset: number): string {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1);
}

function boxOf({ offset, length, children = [] }: Node): Bracketed {
  const spans: Span[] = children.map((child) => ({ start: child.offset, end: child.offset + child.length }));
  return { open: offset + 1, close: offset + length - 1, children: spans };
}

export function renderJson(value: JsonValue, indent: string | undefined, { unit, newline }: TextStyle): string {
  if (indent === undefined) return inOneLine(value);
  return JSON.stringify(value, null, unit).replaceAll("\n", `${newline}${indent}`);
}

function inOneLine(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inOneLine(item)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}
