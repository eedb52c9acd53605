import { basename, join, resolve } from "node:path";
import type { BuildOptions, BuildResult, Message, Metafile } from "esbuild";
import type { Place, Problem } from "../../errors.ts";
import { packageFolder } from "../../package-info.ts";
import { BuildError, refuseErrors } from "../build-error.ts";
import type { GuardSource } from "../guard-source.ts";
import { injectedModule, qualifiedNames, readGlobals } from "./globals.ts";
import { LINES, withLineTable } from "./line-table.ts";
import { loadEsbuild } from "./load-esbuild.ts";
import { findMissing, markedNames } from "./missing-uses.ts";
import { INJECTED, noBuiltins, ownLibrary } from "./module-resolution.ts";
import { readMappings, type Segment, type SourceMap, segmentAt } from "./source-lines.ts";

/** Bundles an author's TypeScript and its imports into one classic script for the JavaScript engine. */

export interface Bundle {
  readonly script: string;
  /** The size of each part of the script, largest first: `guard.ts`, a package's name, `hookbox/guest`. */
  readonly inputs: readonly BundledInput[];
  readonly warnings: readonly Problem[];
  /** The absolute paths of the author's own files in the script. */
  readonly files: readonly string[];
  /** Returns the place in the author's file for a line and a column of the script, both counted from 1. */
  locate(line: number, column: number): Place | undefined;
}

interface BundledInput {
  readonly name: string;
  readonly kind: "own" | "package" | "hookbox";
  readonly bytes: number;
}

/** The name of the script in stack frames. */
export const SCRIPT_NAME = "guard.js";
const ENTRY = "hookbox-entry.js";

/**
 * Bundles a guard. The script does not depend on the place of the guard's folder or on this machine. Throws a {@link
 * BuildError}, or `HOOK_BUILD_TOOL` if esbuild is not installed.
 */
export async function bundleGuard({ folder, file }: GuardSource): Promise<Bundle> {
  const esbuild = loadEsbuild(folder);
  const guestFolder = join(packageFolder(), "dist/guest");
  const globals = await readGlobals(guestFolder);
  const options = {
    stdin: { contents: entryOf(basename(file)), resolveDir: folder, sourcefile: ENTRY, loader: "js" },
    absWorkingDir: folder,
    outfile: join(folder, SCRIPT_NAME),
    bundle: true,
    write: false,
    format: "iife",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["module"],
    // The list is empty, because the default comes from the environment.
    nodePaths: [],
    target: "es2023",
    // An `import()` of a fixed name is bundled. `findMissing` finds other uses of `import()`.
    supported: { "dynamic-import": false },
    loader: { ".json": "json", ".txt": "text" },
    charset: "utf8",
    legalComments: "none",
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    inject: [INJECTED],
    plugins: [ownLibrary(guestFolder, injectedModule(globals)), noBuiltins],
  } satisfies BuildOptions;
  const run = async (define: Readonly<Record<string, string>>): Promise<Output> => {
    try {
      return read(await esbuild.build({ ...options, define: { ...qualifiedNames(globals), ...define } }));
    } catch (error) {
      throw asBuildError(error, folder, file);
    }
  };
  const marked = await run(markedNames(globals));
  const missing = findMissing(marked.text, marked.segments, marked.map.sources, globals);
  const problems = missing.uses.map(
    ({ source, line, column, ...problem }): Problem => ({
      ...problem,
      severity: isOwn(source) ? "error" : "warning",
      place: placeOf(folder, source, line, column),
    }),
  );
  refuseErrors([...marked.warnings.map((one) => problemOf(one, folder, file)), ...problems]);
  // The module must not contain marks, so a script with harmless marks is bundled again without marks.
  const output = missing.marks === 0 ? marked : await run({});
  return {
    script: withLineTable(stablePaths(output.text), output.segments, output.map.sources.map(shownSource), SCRIPT_NAME),
    inputs: inputsOf(output.metafile),
    warnings: [...output.warnings.map((one) => problemOf(one, folder, file)), ...problems],
    files: Object.keys(output.metafile.inputs)
      .filter(isOwn)
      .map((source) => resolve(folder, source)),
    locate: (line, column) => {
      const segment = segmentAt(output.segments[line - 1] ?? [], column - 1);
      const source = segment === undefined ? undefined : output.map.sources[segment.source];
      if (segment === undefined || source === undefined || !isOwn(source)) return undefined;
      return placeOf(folder, source, segment.line + 1, segment.column + 1);
    },
  };
}

/** Returns the entry module. It imports the runtime first, which reports errors of top-level code. */
function entryOf(name: string): string {
  return `import { installGuard } from "hookbox/guest/runtime";\nimport guard from ${JSON.stringify(`./${name}`)};\ninstallGuard(guard, ${LINES});\n`;
}

interface Output {
  readonly text: string;
  readonly map: SourceMap;
  readonly segments: readonly (readonly Segment[])[];
  readonly metafile: Metafile;
  readonly warnings: readonly Message[];
}

function read({ outputFiles, metafile, warnings }: BuildResult<{ write: false; metafile: true }>): Output {
  const text = outputFiles.find(({ path }) => path.endsWith(".js"))?.text;
  const mapText = outputFiles.find(({ path }) => path.endsWith(".js.map"))?.text;
  if (text === undefined || mapText === undefined) throw new TypeError("esbuild gave no script");
  const map = JSON.parse(mapText) as SourceMap;
  return { text, map, segments: readMappings(map.mappings), metafile, warnings };
}

function isOwn(source: string): boolean {
  return !source.startsWith("hookbox:") && source !== ENTRY && !/(^|\/)node_modules\//.test(source);
}

/** Shortens a source's path so that it does not depend on where packages are installed. */
function shownSource(source: string): string {
  if (source.startsWith("hookbox:")) return source.replace(":", "/");
  return source.replace(/^.*(?=\bnode_modules\/)/, "");
}

/** Shortens the paths that esbuild writes into comments and into keys of late-loaded files. */
function stablePaths(text: string): string {
  return text
    .replace(/^( *\/\/ ).*(?=\bnode_modules\/[^/])/gm, "$1")
    .replace(/^( *")(?:[^"\n]*\/)?(?=node_modules\/[^"\n]*"\([^)\n]*\) \{$)/gm, "$1");
}

function placeOf(folder: string, source: string, line: number, column: number): Place {
  const file = source.startsWith("hookbox:") ? shownSource(source) : resolve(folder, source);
  return { file, line, column };
}

function inputsOf({ inputs, outputs }: Metafile): readonly BundledInput[] {
  const [output] = Object.entries(outputs).flatMap(([name, one]) => (name.endsWith(".js") ? [one] : []));
  const sizes = new Map<string, BundledInput>();
  for (const [source, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    if (bytesInOutput === 0 || inputs[source] === undefined) continue;
    const input = inputOf(source);
    sizes.set(input.name, { ...input, bytes: bytesInOutput + (sizes.get(input.name)?.bytes ?? 0) });
  }
  return [...sizes.values()].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
}

function inputOf(source: string): Pick<BundledInput, "name" | "kind"> {
  if (source.startsWith("hookbox:") || source === ENTRY) return { name: "hookbox/guest", kind: "hookbox" };
  const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(shownSource(source)) ?? [];
  return name === undefined ? { name: source, kind: "own" } : { name, kind: "package" };
}

function asBuildError(error: unknown, folder: string, file: string): unknown {
  const { errors } = error as { readonly errors?: readonly Message[] };
  const [first, ...rest] = errors ?? [];
  if (first === undefined) return error;
  const problem = (message: Message): Problem => ({ ...problemOf(message, folder, file), severity: "error" });
  return new BuildError([problem(first), ...rest.map(problem)], error);
}

/** Translates an error of esbuild for authors who do not know esbuild. */
function problemOf({ id, text, location, notes, detail }: Message, folder: string, file: string): Problem {
  // The author can cause only one error in the generated entry: a missing default export.
  const isEntry = location?.file === ENTRY;
  const [message, hint] = isEntry && text.includes('"default"') ? NO_DEFAULT : told(id, text, detail, notes);
  return {
    severity: id === "empty-import-meta" ? "error" : "warning",
    code: "HOOK_BUILD_SOURCE",
    message,
    ...(hint === undefined ? {} : { hint }),
    place:
      location === null || isEntry
        ? { file }
        : placeOf(folder, location.file, location.line, columnOf(location.lineText, location.column)),
  };
}

const NO_DEFAULT = ["there is no default export", "export the guard: export default defineGuard({ … })"] as const;

function told(
  id: string,
  text: string,
  detail: unknown,
  notes: Message["notes"],
): readonly [message: string, hint?: string | undefined] {
  const unresolved = /^Could not resolve "([^"]+)"/.exec(text)?.[1];
  if (unresolved !== undefined) return [`"${unresolved}" cannot be found`, unresolvedHint(unresolved)];
  if (text.startsWith("Top-level await"))
    return [
      "a guard cannot use await at the top level",
      "use await in handle, which may be async; top-level code runs once, at build time",
    ];
  if (id === "empty-import-meta")
    return ["import.meta is not supported in a guard", "a guard has no file and no URL when it runs"];
  const loader = /^No loader is configured for "([^"]+)" files/.exec(text)?.[1];
  if (loader !== undefined)
    return [
      `${loader} files cannot be imported`,
      "a guard can import TypeScript, JavaScript, .json, and .txt as one string",
    ];
  return [text.charAt(0).toLowerCase() + text.slice(1), typeof detail === "string" ? detail : notes[0]?.text];
}

function unresolvedHint(name: string): string {
  if (/^[./]/.test(name)) return "there is no such file";
  return `npm install ${/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name}`;
}

/** Returns a column in UTF-16 units from 1. esbuild counts bytes from 0. */
function columnOf(lineText: string, bytes: number): number {
  return Buffer.from(lineText).subarray(0, bytes).toString().length + 1;
}
