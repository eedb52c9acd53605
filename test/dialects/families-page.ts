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
  "A dialect is an agent's form of hooks, with its configuration, its payloads, and its replies. Rules and guards see the",
  "canonical (Claude Code's) names of events, payload fields and tools. A guard therefore gives the same verdict for every",
  "agent.",
  "",
  "`npm run dialects` writes this page from the engine's tables. Each agent's own page describes the agent's documentation, and",
  "the differences between the agent and its documentation.",
  "",
];

const CHOOSING = [
  "## `--format` and `--dialect`",
  "",
  "`--format NAME` is the dialect of a file. `--dialect NAME` is the agent that asks and receives the reply. `--format` and",
  "`--dialect` may differ, because a `hookbox.json` may serve any agent.",
  "",
  "- Without `--format` and `--dialect`, hookbox recognizes Claude Code's files by their names. Other files have hookbox's",
  "  format, and the event is Claude Code's.",
  "- With only an agent's `--format`, the event is also that agent's event.",
  "- With `--dialect auto`, hookbox recognizes the agent [by fields that no other agent sends](replies.md#--dialect-auto).",
  "  hookbox refuses any other payload with exit code 2 and the list of its fields. Such a payload fits no agent, fits two",
  "  agents, or comes from an agent without a dialect (Codex, Qwen Code, Kimi Code, Copilot CLI, Gemini CLI). You must name",
  "  agents that follow `hookbox` or `patterns`.",
  "",
  "hookbox refuses a payload of another agent than the named agent. The message names the agent that the payload fits.",
  "[Replies](replies.md) lists the reply to each agent, byte by byte.",
  "",
  "A duplicate hook runs once for an event, at its first place. The duplicate may be in two of Claude Code's settings files,",
  "under two matchers, or in two groups. The order of keys does not matter. The order of arguments matters, and an explicit",
  "default makes a different hook. Relative paths in `hookbox.json` files of different folders are different paths. Hooks of",
  "different plugins' `hooks.json` files are different hooks.",
  "",
];

const OUTCOMES = [
  "## Outcomes",
  "",
  "Each rule in a verdict has an `outcome`: `success`, `blocking`, `non_blocking_error` or `cancelled`. `blocking` means that",
  "the rule refused, or that its failure refused. `cancelled` means that the caller cancelled the event, or that an agent hook",
  "used up its turns. A hook that missed its own timeout has failed, and is not `cancelled`.",
  "",
];

function dialectTable(): string[] {
  return [
    "| dialect | configuration | place | unit of `timeout` | form of a refusal |",
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
    "| dialect | form of a matcher | order of hooks | end of the row | form of a rewrite |",
    "| --- | --- | --- | --- | --- |",
    ...Object.keys(DIALECTS).map((name) => {
      const { matcherStyle, order, endsAt, rewrites, rewriteMode } = rowOf("PreToolUse", name);
      const ends = endsAt === null ? "nothing" : ENDS[endsAt];
      const changes =
        rewriteMode === "patch" ? "a rewrite names the fields that change" : "a rewrite is the whole input";
      return row([
        `\`${name}\``,
        MATCHERS[matcherStyle],
        ORDERS[order],
        ends,
        rewrites === null ? "not supported" : changes,
      ]);
    }),
    "",
    "In every dialect, rules with a higher `priority` come first. Rules with the same `priority` follow the order of the files,",
    "and the order within each file. The verdict does not depend on the order in which hooks finish. `deny` outranks `defer`,",
    "`defer` outranks `ask`, and `ask` outranks `allow`. No `allow` revokes another hook's refusal.",
    "",
  ];
}

const ORDERS = {
  parallel: "hooks run in parallel, on the original input",
  sequential: "hooks run one after another, on the last rewrite",
};
const ENDS = { refusal: "any refusal", stop: "`continue: false`" };

function eventTables(): string[] {
  const shared = EVENT_NAMES.filter((event) => familiesOf(event).length > 1);
  return [
    "## Events",
    "",
    "The table has each agent's names of events. **Bold** names are gates, at which a hook can refuse the next action. An arrow",
    "marks gates at which a refusal makes the agent continue its work. Events that are not bold only report. `hookbox` has all",
    "events, and `patterns` has the events of Claude Code.",
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
    "Each cell lists the decisions of an event. Next, the cell lists the parts that a hook may rewrite, whether a hook may add",
    "text (permanent, or for a single turn), and further fields of the event. Events outside of the table take no answer.",
    "`patterns` takes the answers of Claude Code, and `continue: false` at every event.",
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
    "Each cell has an agent's name for the tool in the first column. The brackets list input fields with another name in that",
    "agent. Matchers, conditions and filters take the agent's or the canonical name. A guard sees the canonical name in the first",
    "column. A tool that is not in the table keeps its name.",
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
    "If an agent's page and its code disagree, hookbox follows the safer of the two at a gate, and the page at other events.",
    '`compat: "faithful"` follows the page exactly. The largest difference is the effect of a failing hook. By default a gate',
    "without an answer denies, but most pages let the action go ahead. [failure-policy.md](failure-policy.md) lists the effects",
    "for each event. This table lists the other differences:",
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
  "A failing rule of hookbox refuses at a gate after every kind of failure, and so does a failing `wasm` rule. An imported hook",
  "without an answer (timeout, killed, not started, unreachable, too much output, [broken",
  "JSON](configuration.md#what-a-failing-rule-means)) also refuses at a gate. An exit code other than 0 and 2 has the meaning",
  'of the agent\'s page. If the event allows a choice, `onFailure: "block"` and `"continue"`, or the agent\'s own key, decide. No',
  "failure refuses at events that only observe, and at events where a refusal makes the agent continue.",
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
