import { resolve } from "node:path";
import { meaningOfFailure } from "../../src/aggregate/failure-policy.ts";
import { DIALECTS } from "../../src/dialects/registry.ts";
import type { EventContract } from "../../src/events/contract.ts";
import { contractOf, denialWord, EVENT_NAMES } from "../../src/events/lookup.ts";
import type { EventName } from "../../src/events/table.ts";
import { FAILURE_KINDS, type FailureKind } from "../../src/outcome.ts";
import type { Compat, Rule } from "../../src/rule.ts";
import { makeRule } from "../helpers/rules.ts";

/** docs/failure-policy.md: what a failure means, as the code has it. */

export const PAGE_FILE = resolve(import.meta.dirname, "../../docs/failure-policy.md");

/** What a user would see. `cancelled` is not the hook's doing, and means neither yes nor no. */
const CAUSES: Readonly<Record<Exclude<FailureKind, "cancelled">, string>> = {
  timeout: "no answer before its deadline",
  signal: "killed",
  spawn: "could not be started",
  unavailable: "unreachable, a status other than 2xx, no thread free, could not be loaded",
  "output-too-large": "said too much",
  "invalid-output": "said what cannot be understood",
  exit: "ended with an exit code other than 0 and 2",
  "no-output": "a guard that said nothing",
  turns: "asked for too many turns",
  trap: "a guard or a function that broke down",
  fuel: "a guard that worked too long",
  stack: "a guard that called too deep",
  memory: "a guard that wanted too much memory",
  capability: "wanted what it was not granted, such as an address that it may not send to",
  integrity: "not the module that was reviewed",
};
const KINDS = FAILURE_KINDS.filter((kind) => kind !== "cancelled");
const OF_PROCESSES: readonly FailureKind[] = [
  "timeout",
  "signal",
  "spawn",
  "output-too-large",
  "invalid-output",
  "exit",
];
const OF_WEB_HOOKS: readonly FailureKind[] = ["unavailable", "capability"];
/** What can become of hooks of other agents. Whatever else runs is ours. */
const FOREIGN: Readonly<Record<string, readonly FailureKind[]>> = {
  "claude-code": [...OF_PROCESSES, ...OF_WEB_HOOKS],
  "docker-agent": OF_PROCESSES,
  autohand: OF_PROCESSES,
  patterns: [...OF_PROCESSES, ...OF_WEB_HOOKS],
};

const COMPATS: readonly Compat[] = ["safer", "faithful"];

/** Events at which failures mean the same, whatever their kind. */
interface Column {
  readonly events: readonly EventName[];
  readonly isGate: boolean;
  readonly meanings: Readonly<Record<string, string>>;
}

export function renderPage(): string {
  return [
    "# What a failing hook means",
    "",
    "A hook fails when it gives no answer, or none that can be understood. What that means depends on the kind of failure, on",
    "the event, and on whose hook it is. Nothing that fails ever permits anything.",
    "",
    "Written by `npm run failure-policy` from the table that the engine itself goes by, for a hook that does not say. One that",
    'says `onFailure: "block"` (docker-agent: `on_error: block`) refuses at all gates, `"continue"` (`warn`) at none, except at',
    "gates that nothing opens. A `wasm` hook, and a hook that could not be loaded, counts as one of `hookbox`, whatever file it",
    "stands in.",
    "",
    'With `compat: "faithful"` the hooks of other agents do as their agent\'s page says. Where that makes a difference, the',
    "cell has both. When the caller gives up on an event (`cancelled`), there is neither a refusal nor a permission.",
    "",
    "| failure | |",
    "| --- | --- |",
    ...KINDS.map((kind) => `| \`${kind}\` | ${CAUSES[kind as keyof typeof CAUSES]} |`),
    "",
    ...Object.keys(DIALECTS).flatMap(renderDialect),
  ].join("\n");
}

function renderDialect(dialect: string): string[] {
  const kinds = KINDS.filter((kind) => dialect === "hookbox" || FOREIGN[dialect]?.includes(kind));
  const columns = columnsOf(dialect, kinds);
  const titles = columns.map((_, index) => String.fromCharCode(65 + index));
  const rows = groupedKinds(columns, kinds).map((group) => {
    const [first] = group as [FailureKind];
    const names = group.length === kinds.length ? "any" : group.map((kind) => `\`${kind}\``).join(", ");
    return `| ${[names, ...columns.map(({ meanings }) => meanings[first])].join(" | ")} |`;
  });
  return [
    `## Hooks of \`${dialect}\``,
    "",
    ...columns.map(({ events }, index) => `- **${titles[index]}**, ${natureOf(events, dialect)}: ${listed(events)}`),
    "",
    `| failure | ${titles.join(" | ")} |`,
    `| --- |${" --- |".repeat(columns.length)}`,
    ...rows,
    "",
  ];
}

function columnsOf(dialect: string, kinds: readonly FailureKind[]): Column[] {
  const columns = new Map<string, Column>();
  for (const event of eventsOf(dialect)) {
    const contract = contractOf(event, dialect) as EventContract;
    const meanings = Object.fromEntries(kinds.map((kind) => [kind, cellOf(kind, event, dialect, contract)]));
    const key = JSON.stringify([natureOf([event], dialect), meanings]);
    const events = [...(columns.get(key)?.events ?? []), event];
    columns.set(key, { events, isGate: contract.kind === "gate", meanings });
  }
  // What can be refused stands first.
  return [...columns.values()].sort((a, b) => Number(b.isGate) - Number(a.isGate));
}

/** Agents that are known to have no events but their own. */
const CLOSED: readonly string[] = ["docker-agent", "autohand"];

function eventsOf(dialect: string): readonly EventName[] {
  const known = new Set(Object.values(DIALECTS[dialect]?.eventNames ?? {}));
  return CLOSED.includes(dialect) ? EVENT_NAMES.filter((event) => known.has(event)) : EVENT_NAMES;
}

/** Kinds that mean the same at every event are one row. */
function groupedKinds(columns: readonly Column[], kinds: readonly FailureKind[]): FailureKind[][] {
  const groups = new Map<string, FailureKind[]>();
  for (const kind of kinds) {
    const key = JSON.stringify(columns.map(({ meanings }) => meanings[kind]));
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  return [...groups.values()];
}

function cellOf(kind: FailureKind, event: EventName, dialect: string, contract: EventContract): string {
  const codec = DIALECTS[dialect]?.codec as Rule["codec"];
  const meaning = (compat: Compat, onFailure?: Rule["onFailure"]): string =>
    meaningOfFailure(kind, makeRule({ codec, event, compat, onFailure }), contract) === "deny" ? "refuses" : "goes on";
  const [safer, faithful] = COMPATS.map((compat) => meaning(compat));
  const word = meaning("safer", "continue") === "refuses" ? "always refuses" : safer;
  return safer === faithful ? (word as string) : `${word}; faithful: ${faithful}`;
}

/** What kind of events these are, by their first: they share it. */
function natureOf([event]: readonly EventName[], dialect: string): string {
  const contract = contractOf(event as string, dialect) as EventContract;
  if (contract.blockMeansGoOn) return 'where "no" would make the agent go on';
  if (contract.kind === "observer") return "with nothing to refuse";
  if (contract.failsClosed) return "gates that nothing opens";
  return denialWord(contract) === undefined ? "with nothing to refuse" : "gates";
}

const listed = (events: readonly EventName[]): string => events.map((event) => `\`${event}\``).join(", ");
