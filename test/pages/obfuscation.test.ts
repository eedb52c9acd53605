import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { judge } from "../plugins/shell-guard-verdict.ts";
import { hide, OBFUSCATIONS, OUT_OF_REACH, REASONS } from "../spellings/obfuscations.ts";

/** docs/obfuscation.md. HOOKBOX_DOCS=write writes the page. */

const PAGE = resolve(import.meta.dirname, "../../docs/obfuscation.md");

const seen = OBFUSCATIONS.map((one) => {
  const text = hide({ ...one, template: one.template.replaceAll("@N", "x1") }, "rm -rf / x1");
  return { ...one, text, decision: judge(text).decision };
});

function page(): string {
  const groups = [...new Set(seen.map(({ group }) => group))].filter((group) => group !== OUT_OF_REACH);
  const counts = groups.map((group) => {
    const own = seen.filter((one) => one.group === group);
    const denied = own.filter(({ decision }) => decision === "deny").length;
    const asked = own.filter(({ decision }) => decision === "ask").length;
    return `| ${group} | ${own.length} | ${denied} | ${asked} | ${own.length - denied - asked} |`;
  });
  const code = (text: string): string => `\`\`${text.includes("`") ? ` ${text} ` : text}\`\``.replace(/\n/g, "⏎");
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  const passing = seen
    .filter(({ group, decision }) => group !== OUT_OF_REACH && decision === "none")
    .map(({ group, name, text }) => `| ${group} | ${name} | ${cell(code(text))} |`);
  const unseen = seen
    .filter(({ group }) => group === OUT_OF_REACH)
    .map(({ name, text }) => `| ${name} | ${cell(code(text))} | ${REASONS[name]} |`);
  return [
    "# Hidden commands",
    "",
    "This page counts ways to hide `rm -rf /` from [shell-guard](shipped-guards.md#shell-guard), and what the guard decides",
    "in its default settings. `npm run docs:write` writes the page, and a test compares the page with the guard. A hidden",
    "command that the guard cannot follow is a reason to ask if a text of the same call would be denied.",
    "",
    "| group | ways | denied | asked | passed |",
    "| --- | --- | --- | --- | --- |",
    ...counts,
    "",
    "These ways pass:",
    "",
    "| group | way | text |",
    "| --- | --- | --- |",
    ...passing,
    "",
    "The guard cannot see these commands, because they are not in the call:",
    "",
    "| way | text | reason |",
    "| --- | --- | --- |",
    ...unseen,
    "",
    "An agent that may write files and run tests can run any code. Only a sandbox around the agent bounds such code.",
    "",
  ].join("\n");
}

test("docs/obfuscation.md has the figures of the guard", () => {
  if (process.env["HOOKBOX_DOCS"] === "write") writeFileSync(PAGE, page());
  expect(readFileSync(PAGE, "utf8")).toBe(page());
});

test("shell-guard stops at least 97 of 100 hidden commands that are in the call", () => {
  const inReach = seen.filter(({ group }) => group !== OUT_OF_REACH);
  const passed = inReach.filter(({ decision }) => decision === "none").map(({ name, text }) => `${name}: ${text}`);
  expect(inReach.length - passed.length, passed.join("\n")).toBeGreaterThanOrEqual(0.97 * inReach.length);
});
