// The command line in one file: Node takes about a millisecond for each file that it loads, and an agent starts a
// process for each event. A script rather than a module, since that is loaded faster still. Our own code only; packages
// stay where npm has put them.

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
  // Also of the other files: a build leaves in the cache what `run` looks for, and the cache goes by this file's age.
  banner: { js: 'const __bundleUrl = require("node:url").pathToFileURL(`${__dirname}/main.cjs`).href;' },
};

const FORMATS = readdirSync(path("dialects"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `dialects/${name}/config-format.js`);

const lateFormat = (file) => `get ${JSON.stringify(file)}() { return require("./${file}"); },\n`;

// What a process that answers an agent does not need, or mostly not, is in files of its own: even unused, it would take
// a few milliseconds to read. Each has its own copy of what both need, so that no object of a class that is
// asked about (`instanceof`) may go from one to the other.
const APART = {
  /** What people type, and no agent starts. */
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
  /** For agents that keep a process, and for hooks that outlive one: with an engine of its own. */
  "lines.cjs": ["cli/lines/serve-lines.js", "cli/background/keep.js"],
  /** Hooks that think, tools of servers, built-in hooks. */
  "thinking.cjs": [
    "models/models.js",
    ...["agent/agent", "builtin/builtin", "mcp/mcp-tool", "model/model"].map((name) => `executors/${name}-executor.js`),
  ],
  "web-hooks.cjs": ["executors/http/post-event.js"],
  /** Requests of guards. */
  "guard-http.cjs": ["executors/wasm/granted/http-broker.js", "executors/wasm/guest/capabilities/http-reader.js"],
  /** What the next process finds in the cache: the rules of files, and modules that have been let in. */
  "parse.cjs": ["config/parse.js", "config/document.js", "engine/register.js"],
  /** Where agents keep their own files: read with --format alone. */
  "places.cjs": ["claude-code", "docker-agent"].map((name) => `dialects/${name}/places.js`),
  "admission.cjs": [
    ...["admission/admission", "compile-unoptimised"].map((name) => `executors/wasm/${name}.js`),
    "processes/claims.js",
  ],
  /** The same for a guard of the shared engine, which is most of them. */
  "engine-guard.cjs": ["executors/wasm/admission/engine-guard.js"],
  /** For manifests that are not as plain as most. */
  "manifest-schema.cjs": ["executors/wasm/admission/manifest-schema.js"],
  /** Threads, for guards that have not answered here with little fuel. */
  "pool.cjs": ["executors/wasm/pool/thread-pool.js"],
  /** For embedders. */
  "process-pool.cjs": ["executors/wasm/pool/process/process-pool.js"],
  /** What guards may do whose rules grant something: most grant nothing. */
  "granted.cjs": ["granted/granted-side", "granted/file-writes"].map((name) => `executors/wasm/${name}.js`),
  /** Guards' own tests, which never run within a call. */
  "fixtures.cjs": [
    "executors/wasm/fixtures/fixture-check.js",
    "executors/wasm/calls/preparation.js",
    "cli/background/test-guards.js",
  ],
  /** Which rules with `once` have run. */
  "once.cjs": ["engine/once-store.js"],
  "tool-call.cjs": ["engine/tool-call.js"],
  /** Whom a hook has left behind that had to be stopped. */
  "runaways.cjs": ["processes/runaways.js"],
  /** Texts about payloads that no dialect recognises. */
  "unknown-payload.cjs": ["cli/unknown-payload.js"],
  /** For people. */
  "help-texts.cjs": ["cli/help-texts.js"],
  /** Handing hooks that outlive an answer over, and looking after one. */
  "background.cjs": ["start-keeper", "watch-detached", "slots"].map((name) => `cli/background/${name}.js`),
};

/** For embedders, who have the files themselves: the engine has these at hand, and no verb calls them. */
const LATER = {
  [path("engine/tool-call.js")]: { name: "runToolCall", from: "./tool-call.cjs" },
  [path("engine/register.js")]: { name: "loadRegistered", from: "./parse.cjs" },
};

/** For an event whose condition looks at a shell command. The files themselves load it at once. */
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

/** Node's own that most events do without, and that take it a millisecond each: loaded when something of them is used. */
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
 * Zod, of which a file uses a tenth: what it does not use is left out, where the whole package takes Node four times as
 * long to load. esbuild sees what is used of a namespace only where it is imported as one.
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
/** What files of their own are built with, but for those that need none of it. */
const PLUGINS = {
  "parse.cjs": [zod],
  "manifest-schema.cjs": [zod],
  "admission.cjs": [apart],
  "engine-guard.cjs": [apart],
};

/** With the files beside it in place of copies of what is in them. */
const splitScript = {
  ...script,
  plugins: [apart, late],
  // `require` in place of `import()`: the files are scripts, and what imports modules takes Node longer to load than it
  // takes to answer.
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
    // It needs most of what the main script does.
    ...(file === "lines.cjs" ? splitScript : script),
    ...(file in PLUGINS ? { plugins: PLUGINS[file], supported: splitScript.supported } : {}),
    stdin: {
      contents: [
        ...modules.map((module) => `export * from "./${module}";\n`),
        // A process reads files of one format, and what the others have at their top level takes longer than that.
        ...(file === "parse.cjs" ? [`export const formats = {\n${FORMATS.map(lateFormat).join("")}};\n`] : []),
      ].join(""),
      resolveDir: path(""),
    },
    outfile: path(`${folder}${file}`),
  });
}

await build({ ...script, banner: {}, entryPoints: [SHELL.module], outfile: path(`${folder}${SHELL.file}`) });

// Looked for beside the code that starts the threads and processes.
for (const entry of ["worker.js", "process/child.js"]) {
  await build({
    ...common,
    entryPoints: [path(`executors/wasm/pool/${entry}`)],
    outfile: path(`${folder}${entry.split("/").at(-1)}`),
    format: "esm",
  });
}
