import { randomUUID } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const SOURCE = resolve(import.meta.dirname, "../fixtures/mcp/server.mjs");
/** vitest.config.ts creates one folder for each run of the suite. */
const FOLDER = process.env["XDG_CACHE_HOME"] ?? "";

/**
 * The server of test/fixtures/mcp bundled into one file, which starts in two thirds of the time. Each run of the suite
 * bundles it once.
 */
export const MCP_SERVER = join(FOLDER, "mcp-server.mjs");

if (!existsSync(MCP_SERVER)) {
  // Two workers may bundle it at the same time; neither may start a half-written file.
  const draft = join(FOLDER, `mcp-server-${randomUUID()}.mjs`);
  await build({
    entryPoints: [SOURCE],
    outfile: draft,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    // The bundled CommonJS packages load Node's own modules through `require`.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  renameSync(draft, MCP_SERVER);
}
