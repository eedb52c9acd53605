// Bundles the library, the command line and the entries of threads and processes into dist/bundle: loading a file takes
// Node about a millisecond, and an agent starts a process for each event. The library and the command line share their
// code, so each class exists once in a process. The scripts are CommonJS, because Node loads CommonJS faster than ES
// modules. Packages stay in node_modules, except zod.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const folder = `${dist}bundle/`;
const file = (name) => `${dist}${name}.js`;

/** The public entry points of the library. ES modules, which load the scripts. */
const LIBRARY = {
  index: "index",
  agentao: "hosts/agentao/index",
  autohand: "hosts/autohand/index",
  openclaw: "hosts/openclaw/index",
};

/** What a process loads for one event, with all static imports: the kernel. test/architecture.test.ts has this list. */
const ONE_EVENT = ["cli/main", "cli/commands/run", "engine", "sandbox/guest/first-try"].map(file);

/** Modules that the source imports statically and that most events do not need. Loaded when a function is called. */
const LATE = [
  "actions/patched-files",
  "matcher/condition/shell/read-commands",
  "matcher/condition/path/glob-program",
  "engine/tool-call",
  "engine/registered-rules",
];
/** The same for modules of Node, each of which takes a millisecond. */
const LATE_BUILTINS = ["node:child_process", "node:v8"];

const nameOf = (module) => module.split("/").at(-1);

const late = {
  name: "late",
  resolveId(source, importer) {
    if (importer?.startsWith("\0late:")) return { id: source, external: true };
    const isRelative = source.startsWith(".");
    const module = isRelative ? LATE.find((one) => join(dirname(importer), source) === file(one)) : source;
    if (isRelative ? module !== undefined : LATE_BUILTINS.includes(source)) return `\0late:${module}`;
    // zod is bundled: the tenth of it that hookbox uses loads four times as fast as the package.
    return /^[^./\0]/.test(source) && source !== "zod" ? { id: source, external: true } : undefined;
  },
  async load(id) {
    if (!id.startsWith("\0late:")) return undefined;
    const module = id.slice("\0late:".length);
    const [from, all] = LATE.includes(module)
      ? [`./${nameOf(module)}.cjs`, await import(file(module))]
      : [module, await import(module)];
    return Object.keys(all)
      .filter((name) => name !== "default" && typeof all[name] === "function")
      .map((name) => `export const ${name} = (...all) => require(${JSON.stringify(from)}).${name}(...all);`)
      .join("\n");
  },
};

/**
 * Loads packages with `require` where the source has `import()`, because loading Node's loader of ES modules takes
 * longer than answering an event. An `import()` of a name that is computed stays.
 */
const required = {
  name: "required",
  transform: (code) => code.replace(/\bimport\(("[^."][^"]*")\)/g, "Promise.resolve().then(() => require($1))"),
};

/** Collects the modules that the modules of `roots` import statically, and these modules. */
function staticImports(roots) {
  const importsOf = new Map();
  const found = new Set(roots);
  return {
    found,
    plugin: {
      name: "static-imports",
      moduleParsed: ({ id, importedIds }) => void importsOf.set(id, importedIds),
      buildEnd() {
        for (const id of found) for (const to of importsOf.get(id) ?? []) found.add(to);
      },
    },
  };
}

const common = { platform: "node", transform: { target: "node20.19" } };
const written = {
  minify: { compress: true, mangle: true, codegen: { asciiOnly: true, removeWhitespace: true } },
  comments: false,
};

function write(name, code) {
  writeFileSync(folder + name, code, { mode: name === "hookbox.cjs" ? 0o755 : 0o644 });
}

/** Writes one file without other files of the bundle. */
async function writeAlone(entry, name, format) {
  const bundle = await rolldown({ ...common, input: file(entry), plugins: [late] });
  const { output } = await bundle.generate({ ...written, format, codeSplitting: false });
  await bundle.close();
  write(name, output[0].code);
}

/** Writes a file for each dynamic import of the source, and files for what several of these share. */
async function writeShared() {
  const kernel = staticImports(ONE_EVENT);
  const library = Object.entries(LIBRARY).map(([name, module]) => [name, file(module)]);
  const bundle = await rolldown({
    ...common,
    input: Object.fromEntries([
      ["main", ONE_EVENT[0]],
      ...library,
      ...LATE.map((module) => [nameOf(module), file(module)]),
    ]),
    plugins: [late, required, kernel.plugin],
  });
  const { output } = await bundle.generate({
    ...written,
    format: "cjs",
    esModule: false,
    externalLiveBindings: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    codeSplitting: {
      groups: [
        // `main` is a file of its own, because the library has the same kernel.
        { name: "kernel", test: (id) => kernel.found.has(id) && id !== ONE_EVENT[0], priority: 2 },
        { name: "zod", test: /node_modules/, priority: 2 },
      ],
    },
  });
  await bundle.close();
  const runtime = output.find(({ fileName }) => fileName === RUNTIME);
  for (const { fileName, code } of output.filter((one) => one !== runtime)) {
    const ownRuntime =
      fileName === "kernel.cjs"
        ? `exports.runtime=(exports=>{${runtime.code}return exports})({})`
        : `require("./kernel.cjs").runtime`;
    write(fileName, code.replace(`require("./${RUNTIME}")`, ownRuntime).replace(GETTER, "exports.$1=$2"));
  }
  for (const { name, exports } of output.filter(({ name, isEntry }) => isEntry && name in LIBRARY))
    write(`${name}.js`, `import all from "./${name}.cjs";\nexport const { ${exports.join(", ")} } = all;\n`);
}

/** rolldown's own functions. In the kernel, because reading one more file takes longer than running them. */
const RUNTIME = "rolldown-runtime.cjs";

/** How rolldown exports a variable to other files. All are set by then, and assigning them is smaller and faster. */
const GETTER = /Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;

mkdirSync(folder, { recursive: true });
await writeShared();
await writeAlone("cli/start", "hookbox.cjs", "cjs");
await writeAlone("sandbox/pool/worker", "worker.js", "es");
await writeAlone("sandbox/pool/process/child", "child.js", "es");
