import { join, resolve } from "node:path";
import { build } from "esbuild";

const SOURCE = resolve(import.meta.dirname, "../fixtures/mcp/server.mjs");

/** The server of test/fixtures/mcp in one file, which starts in two thirds of the time: for whoever starts many. */
export async function bundleMcpServer(folder: string): Promise<string> {
  const file = join(folder, "mcp-server.mjs");
  await build({
    entryPoints: [SOURCE],
    outfile: file,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    // What is CommonJS in it asks for Node's own modules that way.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  return file;
}
