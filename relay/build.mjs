// Builds the native relays with Debian's compilers, and writes their digests. The bytes depend on the compilers' versions
// only: node relay/build.mjs [--check]

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const COMPILERS = { x64: "gcc", arm64: "aarch64-linux-gnu-gcc" };
const FLAGS = [
  ..."-std=c11 -Os -static -nostdlib -nostartfiles -ffreestanding -fno-pic -no-pie -fno-ident -s".split(" "),
  ..."-fno-stack-protector -fno-asynchronous-unwind-tables -fno-unwind-tables".split(" "),
  // Otherwise the compiler makes calls of memcpy and memset out of loops.
  "-fno-tree-loop-distribute-patterns",
  ..."-ffunction-sections -fdata-sections -Wall -Wextra -Werror".split(" "),
  "-Wl,--gc-sections,--build-id=none,-z,norelro,-z,noseparate-code,-z,noexecstack",
];
const isCheck = process.argv.includes("--check");

const scratch = mkdtempSync(join(tmpdir(), "hookbox-relay-"));
const digests = {};
try {
  for (const [processor, compiler] of Object.entries(COMPILERS)) {
    const name = `relay-linux-${processor}`;
    const built = join(scratch, name);
    execFileSync(compiler, [...FLAGS, "-o", built, "relay.c"], {
      cwd: folder,
      stdio: "inherit",
      env: { ...process.env, LC_ALL: "C" },
    });
    const bytes = readFileSync(built);
    digests[name] = createHash("sha256").update(bytes).digest("hex");
    if (!isCheck) writeFileSync(join(folder, name), bytes, { mode: 0o755 });
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const text = `${JSON.stringify(digests, null, 2)}\n`;
if (isCheck && readFileSync(join(folder, "digests.json"), "utf8") !== text) throw new Error(`other bytes:\n${text}`);
if (!isCheck) writeFileSync(join(folder, "digests.json"), text);
process.stdout.write(text);
