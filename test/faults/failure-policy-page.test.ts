import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAGE_FILE, renderPage } from "./page.ts";

test("the page describes what the engine does (npm run failure-policy writes it)", () => {
  expect(readFileSync(PAGE_FILE, "utf8")).toBe(renderPage());
});

/** What the agents' own documentation and code say, looked up by hand. */
const BY_HAND: readonly (readonly [string, event: string, kind: string, safer: string, faithful: string])[] = [
  ["hookbox", "PreToolUse", "exit", "refuses", "refuses"],
  ["claude-code", "PreToolUse", "exit", "goes on", "goes on"],
  ["claude-code", "PreToolUse", "timeout", "refuses", "goes on"],
  ["claude-code", "PreToolUse", "turns", "refuses", "goes on"],
  ["docker-agent", "PreToolUse", "unavailable", "refuses", "refuses"],
  ["docker-agent", "PreToolUse", "exit", "refuses", "goes on"],
  ["docker-agent", "UserPromptSubmit", "timeout", "goes on", "goes on"],
  ["agentao", "PreToolUse", "timeout", "refuses", "goes on"],
  ["agentao", "PreToolUse", "exit", "goes on", "goes on"],
  ["agentao", "Stop", "signal", "goes on", "goes on"],
  ["agentao", "PreCompact", "exit", "goes on", "goes on"],
  ["autohand", "PreToolUse", "exit", "refuses", "goes on"],
  ["autohand", "PermissionRequest", "invalid-output", "refuses", "goes on"],
  ["autohand", "BeforeLearn", "exit", "goes on", "goes on"],
  ["openclaw", "PreToolUse", "timeout", "refuses", "refuses"],
  ["openclaw", "MessageSending", "timeout", "goes on", "goes on"],
  ["openclaw", "Stop", "timeout", "goes on", "goes on"],
  ["patterns", "PreToolUse", "unavailable", "refuses", "goes on"],
];

test.each(BY_HAND)(
  "the page contains what %s means by a failure at %s: %s",
  (dialect, event, kind, safer, faithful) => {
    expect(COMPATS.map((compat) => found(dialect, event, kind, compat))).toEqual([safer, faithful]);
  },
);

const COMPATS = ["safer", "faithful"];

/** Looks up the page as a reader does: the section, the letter of the event, the row of the failure. */
function found(dialect: string, event: string, kind: string, compat: string): string | undefined {
  const section = renderPage().split(`## Hooks of \`${dialect}\``)[1]?.split("\n## ")[0] ?? "";
  const groups = section.split("\n").filter((line) => line.startsWith("- **"));
  const group =
    groups.find((line) => line.includes(`\`${event}\``)) ?? groups.find((line) => line.includes("all other"));
  const letter = group?.slice("- **".length, "- **A".length);
  const [titles = [], , ...rows] = section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const column = titles.findIndex((title) => title === letter || title === `${letter}, ${compat}`);
  return rows.find(([, kinds = ""]) => kinds === "any" || kinds.includes(`\`${kind}\``))?.[column];
}
