import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Pair } from "yaml";
import type { ConfigDocument } from "../dialects/dialect.ts";
import type { Place, Problem } from "../errors.ts";
import { excessOfValue, type JsonBounds } from "../json-bounds.ts";
import { hintToQuote } from "./yaml-quotes.ts";

/**
 * Parses the text of a configuration file and keeps the place of each value. Formats: JSON, JSONC, YAML, and
 * frontmatter of Markdown.
 */

type ReadDocument =
  | { readonly ok: true; readonly document: ConfigDocument; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Path = readonly (string | number)[];

/** Limits of a trusted file. A rule has about twenty values. */
const BOUNDS: JsonBounds = { depth: 64, values: 100_000 };

/**
 * Limits of a file that may come with a repository. Parsing blocks the thread that answers events, and 100,000 values
 * of YAML take a second of CPU time. The number of rules has a limit of its own in `dialects/file-quota.ts`.
 */
export const PROJECT_BOUNDS: JsonBounds = { depth: 64, values: 25_000 };

/** The maximum number of YAML tokens for each value. Punctuation, spaces and line ends are tokens too. */
const LEXEMES_PER_VALUE = 6;

/** Parses a configuration file in the format that the file's name says. */
export async function readDocument(text: string, file: string, bounds: JsonBounds = BOUNDS): Promise<ReadDocument> {
  const content = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (/\.md$/i.test(file)) return readFrontmatter(content, file, bounds);
  return /\.ya?ml$/i.test(file) ? readYaml(content, file, bounds) : readJson(content, file, bounds);
}

/** Reads the YAML of a Markdown file between the first line, which is `---`, and the next `---`. Ignores the rest. */
async function readFrontmatter(content: string, file: string, bounds: JsonBounds): Promise<ReadDocument> {
  const [first = "", ...rest] = content.split("\n");
  if (!FENCE.test(first)) return readYaml("{}", file, bounds);
  const end = rest.findIndex((line) => FENCE.test(line));
  if (end < 0) {
    const message = 'the frontmatter that begins here is not closed by a line of "---"';
    return { ok: false, problems: [syntaxProblem(message, { file, line: 1, column: 1 })] };
  }
  const yaml = rest.slice(0, end).join("\n");
  // The empty line replaces the first line, so that line numbers stay correct.
  return readYaml(/^\s*(?:#[^\n]*\s*)*$/.test(yaml) ? "{}" : `\n${yaml}\n`, file, bounds);
}

const FENCE = /^---[ \t]*\r?$/;

function readJson(content: string, file: string, bounds: JsonBounds): ReadDocument {
  const position = positions(content);
  const refuse = (message: string, offset: number): ReadDocument => ({
    ok: false,
    problems: [syntaxProblem(message, { file, ...position(offset) })],
  });
  if (content.trim() === "") return refuse("the file is empty", 0);
  const excess = jsonExcess(content, bounds);
  if (excess !== undefined) return tooMuch(excess.bound, bounds, { file, ...position(excess.at) });
  const errors: ParseError[] = [];
  const root = parseTree(content, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) return refuse(readable(printParseErrorCode(first.error)), first.offset);
  if (root === undefined) return refuse("the file has no value", 0);
  const duplicate = findDuplicateKey(root);
  if (duplicate !== undefined) {
    return {
      ok: false,
      problems: [duplicateProblem(String(duplicate.value), { file, ...position(duplicate.offset) })],
    };
  }
  const propertiesOf = remembered((node: Node) => indexed(node.children ?? [], keyOf));
  const childOf = (node: Node, name: string | number): Node | undefined => {
    if (typeof name === "string")
      return node.type === "object" ? propertiesOf(node).get(name)?.children?.[1] : undefined;
    return node.type === "array" ? node.children?.[name] : undefined;
  };
  const locate: ConfigDocument["locate"] = (path, part = "value") => {
    let node = root;
    for (const name of path) {
      const child = childOf(node, name);
      if (child === undefined) break;
      node = child;
    }
    const shown = part === "key" && node.parent?.type === "property" ? (node.parent.children?.[0] ?? node) : node;
    return { file, pointer: pointerOf(path), ...position(shown.offset) };
  };
  return { ok: true, document: { file, value: valueOfNode(root), locate }, problems: [] };
}

async function readYaml(text: string, file: string, bounds: JsonBounds): Promise<ReadDocument> {
  const { isScalar, Lexer, LineCounter, parseDocument, Parser, visit } = await import("yaml");
  const lines = new LineCounter();
  // The nesting depth is checked with yaml's parser, which has its own stack. yaml's composer is recursive, and V8 ends
  // the process if the composer's stack overflows.
  const parser = new Parser();
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    for (const _ of parser.next(lexeme));
    const { stack } = parser;
    const isTooDeep = stack.length > bounds.depth && stack.filter((token) => "items" in token).length > bounds.depth;
    const bound = isTooDeep ? "depth" : lexemes > LEXEMES_PER_VALUE * bounds.values ? "values" : undefined;
    if (bound !== undefined) return tooMuch(bound, bounds, { file, ...positions(text)(parser.offset) });
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // yaml compares each key with all others, which is slow. `firstTwice` finds duplicate keys.
    uniqueKeys: false,
    // Makes yaml return plain data with text keys: no maps, sets, dates or bytes, whatever the tags and directives say.
    stringKeys: true,
    schema: "core",
    resolveKnownTags: false,
  });
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const keyOfPair = ({ key }: Pair): unknown => (isScalar(key) ? key.value : undefined);
  // yaml reports an unknown tag only as a warning.
  const error = document.errors[0] ?? document.warnings[0];
  if (error !== undefined) {
    const place = { file, ...at(error.pos[0]) };
    const message = error.code === "MULTIPLE_DOCS" ? "the file has more than one document" : error.message;
    return { ok: false, problems: [{ ...syntaxProblem(message, place), ...hintToQuote(text, error.pos[0]) }] };
  }
  let duplicate: Pair | undefined;
  visit(document, {
    Map(_, map) {
      duplicate = firstTwice(map.items, keyOfPair);
      return duplicate === undefined ? undefined : visit.BREAK;
    },
  });
  if (duplicate !== undefined) {
    const { key } = duplicate;
    const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
    return { ok: false, problems: [duplicateProblem(String(keyOfPair(duplicate)), { file, ...at(offset) })] };
  }
  const { YamlProblem, YamlValues } = await import("./yaml-values.ts");
  try {
    const values = new YamlValues(document, bounds.values);
    const { value } = values;
    // Stops aliases that multiply ("billion laughs") before they fill the memory. Until here, aliases share values.
    const excess = excessOfValue(value, bounds);
    if (excess !== undefined) return tooMuch(excess.bound, bounds, { file, line: 1, column: 1 });
    const locate: ConfigDocument["locate"] = (path, part = "value") => {
      for (let length = path.length; length >= 0; length--) {
        const shown = path.slice(0, length);
        const node = (part === "key" ? values.keyAt(shown) : undefined) ?? values.nodeAt(shown);
        if (node?.range) return { file, pointer: pointerOf(path), ...at(node.range[0]) };
      }
      return { file, pointer: pointerOf(path), line: 1, column: 1 };
    };
    return { ok: true, document: { file, value, locate }, problems: [] };
  } catch (thrown) {
    if (!(thrown instanceof YamlProblem)) throw thrown;
    const place = { file, ...at(thrown.offset) };
    if (thrown.isLimit) return tooMuch("values", bounds, place);
    const problem = syntaxProblem(thrown.message, place);
    return { ok: false, problems: [{ ...problem, ...hintToQuote(text, thrown.offset) }] };
  }
}

function syntaxProblem(message: string, place: Place): Problem {
  return { severity: "error", code: "HOOK_CONFIG_SYNTAX", message, place };
}

function duplicateProblem(key: string, place: Place): Problem {
  const message = key === "" ? "duplicate key in one object" : `duplicate key "${key}" in one object`;
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

/** Returns a function that converts an offset to line and column. Builds the table of lines once. */
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

/** Returns where a file exceeds its limits. Uses the parser's scanner, because the parser itself is recursive. */
function jsonExcess(
  text: string,
  bounds: JsonBounds,
): { readonly bound: keyof JsonBounds; readonly at: number } | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  let values = 1;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const at = scanner.getTokenOffset();
    const character = text[at];
    const opens = character === "{" || character === "[";
    if (opens) depth += 1;
    else if (character === "}" || character === "]") depth = Math.max(0, depth - 1);
    if (opens || character === ",") values += 1;
    if (depth > bounds.depth) return { bound: "depth", at };
    if (values > bounds.values) return { bound: "values", at };
  }
  return undefined;
}

function tooMuch(bound: keyof JsonBounds, bounds: JsonBounds, place: Place): ReadDocument {
  const what =
    bound === "depth" ? `is nested deeper than ${bounds.depth} levels` : `has more than ${bounds.values} values`;
  return { ok: false, problems: [limitProblem(what, place)] };
}

function limitProblem(what: string, place: Place): Problem {
  return { severity: "error", code: "HOOK_CONFIG_LIMIT", message: `the file ${what}`, place };
}

const keyOf = (property: Node): unknown => property.children?.[0]?.value;

function findDuplicateKey(node: Node): Node | undefined {
  const children = node.children ?? [];
  const twice = node.type === "object" ? firstTwice(children, keyOf)?.children?.[0] : undefined;
  if (twice !== undefined) return twice;
  for (const child of children) {
    const below = findDuplicateKey(child);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** Returns the first item with the same key as an earlier item. */
function firstTwice<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item | undefined {
  const seen = new Set<unknown>();
  return items.find((item) => seen.size === seen.add(keyOf(item)).size);
}

/** Caches the result for each object, so that locating all keys of an object searches the object once. */
function remembered<From extends object, Value>(make: (from: From) => Value): (from: From) => Value {
  const made = new Map<From, Value>();
  return (from) => {
    const value = made.get(from) ?? make(from);
    made.set(from, value);
    return value;
  };
}

function indexed<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): ReadonlyMap<unknown, Item> {
  return new Map(items.map((item) => [keyOf(item), item]));
}

/** Like jsonc-parser's function, but safe for a key such as `__proto__`. */
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

export function pointerOf(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
