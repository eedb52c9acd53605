// The command line in one file: Node takes about a millisecond for each file that it loads, and an agent starts a
// process for each event. A script rather than a module, since that is loaded faster still. Our own code only; packages
// stay where npm has put them.

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const dist = new URL("../dist/", import.meta.url);
const path = (name) => fileURLToPath(new URL(name, dist));

// As deep as the modules that look for the guards from where they are.
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
  // Also of the other file: a build leaves in the cache what `run` looks for, and the cache goes by this file's age.
  banner: { js: 'const __bundleUrl = require("node:url").pathToFileURL(`${__dirname}/hookbox.cjs`).href;' },
};

// What only authors of guards need is a file of its own: even unused, it would take a process that answers an agent about
// a millisecond to read.
const AUTHORS = "authors.cjs";
const apart = {
  name: "authors-apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/commands\/(new|build|test)\.js$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: `./${AUTHORS}`, external: true } : undefined,
    );
  },
};

await build({
  ...script,
  entryPoints: [path("cli/main.js")],
  outfile: path(`${folder}hookbox.cjs`),
  plugins: [apart],
});

await build({
  ...script,
  stdin: {
    contents: ["new", "build", "test"].map((verb) => `export * from "./cli/commands/${verb}.js";\n`).join(""),
    resolveDir: path(""),
  },
  outfile: path(`${folder}${AUTHORS}`),
});

// Looked for beside the code that starts the threads.
await build({
  ...common,
  entryPoints: [path("executors/wasm/worker.js")],
  outfile: path(`${folder}worker.js`),
  format: "esm",
});
