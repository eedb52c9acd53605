import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { readDocument } from "../../src/config/document.ts";
import type { ConfigDocument } from "../../src/dialects/dialect.ts";
import type { Place, Problem } from "../../src/errors.ts";
import type { Rule } from "../../src/rule.ts";

/** Creates a folder with these files, which is removed after the test. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Returns the place of `needle` in `text`, counted independently of the reader. */
export function whereIs(needle: string, text: string): { line: number; column: number } {
  const parts = text.split(needle);
  if (parts.length !== 2) throw new Error(`${JSON.stringify(needle)} stands ${parts.length - 1} times in the text`);
  const lines = (parts[0] ?? "").split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

export async function open(text: string, file = "hookbox.json"): Promise<ConfigDocument> {
  const read = await readDocument(text, file);
  if (!read.ok) throw new Error(`not read: ${JSON.stringify(read.problems)}`);
  return read.document;
}

export async function problemIn(text: string, file = "hookbox.json"): Promise<Problem> {
  const read = await readDocument(text, file);
  const [problem, ...more] = read.problems;
  if (read.ok || problem === undefined || more.length > 0)
    throw new Error(`one problem expected: ${JSON.stringify(read)}`);
  return problem;
}

export const lineAndColumn = ({ line, column }: Place) => ({ line, column });

/** Returns which events have a broken rule, for which tools, and why. */
export function brokenIn(rules: readonly Rule[]) {
  return rules.flatMap(({ event, matcher, handler }) =>
    handler.type === "broken" ? [{ event, matcher, code: handler.problem.code, type: handler.declaredType }] : [],
  );
}

/** Returns the rules without those that the agent adds to each of its files. */
export function writtenIn(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ implied }) => implied !== true);
}

export function commandsIn(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ handler }) => (handler.type === "command" ? [handler.command] : []));
}

/** Returns a configuration with one command hook for each command. */
export function guardedBy(...commands: string[]) {
  return { hooks: { PreToolUse: [{ hooks: commands.map((command) => ({ type: "command", command })) }] } };
}
