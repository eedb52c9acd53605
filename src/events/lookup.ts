import type { Compat } from "../codec.ts";
import type { HookEvent } from "../event.ts";
import type { EventContract, EventRow } from "./contract.ts";
import { DIALECT_WIDE } from "./rows/dialect-wide.ts";
import { EVENTS, type EventName } from "./table.ts";

const ROWS: Readonly<Record<string, EventRow>> = EVENTS;

export const EVENT_NAMES: readonly EventName[] = Object.freeze(Object.keys(EVENTS) as EventName[]);

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

/** Whether an agent sends the event. Embedders of the engine may send every event. */
export function isEventOf(name: string, dialect: string): boolean {
  if (!Object.hasOwn(ROWS, name)) return false;
  const { agents } = ROWS[name] as EventRow;
  return dialect === "hookbox" || agents === undefined || agents.includes(dialect);
}

const resolved = new Map<string, EventContract>();

/**
 * Returns the row of an event with the overrides of the dialect and the lane. For `compat: "faithful"`, also applies
 * the overrides of the agent's documentation. Returns `undefined` for an unknown event.
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

/** Whether the event has a preempt lane. */
export function hasLanes(name: string, dialect: string): boolean {
  return contractOf(name, dialect, "preempt") !== contractOf(name, dialect);
}

function ofDialect(columns: EventRow["overrides"], dialect: string): Partial<EventContract> | undefined {
  return columns !== undefined && Object.hasOwn(columns, dialect) ? columns[dialect] : undefined;
}

/** Returns the row of a known event. Dispatch and parsing have already rejected unknown events. */
export function contractOfEvent(event: HookEvent, compat?: Compat): EventContract {
  const contract = contractOf(event.name, event.dialect, event.lane, compat);
  if (contract === undefined) throw new TypeError(`no contract for event ${event.name}`);
  return contract;
}

/** Returns the text that matchers test. Returns `undefined` if the event has no subject or the payload lacks it. */
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

/** Joins the fields: texts unchanged, other values as JSON. Skips missing fields. */
function joinedSubject(fields: readonly string[], { payload }: HookEvent): string {
  const values = fields.map((field) => payload[field]).filter((value) => value !== undefined && value !== null);
  return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ");
}

/**
 * Returns a model's name without its suffix. Returns `undefined` for an alias or a provider's own form, because the
 * model is then unknown and every rule must be asked.
 */
function canonicalModel(value: string): string | undefined {
  const name = value.replace(/\[[^\]]*\]$/, "");
  return /\d/.test(name) && /^[\w.-]+$/.test(name) ? name : undefined;
}

/** Returns the event's word for a refusal: `deny` or `block`. Returns `undefined` if the event has none. */
export function denialWord(contract: EventContract): "deny" | "block" | undefined {
  if (contract.verdicts.includes("deny")) return "deny";
  return contract.verdicts.includes("block") ? "block" : undefined;
}
