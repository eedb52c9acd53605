import { resolve } from "node:path";
import { CLIENTS, type Client } from "../../src/dialects/clients.ts";
import { DIALECT_NAMES } from "../../src/dialects/registry.ts";
import type { JsonObject } from "../../src/json.ts";
import {
  type Case,
  type Cell,
  CLIENTS_RUN,
  type ClientRun,
  KINDS,
  OUTCOMES,
  READ_IN,
  READINGS,
  REASON,
  REPLIES,
  TEXT,
} from "./reply-table.ts";

/** docs/replies.md: hookbox's replies to a tool call, and what real clients do with them. */

export const PAGE_FILE = resolve(import.meta.dirname, "../../docs/replies.md");

const RUN = Object.keys(CLIENTS_RUN) as ClientRun[];
const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  row(head),
  row(head.map(() => "---")),
  ...rows.map(row),
  "",
];

export function renderReplies(): string {
  return [
    ...INTRODUCTION,
    ...outcomeTables(),
    ...OTHERS,
    ...clientTable(),
    ...AUTO,
    ...byteTables(),
    ...READING_WORDS,
    ...readingTable(),
  ].join("\n");
}

const INTRODUCTION = [
  "# Replies",
  "",
  "This page lists the replies of `hookbox run` to a tool call, and how each agent reads them. `npm run replies` writes it from the",
  "tables of the tests. `npm run test:agents` installs the clients from npm, runs them without a user and with a local replacement",
  "for their models, and compares each cell with what they do. The versions:",
  "",
  `${Object.values(CLIENTS_RUN).join(", ")}.`,
  "",
  "A reply never has a field for which one of these clients drops the refusal. If an agent would run the tool after a question or",
  "a rewrite, and the payload identifies the agent, hookbox refuses instead and says so.",
  "",
];

const CASES: Readonly<Record<Case, string>> = {
  nothing: "no rule has an opinion",
  deny: "a rule denies",
  ask: "a rule asks, and there is no user",
  rewrite: "a rule changes the command",
  context: "a rule adds text for the model",
  stop: "a rule denies and stops the agent",
  "looping guard": "a guard loops forever",
  "broken configuration": "`hookbox.json` is broken",
  "unknown payload": "the payload has no known event",
};

function outcomeTables(): string[] {
  return Object.entries(OUTCOMES).flatMap(([dialect, cases]) => [
    `## What becomes of the call with \`--dialect ${dialect}\``,
    "",
    ...table(
      ["case", ...RUN],
      (Object.keys(CASES) as Case[]).map((one) => [CASES[one], ...RUN.map((name) => cases[one][name])]),
    ),
  ]);
}

const OTHERS = [
  "`changed`: the changed command runs. `told`: the call runs, and the model gets the text. Qwen Code and Kimi Code do not give the",
  "text to the model. Gemini CLI's events have other names, so each of its calls is refused until hookbox has a dialect.",
  "",
  "The model gets the reason of each refusal, with two exceptions. Copilot CLI drops standard error of exit code 2: a broken",
  "configuration, and a denial that stops the agent, refuse there without a reason. After `continue: false` Claude Code 2.1.330",
  "ends the turn, so its user sees the reason and not the model. 2.1.197 refuses the call and continues.",
  "",
  "## Agents without a dialect",
  "",
  "`--dialect claude-code` answers agents that send Claude Code's events. Copilot CLI does so for hooks in `.claude/settings.json`,",
  "and for `PreToolUse` (with a capital) in `.github/hooks/*.json`. Its file tools, and Kimi Code's, have Claude Code's names and",
  "other arguments: `path` for `file_path`. A guard that looks at `file_path` does not see the path.",
  "",
  "A rule with Claude Code's name for a tool would miss a tool with another name: `Bash` does not match Qwen Code's",
  "`run_shell_command`, and `Write|Edit` does not match Codex's `apply_patch`. hookbox refuses such a call, with exit code 2, and",
  "names the rule and the tool. Other calls are not refused, and neither are Claude Code's. To make the rule match, add the agent's",
  "name for the tool to the rule's matcher.",
  "",
];

const QUESTIONS = (client: Client): string =>
  ["ask", "defer"].map((word) => `\`${word}\` ${client.doubts.includes(word) ? "as it is" : "refuses"}`).join(", ");
const REWRITES: Readonly<Record<Client["rewrites"], string>> = {
  honoured: "as it is",
  "with allow": 'with `permissionDecision: "allow"`, which grants nothing there',
  ignored: "refuses: the client would run the original",
};
const TELLS: Readonly<Record<keyof typeof CLIENTS, string>> = {
  codex: "`turn_id` and `model`, or a transcript in `.codex`",
  kimi: "`client_type`",
  qwen: "`timestamp`, with `tool_call_id` or a `prompt_id` with `########`; or a transcript in `.qwen`",
  copilot: "`timestamp` without `transcript_path`; `toolArgs`; or a transcript in `.copilot`",
  gemini: "its events' names (`BeforeTool`), or a transcript in `.gemini`",
};

function clientTable(): string[] {
  return table(
    ["agent", "recognized by", "a question", "a rewrite"],
    (Object.entries(CLIENTS) as [keyof typeof CLIENTS, Client][]).map(([name, client]) => [
      client.title,
      TELLS[name],
      QUESTIONS(client),
      REWRITES[client.rewrites],
    ]),
  );
}

const AUTO = [
  "## `--dialect auto`",
  "",
  "hookbox recognizes an agent only by fields that no other agent sends. For Claude Code these are a transcript in `.claude` (or in",
  "`CLAUDE_CONFIG_DIR`), `effort`, or a `prompt_id` that is a UUID, and no `timestamp`. A payload with none of them, with two agents'",
  "fields, or from an agent in the table above is refused. The refusal names the agent and what to do. A handmade payload needs",
  "`--dialect`. If every dialect with an event of that name says that nothing can be refused there (`Stop`, `PostToolUse`), the exit",
  "code is 1 and nothing is refused.",
  "",
  "## The bytes",
  "",
  `These are the replies to a tool call. \`${REASON}\` stands for the reason, \`${TEXT}\` for the text. With exit code 2, the reason`,
  "is also on standard error.",
  "",
];

const shown = (stdout: JsonObject | null): string => (stdout === null ? "nothing" : `\`${JSON.stringify(stdout)}\``);

function byteTables(): string[] {
  return DIALECT_NAMES.filter((name) => name !== "hookbox").flatMap((name) => [
    `### \`${name}\`${name === "claude-code" ? ", and `hookbox`" : ""}`,
    "",
    `${name in OUTCOMES ? "Measured on the clients above." : `Read in: ${READ_IN[name]}.`}`,
    "",
    ...table(
      ["answer", "exit code", "standard output"],
      KINDS.map((kind) => {
        const cell = REPLIES[name]?.[kind] as Cell;
        return [kind, String(cell.exitCode), shown(cell.stdout)];
      }),
    ),
  ]);
}

const READING_WORDS = [
  "`cannot judge`: the event was cancelled before all rules had answered. `unknown payload` is the same for all dialects, because",
  "the agent is unknown. `hookSpecificOutput` is left out if the payload names another event of Claude Code's, because 2.1.197",
  'then drops the refusal. With `compat: "faithful"`, `patterns` prints `permissionDecision: "block"`, as on its page, and',
  '`"decision": "allow"` with a rewrite. Claude Code 2.1.197 runs the tool after the first, and both versions run the original call',
  "after the second.",
  "",
  "## Why these words",
  "",
  "The table shows how the clients read a hook's output before a tool call, without hookbox. **runs** means that the gate opens. With",
  "exit code 2 the hook writes the reason to standard error. `deny`, `ask` and `defer` are values of",
  "`hookSpecificOutput.permissionDecision`.",
  "",
];

function readingTable(): string[] {
  return table(
    ["printed", "exit code", ...RUN],
    READINGS.map(({ what, exitCode, refused }) => [
      what,
      String(exitCode),
      ...RUN.map((name) => (refused[name] ? "refused" : "**runs**")),
    ]),
  );
}
