import { randomUUID } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const SOURCE = resolve(import.meta.dirname, "../fixtures/mcp/server.mjs");
/** vitest.config.ts makes one for each run of the suite. */
const FOLDER = process.env["XDG_CACHE_HOME"] ?? "";

/**
 * The server of test/fixtures/mcp in one file, which starts in two thirds of the time. It is bundled once in a run of the
 * suite.
 */
export const MCP_SERVER = join(FOLDER, "mcp-server.mjs");

if (!existsSync(MCP_SERVER)) {
  // Two workers may bundle it at once, and neither may start half a file.
  const draft = join(FOLDER, `mcp-server-${randomUUID()}.mjs`);
  await build({
    entryPoints: [SOURCE],
    outfile: draft,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    // What is CommonJS in it asks for Node's own modules that way.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  renameSync(draft, MCP_SERVER);
}
