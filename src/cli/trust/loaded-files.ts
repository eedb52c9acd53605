import { readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { scriptWordsIn } from "../../config/script-words.ts";
import { digestOfScript, packageTexts, scriptFile, scriptPlace } from "../../files/script-digest.ts";
import { leadsInto } from "../../project-folder.ts";

/** Finds the files of the project that a script loads, if the text of the script names the files. */

export interface Loads {
  /** Digests by the paths in the project. `null`: no such file, although the script would load it first. */
  readonly files: Readonly<Record<string, string | null>>;
  /** Names of packages that the scripts load. Packages are not pinned. */
  readonly packages: readonly string[];
  /** Whether there are more files than {@link MAX_FILES}. */
  readonly isCut: boolean;
}

const MAX_FILES = 256;
const MAX_BYTES = 1_048_576;
const MODULE = /\.[cm]?[jt]sx?$/;
/** The places in which a module is looked for, in this order. */
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", "/index.js", "/index.ts"];

export async function loadedBy(places: readonly string[], project: string): Promise<Loads> {
  const files: Record<string, string | null> = {};
  const packages = new Set<string>();
  const seen = new Set(places);
  const waiting = [...places];
  let isCut = false;
  for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
    const { candidates, names } = await namedIn(place, project);
    for (const name of names) packages.add(name);
    for (const one of candidates) {
      for (const file of one) {
        if (!leadsInto(scriptFile(file), project) || file.includes(`${sep}node_modules${sep}`)) continue;
        const digest = (await isFolder(file)) ? undefined : await digestOfScript(file);
        const key = relative(project, file).split(sep).join("/");
        isCut ||= Object.keys(files).length >= MAX_FILES;
        if (isCut) return { files, packages: [...packages].sort(), isCut };
        // Files that a script looks for first are pinned as absent. Then no other file can take the place.
        files[key] = digest ?? null;
        if (digest === undefined) continue;
        if (!seen.has(file)) waiting.push(file);
        seen.add(file);
        break;
      }
    }
  }
  return { files: withoutStarts(files, places, project), packages: [...packages].sort(), isCut };
}

/** Leaves out the scripts themselves, which the words of the command pin. */
function withoutStarts(
  files: Readonly<Record<string, string | null>>,
  places: readonly string[],
  project: string,
): Loads["files"] {
  const starts = places.map((place) => relative(project, place).split(sep).join("/"));
  const sorted = Object.entries(files)
    .filter(([file]) => !starts.includes(file))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted);
}

interface Named {
  /** For each file that is loaded: the places in which the program looks for it, in this order. */
  readonly candidates: readonly (readonly string[])[];
  readonly names: readonly string[];
}

async function namedIn(place: string, project: string): Promise<Named> {
  const folder = dirname(scriptFile(place));
  if (scriptFile(place) !== place) return wordsOf((await packageTexts(place)).join("\n"), folder, project);
  const text = await textOf(place);
  if (text === undefined) return { candidates: [], names: [] };
  const [first = ""] = text.split("\n", 1);
  const interpreter = first.startsWith("#!") ? first : "";
  if (MODULE.test(place) || /\b(node|bun|deno|tsx)\b/.test(interpreter)) return modulesOf(text, folder);
  if (extname(place) === ".py" || /\bpython/.test(interpreter)) return pythonModulesOf(text, folder);
  if (extname(place) === ".rb" || /\bruby/.test(interpreter)) return rubyFilesOf(text, folder);
  const isShell =
    /^\.(ba|da|z|k)?sh$/.test(extname(place)) || /sh\b/.test(interpreter) || /makefile$/i.test(basename(place));
  return isShell ? wordsOf(text, folder, project) : { candidates: [], names: [] };
}

async function textOf(place: string): Promise<string | undefined> {
  try {
    const { size } = await stat(place);
    const text = size > MAX_BYTES ? undefined : await readFile(place, "utf8");
    return text?.includes("\0") === false ? text : undefined;
  } catch {
    return undefined;
  }
}

async function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

const IMPORTS =
  /(?:\bfrom|\bimport|\brequire(?:\.resolve)?|\bnew\s+URL|\bnew\s+Worker|\bfork)\s*\(?\s*(["'`])([^"'`\n]+)\1/g;

function modulesOf(text: string, folder: string): Named {
  const names: string[] = [];
  const candidates: string[][] = [];
  for (const [, , spec = ""] of text.matchAll(IMPORTS)) {
    if (/^\.{0,2}\//.test(spec) || spec === "." || spec === "..") {
      const base = resolve(folder, spec);
      // TypeScript names the output of a file: "./x.js" for x.ts.
      candidates.push([...ENDINGS.map((ending) => base + ending), base.replace(/\.([cm]?)js$/, ".$1ts")]);
    } else if (/^(@[\w.-]+\/)?[\w-][\w.-]*(\/|$)/.test(spec) && !/^(node|bun|https?):/.test(spec))
      names.push(
        spec
          .split("/")
          .slice(0, spec.startsWith("@") ? 2 : 1)
          .join("/"),
      );
  }
  return { candidates, names };
}

function pythonModulesOf(text: string, folder: string): Named {
  const candidates: string[][] = [];
  const add = (name: string): void => {
    const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(name) ?? [];
    const from = resolve(folder, ...Array.from({ length: Math.max(0, dots.length - 1) }, () => ".."));
    const path = join(from, ...rest.split("."));
    candidates.push([join(path, "__init__.py"), `${path}.py`]);
  };
  for (const [, from, imported = "", list = ""] of text.matchAll(
    /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+([^\n#]*)|import[ \t]+([\w., \t]+))/gm,
  )) {
    if (from === undefined) for (const one of list.split(",")) add(one.trim().split(/\s/)[0] ?? "");
    else {
      add(from);
      for (const one of imported.replace(/[()]/g, "").split(",")) {
        const name = one.trim().split(/\s/)[0] ?? "";
        if (/^\w+$/.test(name)) add(`${from}${from.endsWith(".") ? "" : "."}${name}`);
      }
    }
  }
  return { candidates, names: [] };
}

function rubyFilesOf(text: string, folder: string): Named {
  const found = [...text.matchAll(/\brequire_relative\s*\(?\s*["']([^"']+)["']/g)];
  return {
    candidates: found.map(([, path = ""]) => [resolve(folder, `${path}.rb`), resolve(folder, path)]),
    names: [],
  };
}

/** A folder that a shell script finds out, such as `$(dirname "$0")` or `$HERE`, is taken for the script's own folder. */
function wordsOf(text: string, folder: string, project: string): Named {
  const plain = text
    .replace(/^[ \t]*#.*$/gm, "")
    .replace(
      /"?\$\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*(?:dirname|pwd|BASH_SOURCE)(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"?/g,
      ".",
    )
    .replace(/\$\{BASH_SOURCE[^}]*\}/g, ".");
  const words = scriptWordsIn(plain).map((word) => word.replace(/^\$(?:\{[^}]*\}|\w+)(?=\/)/, "."));
  // Both places count, because the script's working directory is not known. Neither place hides the other.
  return {
    candidates: words.flatMap((word) => [[scriptPlace(folder, word)], [scriptPlace(project, word)]]),
    names: [],
  };
}
