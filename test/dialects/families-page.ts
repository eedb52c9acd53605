import { resolve } from "node:path";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { DIALECTS } from "../../src/dialects/registry.ts";
import type { EventContract } from "../../src/events/contract.ts";
import { contractOf, denialWord, EVENT_NAMES } from "../../src/events/lookup.ts";
import type { EventName } from "../../src/events/table.ts";
import { TOOLS, toolCell } from "./families-tools.ts";
import { DIFFERENCES, MATCHERS, WHY_SAFER, WORDS } from "./families-words.ts";

/** docs/dialects.md: what the agents have in common and how they differ, from the tables. */

export const PAGE_FILE = resolve(import.meta.dirname, "../../docs/dialects.md");

/** Dialects with their own names. The others have Claude Code's. */
const FAMILIES = ["claude-code", "docker-agent", "agentao", "autohand", "openclaw"] as const;
type Family = (typeof FAMILIES)[number];

const dialectOf = (name: string): Dialect => DIALECTS[name] as Dialect;
const rowOf = (event: EventName, dialect: string): EventContract => contractOf(event, dialect) as EventContract;
const has = (event: EventName, family: Family): boolean => Object.values(dialectOf(family).eventNames).includes(event);
const familiesOf = (event: EventName): readonly Family[] => FAMILIES.filter((family) => has(event, family));

export function renderDialects(): string {
  return [
    ...INTRODUCTION,
    ...dialectTable(),
    ...CHOOSING,
    ...ruleTable(),
    ...eventTables(),
    ...answerTable(),
    ...toolTable(),
    ...saferTable(),
    ...OUTCOMES,
  ].join("\n");
}

const INTRODUCTION = [
  "# Dialects",
  "",
  "A dialect is one agent's form of hooks: its configuration, its payloads, and its replies. Rules and guards see canonical",
  "(Claude Code's) names of events, payload fields and tools, so the same guard gives the same verdict for every agent.",
  "",
  "`npm run dialects` writes this page from the tables that the engine uses. Each agent's page describes the agent's own",
  "documentation, and how the agent differs from it.",
  "",
];

const CHOOSING = [
  "## `--format` and `--dialect`",
  "",
  "`--format NAME` is the dialect of a file. `--dialect NAME` is the agent that asks and receives the reply. They differ because",
  "a `hookbox.json` may serve any agent.",
  "",
  "- Without both: `hookbox.json` and similar names are hookbox's format, Claude Code's files are recognized by their names, and",
  "  the event is Claude Code's.",
  "- An agent's `--format` alone also means that agent's event.",
  "- `--dialect auto`: hookbox recognizes the agent [by fields that no other agent sends](replies.md#--dialect-auto). Any other",
  "  payload is refused with exit code 2 and the list of its fields: one that fits two agents, none, or an agent without a dialect",
  "  (Codex, Qwen Code, Kimi Code, Copilot CLI, Gemini CLI). Agents that follow `hookbox` or `patterns` must be named.",
  "",
  "A payload of another agent than the named one is refused, and the message names the agent that it fits. [Replies](replies.md)",
  "lists the reply to each agent, byte by byte.",
  "",
  "A hook that is written twice runs once for an event, at its first place: in two of Claude Code's settings files, under two",
  "matchers, in two groups. The order of keys does not matter, the order of arguments does, and an explicit default makes a",
  "different hook. Relative paths in `hookbox.json` files of different folders are different paths, and hooks of different plugins'",
  "`hooks.json` files are different hooks.",
  "",
];

const OUTCOMES = [
  "## Outcomes",
  "",
  "Each rule in a verdict has an `outcome`: `success`, `blocking` (it refused, or its failure did), `non_blocking_error` or",
  "`cancelled` (the caller cancelled the event, or an agent hook used up its turns). A hook that missed its own timeout has",
  "failed; it was not cancelled.",
  "",
];

function dialectTable(): string[] {
  return [
    "| dialect | configuration | place | `timeout` in | a refusal is |",
    "| --- | --- | --- | --- | --- |",
    ...Object.keys(DIALECTS).map((name) => {
      const { configuration, where, timeout, page, refuses } = wordsOf(name);
      return row([`[\`${name}\`](${page})`, configuration, where, timeout, refuses]);
    }),
    "",
  ];
}

/** The rows of the events that every agent has. */
function ruleTable(): string[] {
  return [
    "## Rules at `PreToolUse`",
    "",
    "| dialect | a matcher is | hooks run | what ends the row | a rewrite |",
    "| --- | --- | --- | --- | --- |",
    ...Object.keys(DIALECTS).map((name) => {
      const { matcherStyle, order, endsAt, rewrites, rewriteMode } = rowOf("PreToolUse", name);
      const ends = endsAt === null ? "nothing" : ENDS[endsAt];
      const changes = rewriteMode === "patch" ? "names the fields that change" : "is the whole input";
      return row([
        `\`${name}\``,
        MATCHERS[matcherStyle],
        ORDERS[order],
        ends,
        rewrites === null ? "is not supported" : changes,
      ]);
    }),
    "",
    "In every dialect higher `priority` comes first, then the order of the files and within them. The verdict does not depend on the",
    "order in which hooks finish: `deny` over `defer` over `ask` over `allow`, and no `allow` revokes another hook's refusal.",
    "",
  ];
}

const ORDERS = {
  parallel: "in parallel, on the original input",
  sequential: "one after another, on the last rewrite",
};
const ENDS = { refusal: "any refusal", stop: "`continue: false`" };

function eventTables(): string[] {
  const shared = EVENT_NAMES.filter((event) => familiesOf(event).length > 1);
  return [
    "## Events",
    "",
    "**Bold** names are gates: a hook can refuse the next action. An arrow marks gates at which a refusal makes the agent continue",
    "its work. The others only report. `hookbox` has all events, `patterns` those of Claude Code.",
    "",
    row(["event", ...FAMILIES]),
    row(["---", ...FAMILIES.map(() => "---")]),
    ...shared.map((event) => row([`\`${event}\``, ...FAMILIES.map((family) => nameCell(event, family))])),
    "",
    ...FAMILIES.flatMap((family) => {
      const own = EVENT_NAMES.filter((event) => familiesOf(event).join() === family);
      if (own.length === 0) return [];
      if (family === "claude-code")
        return [`Only \`${family}\`: ${own.map((event) => nameCell(event, family)).join(", ")}.`, ""];
      const pairs = own.map((event) => `${nameCell(event, family)} (\`${event}\`)`);
      return [`Only \`${family}\`: ${pairs.join(", ")}.`, ""];
    }),
  ];
}

function nameCell(event: EventName, family: Family): string {
  if (!has(event, family)) return "";
  const names = Object.entries(dialectOf(family).eventNames).filter(([, canonical]) => canonical === event);
  const text = names.map(([name]) => `\`${name}\``).join(" ");
  const { kind, blockMeansGoOn } = rowOf(event, family);
  if (kind !== "gate") return text;
  return blockMeansGoOn ? `**${text}** ↻` : `**${text}**`;
}

/** Leaves out events whose answers no agent uses. */
function answerTable(): string[] {
  const rows = EVENT_NAMES.filter((event) => familiesOf(event).some((family) => answersOf(event, family) !== ""));
  return [
    "## What may be answered",
    "",
    "The cells list decisions, then what a hook may rewrite, then whether it may add text (permanent, or for one turn), then further",
    "fields of this event. Events that are not in the table take no answer. `patterns` takes what Claude Code takes, and",
    "`continue: false` at every event.",
    "",
    row(["event", "needs", ...FAMILIES]),
    row(["---", "---", ...FAMILIES.map(() => "---")]),
    ...rows.map((event) => {
      const needs = rowOf(event, "claude-code")
        .required.map((field) => `\`${field}\``)
        .join(", ");
      return row([
        `\`${event}\``,
        needs,
        ...FAMILIES.map((family) => (has(event, family) ? answersOf(event, family) || "nothing" : "")),
      ]);
    }),
    "",
  ];
}

function answersOf(event: EventName, family: Family): string {
  if (!has(event, family)) return "";
  const contract = rowOf(event, family);
  const { verdicts, rewrites, context, plainTextIsContext, metadata, specific } = contract;
  const parts = [
    verdicts.map((word) => (word === "continue:false" ? "stop" : word)).join(" "),
    rewrites === null ? "" : `rewrites ${rewrites}`,
    context === null
      ? ""
      : `text${context === "turn" ? " for the turn" : ""}${plainTextIsContext ? ", plain too" : ""}`,
    metadata ? "metadata" : "",
    specific.map((field) => `\`${field}\``).join(" "),
  ];
  return parts.filter((part) => part !== "").join("; ");
}

function toolTable(): string[] {
  return [
    "## Tools",
    "",
    "The cells have an agent's name for a tool, and in brackets the fields of its input that have another name in that agent.",
    "Matchers, conditions and filters take either name; a guard sees the name on the left. Other tools keep their names.",
    "",
    row(["tool", ...FAMILIES.slice(1)]),
    row(["---", ...FAMILIES.slice(1).map(() => "---")]),
    ...Object.keys(TOOLS).map((tool) =>
      row([`\`${tool}\``, ...FAMILIES.slice(1).map((family) => toolCell(tool, dialectOf(family).codec))]),
    ),
    "",
  ];
}

interface Difference {
  readonly event: EventName;
  readonly column: keyof EventContract;
  readonly safer: unknown;
  readonly faithful: unknown;
}

/** Returns where the row of the agent's page, followed to the letter, differs from the default. */
function differencesOf(dialect: string): readonly Difference[] {
  const events = EVENT_NAMES.filter((event) => Object.values(dialectOf(dialect).eventNames).includes(event));
  return events.flatMap((event) => {
    const safer = rowOf(event, dialect);
    const faithful = contractOf(event, dialect, undefined, "faithful") as EventContract;
    return (Object.keys(WHY_SAFER) as (keyof EventContract)[])
      .filter((column) => JSON.stringify(safer[column]) !== JSON.stringify(faithful[column]))
      .map((column) => ({ event, column, safer: safer[column], faithful: faithful[column] }));
  });
}

function saferTable(): string[] {
  const rows = Object.keys(DIALECTS).flatMap((dialect) =>
    differencesOf(dialect).map(({ event, column, safer, faithful }) =>
      row([
        `\`${dialect}\``,
        `\`${event}\``,
        DIFFERENCES[column] ?? column,
        said(safer),
        said(faithful),
        WHY_SAFER[column] ?? "",
      ]),
    ),
  );
  return [
    "## Safer, and faithful",
    "",
    "If an agent's page and its code disagree, the default is the safer of the two at a gate, and the page at other events.",
    '`compat: "faithful"` follows the page exactly. The largest difference is the meaning of a failing hook: by default a gate denies',
    "without an answer, and most pages let the action go ahead. [failure-policy.md](failure-policy.md) lists that event by event. The",
    "other differences:",
    "",
    "| dialect | event | in | default | faithful | why |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
    "",
    ...FAILING,
  ];
}

const FAILING = [
  "### What a failing hook means",
  "",
  "hookbox's own rules and every `wasm` rule refuse at a gate, whatever the failure. An imported hook without an answer (timeout,",
  "killed, could not be started, unreachable, too much output,",
  "[broken JSON](configuration.md#what-a-failing-rule-means)) refuses at a gate, too. An exit code other than 0 and 2 means what the",
  'agent\'s page says. `onFailure: "block"` and `"continue"`, or the agent\'s own key, decide if the event allows a hook to choose. At',
  "events that only observe, and where a refusal makes the agent continue, no failure refuses.",
  "",
];

function said(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map((one) => `\`${one}\``).join(" ");
  return `\`${String(value)}\``;
}

function wordsOf(name: string) {
  const words = WORDS[name];
  if (words === undefined) throw new TypeError(`no words for ${name}`);
  return words;
}

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** Returns gates that nothing could refuse. There must be none. */
export const gatesWithoutRefusal = (): readonly string[] =>
  FAMILIES.flatMap((family) =>
    EVENT_NAMES.filter((event) => has(event, family) && rowOf(event, family).kind === "gate")
      .filter(
        (event) =>
          denialWord(rowOf(event, family)) === undefined && !rowOf(event, family).verdicts.includes("continue:false"),
      )
      .map((event) => `${family} ${event}`),
  );
