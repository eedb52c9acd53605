import type { HookEvent } from "../event.ts";
import type { EventContract, EventRow } from "./contract.ts";
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
 * The row of an event as a dialect sees it (and, within it, a lane), or `undefined` for a name that no row has.
 */
export function contractOf(name: string, dialect: string, lane?: HookEvent["lane"]): EventContract | undefined {
  if (!Object.hasOwn(ROWS, name)) return undefined;
  const row = ROWS[name] as EventRow;
  const override =
    row.overrides !== undefined && Object.hasOwn(row.overrides, dialect) ? row.overrides[dialect] : undefined;
  const ahead = lane === undefined ? undefined : row.lanes?.[lane];
  if (override === undefined && ahead === undefined) return row;
  const key = `${dialect}\n${name}\n${ahead === undefined ? "" : lane}`;
  let contract = resolved.get(key);
  if (contract === undefined) {
    contract = Object.freeze({ ...row, ...override, ...ahead });
    resolved.set(key, contract);
  }
  return contract;
}

/** The row of an event that is known to have one: dispatch and parsing refuse all others. */
export function contractOfEvent(event: HookEvent): EventContract {
  const contract = contractOf(event.name, event.dialect, event.lane);
  if (contract === undefined) throw new TypeError(`no contract for event ${event.name}`);
  return contract;
}

/** The text that matchers test, or `undefined` when the event has no subject or the payload lacks it. */
export function subjectOf(contract: EventContract, event: HookEvent): string | undefined {
  if (contract.subject === null) return undefined;
  const value = event.payload[contract.subject];
  if (typeof value !== "string") return undefined;
  if (contract.subjectForm === "value") return value;
  if (contract.subjectForm === "model") return value.replace(/\[[^\]]*\]$/, "");
  return value.slice(Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\")) + 1);
}

/** The word that this event uses for "no": `deny` where permissions are decided, `block` elsewhere. */
export function denialWord(contract: EventContract): "deny" | "block" | undefined {
  if (contract.verdicts.includes("deny")) return "deny";
  return contract.verdicts.includes("block") ? "block" : undefined;
}
