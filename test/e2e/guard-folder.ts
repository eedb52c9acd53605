import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

/** Creates a project with hookbox, esbuild and these files. It is removed after the test. */
export function projectWith(files: Readonly<Record<string, string | object>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-author-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules/hookbox"));
  symlinkSync(join(ROOT, "node_modules/esbuild"), join(folder, "node_modules/esbuild"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
  return folder;
}

/** Returns a guard whose `handle` has this body, which starts on line 8. */
export function guardText(body: string, { name = "test-guard", before = "", fields = "" } = {}): string {
  return `import { ask, defineGuard, deny } from "hookbox/guest";
${before}
export default defineGuard({
  name: "${name}",
  version: "1.0.0",
  events: ["PreToolUse"],${fields}
  handle(event, context) {
    ${body}
  },
});
`;
}

interface FixtureParts {
  readonly name: string;
  readonly command: unknown;
  readonly decision: string;
  readonly reason?: string;
}

export function fixtureOf({ name, command, decision, reason }: FixtureParts): object {
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
  return { name, event, decision, ...(reason === undefined ? {} : { reason }) };
}

export const DENIES = fixtureOf({ name: "denies", command: "rm", decision: "deny", reason: "no" });
