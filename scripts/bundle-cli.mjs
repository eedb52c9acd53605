// Bundles the command line into one file: Node takes about a millisecond to load a file, and an agent starts a process
// for each event. CommonJS and not ES modules, because it loads faster. Only our own code is bundled; packages stay in
// node_modules.

import childProcess from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import v8 from "node:v8";
import { build } from "esbuild";

const dist = new URL("../dist/", import.meta.url);
const path = (name) => fileURLToPath(new URL(name, dist));

const folder = "bundle/cli/";
const common = {
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20.19",
  minify: true,
  logLevel: "warning",
};

const script = {
  ...common,
  format: "cjs",
  define: { "import.meta.url": "__bundleUrl" },
  // All files use the URL of main.cjs, because entries of the cache depend on the age of this file, and a guard's build
  // writes cache entries that `run` reads.
  banner: { js: 'const __bundleUrl = require("node:url").pathToFileURL(`${__dirname}/main.cjs`).href;' },
};

const FORMATS = readdirSync(path("dialects"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `dialects/${name}/config-format.js`);

const lateFormat = (file) => `get ${JSON.stringify(file)}() { return require("./${file}"); },\n`;

// Code that a process rarely needs when it answers an agent has its own files, because even unused code takes a few
// milliseconds to load. Shared code is copied into each file, so objects of classes that are tested with `instanceof`
// must not be passed between files.
const APART = {
  /** Commands for users that no agent starts. */
  "authors.cjs": [
    "demo",
    "check",
    "convert",
    "inspect",
    "lock",
    "explain",
    "hooks",
    "new",
    "build",
    "test",
    "snapshots",
    "completion",
  ].map((verb) => `cli/commands/${verb}.js`),
  /** For agents that keep a process, and for hooks that outlive one. Contains its own engine. */
  "lines.cjs": ["cli/lines/serve-lines.js", "cli/background/keeper.js"],
  /** Hooks with a model, MCP tools, and built-in hooks. */
  "thinking.cjs": [
    "models/models.js",
    ...["agent/agent", "builtin/builtin", "mcp/mcp-tool", "model/model"].map((name) => `executors/${name}-executor.js`),
  ],
  "web-hooks.cjs": ["executors/http/post-event.js"],
  /** HTTP requests of guards. */
  "guard-http.cjs": ["sandbox/grants/http-broker.js", "sandbox/guest/capabilities/http-reader.js"],
  /** Work whose results the next process finds in the cache: parsed configurations and admitted modules. */
  "parse.cjs": ["config/parse.js", "config/document.js", "engine/registered-rules.js"],
  /** The places of agents' own files, read only with --format. */
  "places.cjs": ["claude-code", "docker-agent"].map((name) => `dialects/${name}/places.js`),
  "admission.cjs": [
    ...["admission", "compile-unoptimised"].map((name) => `sandbox/admission/${name}.js`),
    "processes/claims.js",
  ],
  /** Admission of a guard with the shared engine, which most guards have. */
  "engine-guard.cjs": ["sandbox/admission/engine-guard.js"],
  /** For manifests that need the full schema. */
  "manifest-schema.cjs": ["sandbox/admission/manifest-schema.js"],
  /** Threads, for guards that did not answer in their first try. */
  "pool.cjs": ["sandbox/pool/thread-pool.js"],
  /** For embedders. */
  "process-pool.cjs": ["sandbox/pool/process/process-pool.js"],
  /** Capabilities of guards whose rules grant something. Most rules grant nothing. */
  "granted.cjs": ["grant-services", "file-writes"].map((name) => `sandbox/grants/${name}.js`),
  /** Guards' own tests, which never run during a call. */
  "fixtures.cjs": [
    "executors/wasm/fixtures/fixture-check.js",
    "executors/wasm/calls/preparation.js",
    "cli/background/test-guards.js",
  ],
  /** The record of `once` rules that have run. */
  "once.cjs": ["engine/once-store.js"],
  "tool-call.cjs": ["engine/tool-call.js"],
  /** Finds processes that a stopped hook left behind. */
  "runaways.cjs": ["processes/runaways.js"],
  /** Messages about payloads that no dialect recognises. */
  "unknown-payload.cjs": ["cli/unknown-payload.js"],
  /** Help for users. */
  "help-texts.cjs": ["cli/help-texts.js"],
  /** Passes hooks that outlive an answer to a keeper process, and the keeper itself. */
  "background.cjs": ["start-keeper", "watch-detached", "slots"].map((name) => `cli/background/${name}.js`),
};

/** Functions that the engine offers to embedders and that no command calls. Embedders load the unbundled files. */
const LATER = {
  [path("engine/tool-call.js")]: { name: "runToolCall", from: "./tool-call.cjs" },
  [path("engine/registered-rules.js")]: { name: "loadRegistered", from: "./parse.cjs" },
};

/** For events whose condition reads a shell command. The unbundled files load it statically. */
const SHELL = { file: "shell.cjs", module: path("matcher/condition/shell/read-commands.js") };

const apart = {
  name: "apart",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir, kind }) => {
      const wanted = join(resolveDir, name);
      if (wanted === SHELL.module) return { path: wanted, namespace: "shell" };
      if (wanted in LATER) return { path: wanted, namespace: "later" };
      if (kind !== "dynamic-import") return undefined;
      if (FORMATS.some((one) => path(one) === wanted)) return { path: wanted, namespace: "format" };
      const file = Object.keys(APART).find((one) => APART[one].some((module) => path(module) === wanted));
      return file === undefined ? undefined : { path: `./${file}`, external: true };
    });
    onLoad({ filter: /./, namespace: "later" }, ({ path: wanted }) => {
      const { name, from } = LATER[wanted];
      return { contents: `export const ${name} = async (...all) => (await import("${from}")).${name}(...all);` };
    });
    onLoad({ filter: /./, namespace: "shell" }, () => ({
      contents: `export const readCommands = (text) => require("./${SHELL.file}").readCommands(text);`,
    }));
    onLoad({ filter: /./, namespace: "format" }, ({ path: wanted }) => ({
      contents: `module.exports = require("./parse.cjs").formats[${JSON.stringify(relative(path(""), wanted))}];`,
    }));
    for (const namespace of ["shell", "later", "format"])
      onResolve({ filter: /\.cjs$/, namespace }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Modules of Node that most events do not need and that take a millisecond each. They are loaded at the first use of an
 * export.
 */
const LATE_BUILTINS = { "node:child_process": childProcess, "node:v8": v8 };

const late = {
  name: "late",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(child_process|v8)$/ }, ({ path, namespace }) =>
      namespace === "late" ? { path, external: true } : { path, namespace: "late" },
    );
    onLoad({ filter: /./, namespace: "late" }, ({ path }) => ({
      contents: `for (const name of ${JSON.stringify(Object.keys(LATE_BUILTINS[path]))})
        Object.defineProperty(exports, name, { enumerable: true, get: () => require("${path}")[name] });`,
    }));
  },
};

/**
 * Bundles only the tenth of zod that a file uses, because the whole package takes Node four times as long to load.
 * esbuild removes unused exports only if zod is imported as a namespace.
 */
const zod = {
  name: "zod",
  setup({ onResolve, onLoad }) {
    const path = fileURLToPath(import.meta.resolve("zod/v4"));
    const external = join(path, "../classic/external.js");
    onResolve({ filter: /^zod$/ }, () => ({ path: external }));
    onLoad({ filter: /\/dist\/.*\.js$/ }, ({ path: file }) => ({
      contents: readFileSync(file, "utf8").replace('import { z } from "zod"', 'import * as z from "zod"'),
    }));
  },
};
/** Plugins for the files that need any. */
const PLUGINS = {
  "parse.cjs": [zod],
  "manifest-schema.cjs": [zod],
  "admission.cjs": [apart],
  "engine-guard.cjs": [apart],
};

/** Loads the separate files with `require` instead of including copies of their code. */
const splitScript = {
  ...script,
  plugins: [apart, late],
  // `require` instead of `import()`: loading Node's ES module loader takes longer than answering an event.
  supported: { "dynamic-import": false },
};

await build({ ...splitScript, entryPoints: [path("cli/main.js")], outfile: path(`${folder}main.cjs`) });

await build({
  ...script,
  banner: {},
  entryPoints: [path("cli/start.js")],
  outfile: path(`${folder}hookbox.cjs`),
  plugins: [late],
});

for (const [file, modules] of Object.entries(APART)) {
  await build({
    // lines.cjs needs most of the code in main.cjs.
    ...(file === "lines.cjs" ? splitScript : script),
    ...(file in PLUGINS ? { plugins: PLUGINS[file], supported: splitScript.supported } : {}),
    stdin: {
      contents: [
        ...modules.map((module) => `export * from "./${module}";\n`),
        // Loaded on first use, because a process reads files of only one format, and initialising all formats takes
        // longer.
        ...(file === "parse.cjs" ? [`export const formats = {\n${FORMATS.map(lateFormat).join("")}};\n`] : []),
      ].join(""),
      resolveDir: path(""),
    },
    outfile: path(`${folder}${file}`),
  });
}

await build({ ...script, banner: {}, entryPoints: [SHELL.module], outfile: path(`${folder}${SHELL.file}`) });

// The code that starts threads and processes looks for these files in its own folder.
for (const entry of ["worker.js", "process/child.js"]) {
  await build({
    ...common,
    entryPoints: [path(`sandbox/pool/${entry}`)],
    outfile: path(`${folder}${entry.split("/").at(-1)}`),
    format: "esm",
  });
}
