import { resolve } from "node:path";
import { meaningOfFailure } from "../../src/aggregate/failure-policy.ts";
import { DIALECTS } from "../../src/dialects/registry.ts";
import type { EventContract } from "../../src/events/contract.ts";
import { contractOf, denialWord, EVENT_NAMES } from "../../src/events/lookup.ts";
import type { EventName } from "../../src/events/table.ts";
import { FAILURE_KINDS, type FailureKind } from "../../src/outcome.ts";
import type { Compat, Rule } from "../../src/rule.ts";
import { makeRule } from "../helpers/rules.ts";

/** docs/failure-policy.md: the meaning of a failure, from the code. */

export const PAGE_FILE = resolve(import.meta.dirname, "../../docs/failure-policy.md");

/** What a user sees. `cancelled` is not the hook's fault, and means neither yes nor no. */
const CAUSES: Readonly<Record<Exclude<FailureKind, "cancelled">, string>> = {
  timeout: "no answer before a clock ran out: the rule's `timeoutMs`, or the event's patience",
  signal: "killed",
  spawn: "could not be started",
  unavailable: "unreachable, a status other than 2xx, no key, no thread free, could not be loaded",
  "output-too-large": "said too much",
  "invalid-output": "said what cannot be understood, as a tool that gave only a picture",
  exit: "ended with an exit code other than 0 and 2",
  "no-output": "a guard that said nothing",
  turns: "an agent that used up its turns or tokens",
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
/** For hooks that ask over a network: web hooks, models, and MCP servers. */
const OF_WEB_HOOKS: readonly FailureKind[] = ["unavailable", "capability"];
/** How hooks of other agents can fail. All other rules are hookbox's own. */
const FOREIGN: Readonly<Record<string, readonly FailureKind[]>> = {
  "claude-code": [...OF_PROCESSES, ...OF_WEB_HOOKS, "turns"],
  "docker-agent": [...OF_PROCESSES, ...OF_WEB_HOOKS],
  agentao: OF_PROCESSES,
  autohand: OF_PROCESSES,
  openclaw: ["timeout", "invalid-output"],
  patterns: [...OF_PROCESSES, ...OF_WEB_HOOKS, "turns"],
};

/** What a reader must know about an agent's hooks to read its table. */
const NOTES: Readonly<Record<string, string>> = {
  agentao:
    "Exit code 2 is a refusal at a gate, and with `faithful` one like any other: Agentao itself reads it at `Stop` only, where it\n" +
    "asks for another turn.",
  openclaw:
    "Functions of plugins, which the plugin host runs. One that throws counts like one that is late. For its own plugins whoever\n" +
    "embeds the host may say otherwise (`failurePolicy`), except at `BeforeAgentRun`.",
};

const COMPATS = ["safer", "faithful"] as const satisfies readonly Compat[];
type Meaning = "refuses" | "goes on";

/** Events at which failures mean the same, whatever their kind. */
interface Column {
  readonly events: readonly EventName[];
  readonly nature: string;
  /** By kind: its meaning for each of `COMPATS`. */
  readonly meanings: Readonly<Record<string, readonly Meaning[]>>;
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
    "Each table has one column for events at which failures mean the same. The hooks of other agents can be read in two ways:",
    '`safer`, the default, and with `compat: "faithful"` as their agent\'s page has it. Where that makes a difference, the two stand',
    "side by side. When the caller gives up on an event (`cancelled`), there is neither a refusal nor a permission.",
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
  const letter = (index: number): string => String.fromCharCode(65 + index);
  const titles = columns.flatMap((column, index) =>
    isTwofold(column) ? COMPATS.map((compat) => `${letter(index)}, ${compat}`) : [letter(index)],
  );
  const rows = groupedKinds(columns, kinds).map((group) => {
    const [first] = group as [FailureKind];
    const names = group.length === kinds.length ? "any" : group.map((kind) => `\`${kind}\``).join(", ");
    const cells = columns.flatMap((column) => {
      const [safer, faithful] = column.meanings[first] as [Meaning, Meaning];
      return isTwofold(column) ? [safer, faithful] : [safer];
    });
    return `| ${[names, ...cells].join(" | ")} |`;
  });
  const note = NOTES[dialect];
  return [
    `## Hooks of \`${dialect}\``,
    "",
    ...(note === undefined ? [] : [note, ""]),
    ...columns.map(({ events, nature }, index) => `- **${letter(index)}**, ${nature}: ${listed(events, nature)}`),
    "",
    `| failure | ${titles.join(" | ")} |`,
    `| --- |${" --- |".repeat(titles.length)}`,
    ...rows,
    "",
  ];
}

const isTwofold = ({ meanings }: Column): boolean =>
  Object.values(meanings).some(([safer, faithful]) => safer !== faithful);

function columnsOf(dialect: string, kinds: readonly FailureKind[]): Column[] {
  const columns = new Map<string, Column>();
  for (const event of eventsOf(dialect)) {
    const contract = contractOf(event, dialect) as EventContract;
    const nature = natureOf(contract);
    const meanings = Object.fromEntries(kinds.map((kind) => [kind, meaningsOf(kind, event, dialect, contract)]));
    const key = JSON.stringify([nature, meanings]);
    columns.set(key, { events: [...(columns.get(key)?.events ?? []), event], nature, meanings });
  }
  // Events that can be refused come first.
  return [...columns.values()].sort((a, b) => NATURES.indexOf(a.nature) - NATURES.indexOf(b.nature));
}

/** Files of hookbox's own format may have hooks for every agent's events. */
function eventsOf(dialect: string): readonly EventName[] {
  const known = new Set(Object.values(DIALECTS[dialect]?.eventNames ?? {}));
  return dialect === "hookbox" ? EVENT_NAMES : EVENT_NAMES.filter((event) => known.has(event));
}

/** Kinds with the same meaning at every event share one row. */
function groupedKinds(columns: readonly Column[], kinds: readonly FailureKind[]): FailureKind[][] {
  const groups = new Map<string, FailureKind[]>();
  for (const kind of kinds) {
    const key = JSON.stringify(columns.map(({ meanings }) => meanings[kind]));
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  return [...groups.values()];
}

function meaningsOf(kind: FailureKind, event: EventName, dialect: string, contract: EventContract): Meaning[] {
  const codec = DIALECTS[dialect]?.codec as Rule["codec"];
  return COMPATS.map((compat) =>
    meaningOfFailure(kind, makeRule({ codec, event, compat }), contract) === "deny" ? "refuses" : "goes on",
  );
}

const GO_ON = 'where "no" would make the agent go on';
const WATCHES = "with nothing to refuse";
const NATURES: readonly string[] = ["gates that nothing opens", "gates", GO_ON, WATCHES];

function natureOf(contract: EventContract): string {
  if (contract.blockMeansGoOn) return GO_ON;
  if (contract.kind === "observer" || denialWord(contract) === undefined) return WATCHES;
  return contract.failsClosed ? "gates that nothing opens" : "gates";
}

function listed(events: readonly EventName[], nature: string): string {
  return nature === WATCHES ? "all other events" : events.map((event) => `\`${event}\``).join(", ");
}
