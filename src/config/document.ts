import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { ConfigDocument } from "../dialects/dialect.ts";
import { describeThrown, type Place, type Problem } from "../errors.ts";

/** Text of a configuration file -> values that know where they stand. JSON, JSONC and YAML. */

export type ReadDocument =
  | { readonly ok: true; readonly document: ConfigDocument; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Path = readonly (string | number)[];

const MAX_DEPTH = 64;

export async function readDocument(text: string, file: string): Promise<ReadDocument> {
  return /\.ya?ml$/i.test(file) ? readYaml(text, file) : readJson(text, file);
}

function readJson(text: string, file: string): ReadDocument {
  const content = text.startsWith("\ufeff") ? text.slice(1) : text;
  const position = positions(content);
  const errors: ParseError[] = [];
  const root = depthOf(content) > MAX_DEPTH ? undefined : parseTree(content, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (root === undefined || first !== undefined) {
    const message =
      first === undefined
        ? content.trim() === ""
          ? "the file is empty"
          : "the file cannot be parsed"
        : readable(printParseErrorCode(first.error));
    return { ok: false, problems: [syntaxProblem(message, { file, ...position(first?.offset ?? 0) })] };
  }
  const duplicate = findDuplicateKey(root);
  if (duplicate !== undefined) {
    return {
      ok: false,
      problems: [duplicateProblem(String(duplicate.value), { file, ...position(duplicate.offset) })],
    };
  }
  const locate: ConfigDocument["locate"] = (path, part = "value") => {
    const node = nearestNode(root, path);
    const shown = part === "key" && node.parent?.type === "property" ? (node.parent.children?.[0] ?? node) : node;
    return { file, pointer: pointerOf(path), ...position(shown.offset) };
  };
  return { ok: true, document: { file, value: valueOfNode(root), locate }, problems: [] };
}

async function readYaml(text: string, file: string): Promise<ReadDocument> {
  const { isMap, isNode, isScalar, LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const error = document.errors[0];
  if (error !== undefined) {
    const place = { file, ...at(error.pos[0]) };
    return {
      ok: false,
      problems: [error.code === "DUPLICATE_KEY" ? duplicateProblem("", place) : syntaxProblem(error.message, place)],
    };
  }
  const locate: ConfigDocument["locate"] = (path, part = "value") => {
    for (let length = path.length; length >= 0; length--) {
      const parent = length === 0 ? undefined : document.getIn(path.slice(0, length - 1), true);
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && key.value === path[length - 1])
        : undefined;
      const node = part === "key" && pair !== undefined ? pair.key : document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return { file, pointer: pointerOf(path), ...at(node.range[0]) };
    }
    return { file, pointer: pointerOf(path), line: 1, column: 1 };
  };
  try {
    // Aliases that multiply ("billion laughs") end here rather than in memory.
    return { ok: true, document: { file, value: document.toJS({ maxAliasCount: 100 }), locate }, problems: [] };
  } catch (thrown) {
    return { ok: false, problems: [syntaxProblem(describeThrown(thrown), { file, line: 1, column: 1 })] };
  }
}

function syntaxProblem(message: string, place: Place): Problem {
  return { severity: "error", code: "HOOK_CONFIG_SYNTAX", message, place };
}

function duplicateProblem(key: string, place: Place): Problem {
  const message =
    key === "" ? "the same key stands twice in one object" : `the key "${key}" stands twice in one object`;
  return {
    severity: "error",
    code: "HOOK_CONFIG_DUPLICATE_KEY",
    message,
    hint: "one of the two would be lost; merge them",
    place,
  };
}

function readable(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

/** Offset -> line and column, by a table made once. */
function positions(text: string): (offset: number) => { line: number; column: number } {
  const starts = [0];
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) starts.push(index + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** An upper bound of the nesting, so that a hostile file cannot overflow the parser's stack. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth -= 1;
  }
  return deepest;
}

function findDuplicateKey(node: Node): Node | undefined {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const key = node.type === "object" ? child.children?.[0] : undefined;
    if (key !== undefined) {
      if (seen.has(key.value)) return key;
      seen.add(key.value);
    }
    const below = findDuplicateKey(child);
    if (below !== undefined) return below;
  }
  return undefined;
}

function nearestNode(root: Node, path: Path): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return root;
}

/** Like jsonc-parser's own, but safe for a key such as `__proto__`. */
function valueOfNode(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(valueOfNode);
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children }) => [
      children?.[0]?.value,
      children?.[1] === undefined ? null : valueOfNode(children[1]),
    ]),
  );
}

function pointerOf(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
