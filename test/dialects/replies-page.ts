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
  "This page lists the replies of `hookbox run` to a tool call, and the effect of each reply in each agent. `npm run replies`",
  "writes this page from the tables of the tests. `npm run test:agents` installs the clients from npm, and runs the clients",
  "without a user and with a local replacement for their models. The test compares each cell of this page with the client's",
  "behaviour. The test uses these versions:",
  "",
  `${Object.values(CLIENTS_RUN).join(", ")}.`,
  "",
  "A reply of hookbox never has a field for which a client of this page drops the refusal. Some agents would run the tool after",
  "a question or a rewrite. If the payload identifies such an agent, hookbox refuses instead, and the reason says so.",
  "",
];

const CASES: Readonly<Record<Case, string>> = {
  nothing: "no rule has an opinion",
  deny: "a rule denies",
  ask: "a rule asks, without a user",
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
  "In these tables, `changed` means that the changed command runs. `told` means that the call runs, and the model gets the",
  "text. Qwen Code and Kimi Code do not give the text to the model. Gemini CLI has other names for events. hookbox refuses each",
  "call of Gemini CLI until hookbox has a dialect for this agent.",
  "",
  "The model gets the reason of each refusal, with two exceptions. Copilot CLI drops standard error of exit code 2. In Copilot",
  "CLI, a broken configuration and a denial that stops the agent therefore refuse without a reason. After `continue: false`,",
  "Claude Code 2.1.330 ends the turn. Its user sees the reason, and the model does not. Claude Code 2.1.197 refuses the call",
  "and continues.",
  "",
  "## Agents without a dialect",
  "",
  "`--dialect claude-code` answers agents that send Claude Code's events. Copilot CLI sends Claude Code's events to hooks in",
  "`.claude/settings.json`, and to `PreToolUse` (with a capital) in `.github/hooks/*.json`. The file tools of Copilot CLI and",
  "Kimi Code have Claude Code's names, but the argument `path` instead of `file_path`. A guard that reads `file_path` does not",
  "see this path.",
  "",
  "A rule with Claude Code's name for a tool would miss a tool with another name. `Bash` does not match Qwen Code's",
  "`run_shell_command`, and `Write|Edit` does not match Codex's `apply_patch`. hookbox refuses a call that a rule would miss in",
  "this way, with exit code 2, and names the rule and the tool. hookbox does not refuse other calls for this reason, and never",
  "calls of Claude Code. To make the rule match, add the agent's name for the tool to the rule's matcher.",
  "",
];

const QUESTIONS = (client: Client): string =>
  ["ask", "defer"].map((word) => `\`${word}\` ${client.doubts.includes(word) ? "unchanged" : "refuses"}`).join(", ");
const REWRITES: Readonly<Record<Client["rewrites"], string>> = {
  honoured: "unchanged",
  "with allow": 'with `permissionDecision: "allow"`, which grants nothing in this client',
  ignored: "refuses, because the client would run the original",
};
const TELLS: Readonly<Record<keyof typeof CLIENTS, string>> = {
  codex: "`turn_id` and `model`, or a transcript in `.codex`",
  kimi: "`client_type`",
  qwen: "`timestamp`, with `tool_call_id` or a `prompt_id` with `########`, or a transcript in `.qwen`",
  copilot: "`timestamp` without `transcript_path`, `toolArgs`, or a transcript in `.copilot`",
  gemini: "the names of its events (`BeforeTool`), or a transcript in `.gemini`",
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
  "With `--dialect auto`, hookbox recognizes an agent only by fields that no other agent sends. The fields of Claude Code are a",
  "transcript in `.claude` (or in `CLAUDE_CONFIG_DIR`), `effort`, or a `prompt_id` that is a UUID. A payload of Claude Code has",
  "no `timestamp`. hookbox refuses a payload without such fields, with two agents' fields, or from an agent in the table above.",
  "The refusal names the agent and the remedy. A handmade payload needs `--dialect`. Some events refuse nothing in every",
  "dialect with that event name (`Stop`, `PostToolUse`). At these events, the exit code is 1 and hookbox refuses nothing.",
  "",
  "## The bytes",
  "",
  `This section lists the replies to a tool call. \`${REASON}\` stands for the reason, \`${TEXT}\` for the text. With exit code 2, the reason`,
  "is also on standard error.",
  "",
];

const shown = (stdout: JsonObject | null): string => (stdout === null ? "nothing" : `\`${JSON.stringify(stdout)}\``);

function byteTables(): string[] {
  return DIALECT_NAMES.filter((name) => name !== "hookbox").flatMap((name) => [
    `### \`${name}\`${name === "claude-code" ? ", and `hookbox`" : ""}`,
    "",
    `${name in OUTCOMES ? "The replies were measured on the clients above." : `The form of these replies comes from ${READ_IN[name]}.`}`,
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
  "`cannot judge` means that the caller cancelled the event before all rules had answered. `unknown payload` is the same for",
  "all dialects, because the agent is unknown. If the payload names another event of Claude Code, hookbox omits",
  '`hookSpecificOutput`, because Claude Code 2.1.197 would drop the refusal. With `compat: "faithful"`, `patterns` prints',
  '`permissionDecision: "block"`, as on its page, and `"decision": "allow"` with a rewrite. Claude Code 2.1.197 runs the tool',
  'after `permissionDecision: "block"`. Claude Code 2.1.197 and 2.1.330 run the original call after `"decision": "allow"` with',
  "a rewrite.",
  "",
  "## Why these words",
  "",
  "The next table shows how the clients read a hook's output before a tool call, without hookbox. **runs** means that the gate",
  "opens. With exit code 2 the hook writes the reason to standard error. `deny`, `ask` and `defer` are values of",
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
