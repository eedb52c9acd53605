// The command line in one file: Node takes about a millisecond for each file that it loads, and an agent starts a
// process for each event. A script rather than a module, since that is loaded faster still. Our own code only; packages
// stay where npm has put them.

import childProcess from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
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
  ].map((verb) => `cli/commands/${verb}.js`),
  /** For agents that keep a process: with an engine of its own, and worth its while at the second event. */
  "lines.cjs": ["cli/lines/serve-lines.js"],
  /** Hooks that think, tools of servers, built-in hooks. */
  "thinking.cjs": [
    "models/models.js",
    ...["agent/agent", "builtin/builtin", "mcp/mcp-tool", "model/model"].map((name) => `executors/${name}-executor.js`),
  ],
  "web-hooks.cjs": ["executors/http/post-event.js"],
  /** Requests of guards. */
  "guard-http.cjs": ["executors/wasm/granted/http-broker.js", "executors/wasm/guest/capabilities/http-reader.js"],
  /** What the next process finds in the cache: the rules of files, and modules that have been let in. */
  "parse.cjs": ["config/parse.js", ...FORMATS, "engine/register.js"],
  "admission.cjs": ["executors/wasm/admission/admission.js"],
  /** Threads, for guards that have not answered here with little fuel. */
  "pool.cjs": ["executors/wasm/pool/thread-pool.js"],
  /** For embedders. */
  "process-pool.cjs": ["executors/wasm/pool/process/process-pool.js"],
  /** What guards may do whose rules grant something: most grant nothing. */
  "granted.cjs": ["granted/granted-side", "granted/file-writes", "admission/idle-grants"].map(
    (name) => `executors/wasm/${name}.js`,
  ),
  "tool-call.cjs": ["engine/tool-call.js"],
  /** Whom a hook has left behind that had to be stopped. */
  "runaways.cjs": ["processes/runaways.js"],
  /** Handing hooks that outlive an answer over, and looking after one. */
  "background.cjs": ["start-keeper", "watch-detached", "slots"].map((name) => `cli/background/${name}.js`),
};

/** For embedders, who have the files themselves: the engine has these at hand, and no verb calls them. */
const LATER = {
  [path("engine/tool-call.js")]: { name: "runToolCall", from: "./tool-call.cjs" },
  [path("engine/register.js")]: { name: "loadRegistered", from: "./parse.cjs" },
};

const apart = {
  name: "apart",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir, kind }) => {
      const wanted = join(resolveDir, name);
      if (wanted in LATER) return { path: wanted, namespace: "later" };
      if (kind !== "dynamic-import") return undefined;
      const file = Object.keys(APART).find((one) => APART[one].some((module) => path(module) === wanted));
      return file === undefined ? undefined : { path: `./${file}`, external: true };
    });
    onLoad({ filter: /./, namespace: "later" }, ({ path: wanted }) => {
      const { name, from } = LATER[wanted];
      return { contents: `export const ${name} = async (...all) => (await import("${from}")).${name}(...all);` };
    });
    onResolve({ filter: /\.cjs$/, namespace: "later" }, ({ path }) => ({ path, external: true }));
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
    stdin: {
      contents: modules.map((module) => `export * from "./${module}";\n`).join(""),
      resolveDir: path(""),
    },
    outfile: path(`${folder}${file}`),
  });
}

// Looked for beside the code that starts the threads and processes.
for (const entry of ["worker.js", "process/child.js"]) {
  await build({
    ...common,
    entryPoints: [path(`executors/wasm/pool/${entry}`)],
    outfile: path(`${folder}${entry.split("/").at(-1)}`),
    format: "esm",
  });
}
