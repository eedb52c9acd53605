import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { bash, hookAt, permission, prints } from "./calls.ts";
import { type Client, installClaudeCode } from "./install.ts";
import { claudeSession } from "./session.ts";

/**
 * What the real client makes of hooks, without hookbox: the reasons for how hookbox answers it. The table in
 * docs/claude-code.md is held to this.
 */

const PAGE = readFileSync(resolve(import.meta.dirname, "../../../docs/claude-code.md"), "utf8");

interface Case {
  readonly does: string;
  readonly command: string;
  readonly timeout?: number;
  readonly outcome: "runs" | "refused";
  /** With `"onFailure": "block"`. */
  readonly closed: "runs" | "refused";
}

const DENY = permission("deny", "not now");

const CASES: readonly Case[] = [
  { does: "is killed", command: "kill -9 $$", outcome: "runs", closed: "refused" },
  { does: "misses its `timeout`", command: "sleep 20", timeout: 1, outcome: "runs", closed: "refused" },
  { does: "cannot be found (127)", command: "no-such-program-here", outcome: "runs", closed: "refused" },
  { does: "exits with 1", command: "echo no >&2; exit 1", outcome: "runs", closed: "refused" },
  { does: "exits with 2, and says why", command: "echo no >&2; exit 2", outcome: "refused", closed: "refused" },
  { does: "exits with 2 in silence", command: "exit 2", outcome: "refused", closed: "refused" },
  {
    does: "exits with 2 and prints an `allow`",
    command: `${prints(permission("allow", "fine"))}; exit 2`,
    outcome: "refused",
    closed: "refused",
  },
  { does: "prints a `deny`", command: prints(DENY), outcome: "refused", closed: "refused" },
  {
    does: "prints a `deny` and exits with 1",
    command: `${prints(DENY)}; exit 1`,
    outcome: "refused",
    closed: "refused",
  },
  {
    does: "prints broken JSON",
    command: "printf '%s' '{\"hookSpecificOutput\": deny}'",
    outcome: "runs",
    closed: "refused",
  },
  {
    does: "prints `denied` for `deny`",
    command: prints(permission("denied", "not now")),
    outcome: "runs",
    closed: "refused",
  },
  {
    does: "prints its decision in the wrong place",
    command: prints({ permissionDecision: "deny" }),
    outcome: "runs",
    closed: "runs",
  },
  {
    does: 'prints `"continue": false` and nothing else',
    command: prints({ continue: false, stopReason: "stop" }),
    outcome: "runs",
    closed: "runs",
  },
];

let client: Client;
beforeAll(async () => {
  client = await installClaudeCode();
});

const whatHappens = async (command: string, more: object): Promise<string> => {
  const session = await claudeSession(client, {
    turns: [bash("touch ran")],
    settings: hookAt("PreToolUse", command, more),
  });
  return session.has("ran") ? "runs" : "refused";
};

test.each(CASES)("after a hook that $does the call $outcome", async ({ does, command, timeout, outcome, closed }) => {
  const limit = timeout === undefined ? {} : { timeout };
  const happened = await whatHappens(command, limit);
  const happenedClosed = await whatHappens(command, { ...limit, onFailure: "block" });
  expect([happened, happenedClosed]).toEqual([outcome, closed]);
  expect(PAGE).toContain(`| ${does} | ${outcome} | ${closed} |`);
});
