import { resolve } from "node:path";
import { meaningOfFailure } from "../../src/aggregate/failure-policy.ts";
import type { Compat } from "../../src/codec.ts";
import { DIALECTS } from "../../src/dialects/registry.ts";
import type { EventContract } from "../../src/events/contract.ts";
import { contractOf, denialWord, EVENT_NAMES } from "../../src/events/lookup.ts";
import type { EventName } from "../../src/events/table.ts";
import { FAILURE_KINDS, type FailureKind } from "../../src/outcome.ts";
import type { Rule } from "../../src/rule.ts";
import { makeRule } from "../helpers/rules.ts";

/** docs/failure-policy.md: the meaning of a failure, from the code. */

export const PAGE_FILE = resolve(import.meta.dirname, "../../docs/failure-policy.md");

/** What a user sees. `cancelled` is not the hook's fault, and means neither yes nor no. */
const CAUSES: Readonly<Record<Exclude<FailureKind, "cancelled">, string>> = {
  timeout: "no answer before the end of the rule's `timeoutMs` or of the event's patience",
  signal: "the hook was killed",
  spawn: "the hook could not be started",
  unavailable:
    "an unreachable server, a status other than 2xx, a missing key, no free thread, or a hook that could not be loaded",
  "output-too-large": "the hook printed too much output",
  "invalid-output": "invalid output, for example a tool's picture without text",
  exit: "the hook ended with an exit code other than 0 and 2",
  "no-output": "a guard without output",
  turns: "an agent hook that used up its turns or tokens",
  trap: "a guard that trapped, or a function that threw",
  fuel: "a guard that used up its fuel",
  stack: "a guard whose calls were too deep",
  memory: "a guard that needed too much memory",
  capability: "an action without a grant, for example a request to a forbidden address",
  integrity: "the module differs from the reviewed module",
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
    "Exit code 2 of an Agentao hook is a refusal at a gate. With `faithful`, exit code 2 is an ordinary exit code. Agentao itself\n" +
    "reads exit code 2 only at `Stop`, where it asks for another turn.",
  openclaw:
    "The hooks of `openclaw` are functions of plugins, which the plugin host runs. A function that throws has the same effect as\n" +
    "a late function. The embedding program can change the effect for its own plugins (`failurePolicy`), except at\n" +
    "`BeforeAgentRun`.",
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
    "A hook fails if the hook gives no answer or no valid answer. The effect of a failure depends on the kind of failure, on the",
    "event, and on the agent for which the hook was written. A failure never permits an action.",
    "",
    "`npm run failure-policy` writes this page from the engine's table. The tables of this page apply to hooks without",
    '`onFailure`. A hook with `onFailure: "block"` (docker-agent: `on_error: block`) refuses at all gates. A hook with',
    '`"continue"` (`warn`) refuses only at gates at which every failure refuses. A `wasm` hook counts as a hook of `hookbox` in',
    "every file. A hook that could not be loaded also counts as a hook of `hookbox`.",
    "",
    "Each column of a table stands for events at which failures have the same effect. hookbox can read the hooks of other agents",
    'in two ways. `safer` is the default. `compat: "faithful"` follows the agent\'s page. If the two ways differ, the table has',
    "two columns. An event that the caller cancels (`cancelled`) gets neither a refusal nor a permission.",
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

const GO_ON = "events at which a refusal makes the agent continue";
const WATCHES = "events at which nothing can be refused";
const NATURES: readonly string[] = ["gates at which every failure refuses", "gates", GO_ON, WATCHES];

function natureOf(contract: EventContract): string {
  if (contract.blockMeansGoOn) return GO_ON;
  if (contract.kind === "observer" || denialWord(contract) === undefined) return WATCHES;
  return contract.failsClosed ? "gates at which every failure refuses" : "gates";
}

function listed(events: readonly EventName[], nature: string): string {
  return nature === WATCHES ? "all other events" : events.map((event) => `\`${event}\``).join(", ");
}
