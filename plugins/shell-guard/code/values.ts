// Values that a program computes from constants: texts, lists, and modules.

import { GIVEN, HERE, HOME, STAR, UNKNOWN } from "../../../src/shell/marks.ts";
import { decode } from "./decoders.ts";
import { fromCode } from "./escapes.ts";

/** A module or a function of a module, by its name. */
export class Module {
  readonly name: string;

  constructor(name: string) {
    this.name = name.includes(":") || name.includes("promises") ? usual(name) : name;
  }
}

/** Returns the usual name of a module: `fs` for `node:fs/promises`. */
function usual(name: string): string {
  return name
    .replace(/^node:/, "")
    .replace(/[/:.]+promises\b/, "")
    .replace(/::/g, ".");
}

/** One of several values, such as the variable of a loop. */
export class Choice {
  readonly values: readonly Value[];

  constructor(values: readonly Value[]) {
    this.values = values;
  }
}

/** A text may contain marks of the shell reader. A text of which nothing is known is {@link UNKNOWN}. */
export type Value = string | Choice | Module | readonly Value[];

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** Returns the value as a text. A part that is not known is a mark. */
export function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value : UNKNOWN;
}

/** Returns a value without `undefined`. The name of a variable of the environment that is not known is unknown. */
export function environment(name: string): string {
  if (name === "HOME" || name === "USERPROFILE") return HOME;
  return name === "PWD" ? HERE : UNKNOWN;
}

export function joinPath(parts: readonly Value[], restarts: boolean): string {
  let path = "";
  for (const part of parts.map(textOf)) {
    const isAbsolute = part[0] === "/" || part[0] === HOME || part[0] === HERE;
    if (path === "" || (restarts && isAbsolute)) path = part;
    else path = `${path}${path.endsWith("/") || part[0] === "/" ? "" : "/"}${part}`;
  }
  return path;
}

function flat(values: readonly Value[]): readonly Value[] {
  return values.flatMap((value) => (isList(value) ? flat(value) : [value]));
}

function chars(values: readonly Value[]): string {
  return flat(values)
    .map((value) => (/^(?:0x)?[\da-f]+$/i.test(textOf(value)) ? fromCode(Number(value)) : UNKNOWN))
    .join("");
}

function withTilde(path: string): string {
  return path === "~" || path.startsWith("~/") ? HOME + path.slice(1) : path;
}

function decoded(text: string, encoding: string): string {
  if (text.includes(UNKNOWN)) return UNKNOWN;
  if (/base64|^m0?$/i.test(encoding)) return decode("base64", text) ?? UNKNOWN;
  if (/hex|^H/.test(encoding)) return decode("hex", text) ?? UNKNOWN;
  if (/rot/.test(encoding)) return decode("rot13", text) ?? UNKNOWN;
  return text;
}

type Compute = (of: Value, args: readonly Value[], path: string) => Value;

const COMPUTES = new Map<string, Compute>();

function computes(names: string, compute: Compute): void {
  for (const name of names.split(" ")) COMPUTES.set(name, compute);
}

computes("home homedir", () => HOME);
computes("cwd getcwd pwd", () => HERE);
computes("tmpdir gettempdir mkdtemp mkdtempSync mktmpdir mkstemp TemporaryDirectory tempdir", () => `/tmp/${GIVEN}`);
computes("expanduser expand_path", (of, [path]) => withTilde(textOf(path ?? of)));
computes("Path PurePath PosixPath Pathname", (_, args) => (args.length === 0 ? "." : joinPath(args, true)));
computes("joinpath resolve", (of, args) =>
  joinPath(typeof of === "string" && of !== UNKNOWN ? [of, ...args] : args, true),
);
computes("abspath realpath normpath normalize absolute as_posix fspath", (of, [path]) => path ?? of);
computes("getenv get fetch", (_, [name, other], path) =>
  path === "getenv" || /env/i.test(path) ? environment(textOf(name)) : (other ?? UNKNOWN),
);
computes(
  "b64decode standard_b64decode urlsafe_b64decode decode64 strict_decode64 decode_base64 base64_decode atob",
  (_, [text]) => decoded(textOf(text), "base64"),
);
computes("fromhex unhexlify a2b_hex hex2bin", (_, [text]) => decoded(textOf(text), "hex"));
computes("str_rot13", (_, [text]) => decoded(textOf(text), "rot"));
computes("strrev reversed reverse", (of, [value]) => reversed(value ?? of));
computes("from decode", (of, [text, encoding], path) =>
  path === "Buffer.from" || path === "codecs.decode"
    ? isList(text)
      ? chars(text)
      : decoded(textOf(text), textOf(encoding))
    : of,
);
computes("chr fromCharCode fromCodePoint bytes bytearray char", (_, args) =>
  typeof args[0] === "string" && !/^\w+$/.test(args[0]) ? args[0] : chars(args),
);
computes("pack", (of, [first, ...rest]) => {
  if (isList(of))
    return /^H/.test(textOf(first))
      ? decoded(textOf(of[0]), "hex")
      : /^[cCU]/.test(textOf(first))
        ? chars(of)
        : UNKNOWN;
  return /^H/.test(textOf(first))
    ? decoded(textOf(rest[0]), "hex")
    : /^[cCUW]/.test(textOf(first))
      ? chars(rest)
      : UNKNOWN;
});
computes("unpack1 unpack", (of, [format]) => (/^m/.test(textOf(format)) ? decoded(textOf(of), "base64") : UNKNOWN));
computes("join implode", (of, args, path) => {
  if (/(?:^|\.)path\.join$|^File\.join$/.test(path))
    return joinPath(args, path !== "path.join" && path !== "File.join");
  if (isList(of)) return of.map(textOf).join(textOf(args[0] ?? ""));
  const [first, second] = args;
  if (typeof of === "string" && of !== UNKNOWN && isList(first)) return first.map(textOf).join(of);
  if (typeof of === "string" && of.trim() === "" && of !== UNKNOWN) return textOf(first);
  return isList(second)
    ? second.map(textOf).join(textOf(first))
    : args.length > 2
      ? args.slice(1).map(textOf).join(textOf(first))
      : UNKNOWN;
});
computes("map", (of, [first, second]) =>
  isList(second) && first instanceof Module && first.name === "chr"
    ? second.map((one) => chars([one]))
    : isList(of)
      ? of
      : (second ?? UNKNOWN),
);
computes("split", (of, [text, separator]) =>
  splitText(
    of === UNKNOWN || of instanceof Module ? textOf(text) : textOf(of),
    of === UNKNOWN || of instanceof Module ? separator : text,
  ),
);
computes("list tuple set str String quote escapeshellarg shellescape", (of, [value]) => value ?? of);
computes(
  "toString to_s to_str strip trim chomp chop rstrip lstrip encode freeze dup valueOf text flatten sort uniq to_a lower upper toLowerCase b",
  (of, [value]) => (of === UNKNOWN ? (value ?? of) : of),
);
computes("concat", (of, args) => (isList(of) ? [...of, ...flat(args)] : [of, ...args].map(textOf).join("")));
computes("replace replaceAll gsub sub tr", (of, [from, to]) =>
  typeof of === "string" && typeof from === "string" && typeof to === "string" && from !== "" && from !== UNKNOWN
    ? of.replaceAll(from, to)
    : UNKNOWN,
);
computes("format sprintf", (of, args) => {
  const [first, ...rest] = of === UNKNOWN || of instanceof Module ? args : [of, ...args];
  return filled(textOf(first), rest);
});
computes("require import __import__ import_module", (_, [name]) => new Module(textOf(name)));
computes("glob iglob globSync", (of, [pattern]) =>
  joinPath(typeof of === "string" && of !== UNKNOWN ? [of, textOf(pattern)] : [textOf(pattern)], true).replaceAll(
    "*",
    STAR,
  ),
);
// The content of a file is like the file itself, which is not read either.
computes("read readFileSync readlines readFile read_text file_get_contents slurp", (of, [file]) =>
  (file !== undefined && !/^https?:/.test(textOf(file))) || (typeof of === "string" && of !== UNKNOWN) ? "" : UNKNOWN,
);

function splitText(text: string, separator: Value | undefined): Value {
  if (text.includes(UNKNOWN) && !/\s/.test(text)) return UNKNOWN;
  if (separator === undefined || separator === " " || textOf(separator) === UNKNOWN) return text.trim().split(/\s+/);
  return separator === "" ? [...text] : text.split(textOf(separator));
}

export function reversed(value: Value): Value {
  if (isList(value)) return [...value].reverse();
  return typeof value === "string" && !value.includes(UNKNOWN) ? (decode("reverse", value) ?? UNKNOWN) : UNKNOWN;
}

/** Fills `%s` and `{}` of a format. */
export function filled(format: string, values: readonly Value[]): string {
  let next = 0;
  return format.replace(/%[-\d.]*[sdiq]|\{\w*\}/g, () => textOf(values[next++]));
}

/** Computes the result of a function that only depends on its arguments; `undefined` for other functions. */
export function compute(path: string, of: Value, args: readonly Value[]): Value | undefined {
  return COMPUTES.get(path.slice(path.lastIndexOf(".") + 1))?.(of, args, path);
}
