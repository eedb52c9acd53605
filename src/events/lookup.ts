import type { HookEvent } from "../event.ts";
import type { Compat } from "../rule.ts";
import type { EventContract, EventRow } from "./contract.ts";
import { DIALECT_WIDE } from "./rows/dialect-wide.ts";
import { EVENTS, type EventName } from "./table.ts";

const ROWS: Readonly<Record<string, EventRow>> = EVENTS;

export const EVENT_NAMES: readonly EventName[] = Object.freeze(Object.keys(EVENTS) as EventName[]);

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

/** Whether an agent ever fires the event. Whoever embeds the engine itself may fire them all. */
export function isEventOf(name: string, dialect: string): boolean {
  if (!Object.hasOwn(ROWS, name)) return false;
  const { agents } = ROWS[name] as EventRow;
  return dialect === "hookbox" || agents === undefined || agents.includes(dialect);
}

const resolved = new Map<string, EventContract>();

/**
 * The row of an event as a dialect sees it (and, within it, a lane, and a rule that is to be as the agent's page has
 * it), or `undefined` for a name that no row has.
 */
export function contractOf(
  name: string,
  dialect: string,
  lane?: HookEvent["lane"],
  compat?: Compat,
): EventContract | undefined {
  if (!Object.hasOwn(ROWS, name)) return undefined;
  const row = ROWS[name] as EventRow;
  const override = ofDialect(row.overrides, dialect);
  const page = compat === "faithful" ? ofDialect(row.pages, dialect) : undefined;
  const ahead = lane === undefined ? undefined : row.lanes?.[lane];
  const added = ofDialect(DIALECT_WIDE, dialect);
  if (override === undefined && page === undefined && ahead === undefined && added === undefined) return row;
  const key = `${dialect}\n${name}\n${ahead === undefined ? "" : lane}\n${page === undefined ? "" : "page"}`;
  let contract = resolved.get(key);
  if (contract === undefined) {
    const { verdicts: _, handlers: __, ...everywhere } = added ?? {};
    const own = { ...row, ...everywhere, ...override, ...page, ...ahead };
    contract = Object.freeze({
      ...own,
      verdicts: [...new Set([...own.verdicts, ...(added?.verdicts ?? [])])],
      handlers: [...new Set([...own.handlers, ...(added?.handlers ?? [])])],
    });
    resolved.set(key, contract);
  }
  return contract;
}

/** Whether rules may be asked ahead of the others at this event. */
export function hasLanes(name: string, dialect: string): boolean {
  return contractOf(name, dialect, "preempt") !== contractOf(name, dialect);
}

function ofDialect(columns: EventRow["overrides"], dialect: string): Partial<EventContract> | undefined {
  return columns !== undefined && Object.hasOwn(columns, dialect) ? columns[dialect] : undefined;
}

/** The row of an event that is known to have one: dispatch and parsing refuse all others. */
export function contractOfEvent(event: HookEvent, compat?: Compat): EventContract {
  const contract = contractOf(event.name, event.dialect, event.lane, compat);
  if (contract === undefined) throw new TypeError(`no contract for event ${event.name}`);
  return contract;
}

/** The text that matchers test, or `undefined` when the event has no subject or the payload none that can be told. */
export function subjectOf(contract: EventContract, event: HookEvent): string | undefined {
  const { subject } = contract;
  if (subject === null) return undefined;
  if (typeof subject !== "string") return joinedSubject(subject, event);
  const value = event.payload[subject];
  if (typeof value !== "string") return undefined;
  if (contract.subjectForm === "value") return value;
  if (contract.subjectForm === "model") return canonicalModel(value);
  return value.slice(Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\")) + 1);
}

/** Texts as they are, anything else as JSON; what is not there adds nothing. */
function joinedSubject(fields: readonly string[], { payload }: HookEvent): string {
  const values = fields.map((field) => payload[field]).filter((value) => value !== undefined && value !== null);
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ");
}

/**
 * A model's name without its suffix. `undefined` for an alias or a provider's own spelling: which model that is cannot
 * be told here, so every rule is asked.
 */
function canonicalModel(value: string): string | undefined {
  const name = value.replace(/\[[^\]]*\]$/, "");
  return /\d/.test(name) && /^[\w.-]+$/.test(name) ? name : undefined;
}

/** The word that this event uses for "no": `deny` where permissions are decided, `block` elsewhere. */
export function denialWord(contract: EventContract): "deny" | "block" | undefined {
  if (contract.verdicts.includes("deny")) return "deny";
  return contract.verdicts.includes("block") ? "block" : undefined;
}
