import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * Creates files in a folder that is removed after the test. Returns the real path of the folder, as a build sees it.
 */
export function folderWith(files: Readonly<Record<string, string | object>>, within?: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-guard-source-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = within === undefined ? root : join(root, within);
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

/** Returns a guard with this body of `handle`, and this text before it. */
export function guardText(body: string, { before = "", fields = "" } = {}): string {
  return `import { allow, ask, defineGuard, deny } from "hookbox/guest";
${before}
export default defineGuard({
  name: "test-guard",
  version: "1.0.0",
  events: ["PreToolUse"],${fields}
  handle(event, context) {
    ${body}
  },
});
`;
}
