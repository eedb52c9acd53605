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
  keepNames: true,
  logLevel: "warning",
};

await build({
  ...common,
  entryPoints: [path("cli/main.js")],
  outfile: path(`${folder}hookbox.cjs`),
  format: "cjs",
  define: { "import.meta.url": "__bundleUrl" },
  banner: { js: 'const __bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
});

// Looked for beside the code that starts the threads.
await build({
  ...common,
  entryPoints: [path("executors/wasm/worker.js")],
  outfile: path(`${folder}worker.js`),
  format: "esm",
});
