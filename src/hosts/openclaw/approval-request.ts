import { cleanLine, cleanText } from "../../text.ts";
import { isObject, MalformedResult } from "./merges/merge.ts";

const DECISIONS = ["allow-once", "allow-always", "deny"] as const;
export type ApprovalDecision = (typeof DECISIONS)[number];
export type ApprovalResolution = ApprovalDecision | "timeout" | "cancelled";

/** A handler's question to the user, with limited lengths. */
export interface ApprovalRequest {
  readonly title: string;
  readonly description: string;
  readonly severity?: "info" | "warning" | "critical";
  readonly timeoutMs: number;
  readonly timeoutBehavior: "allow" | "deny";
  readonly timeoutReason?: string;
  readonly allowedDecisions: readonly ApprovalDecision[];
  readonly detail?: string;
  readonly actions?: readonly unknown[];
  /** The id of the asking plugin. The host sets this id and ignores a value from the handler. */
  readonly pluginId: string;
  readonly onResolution?: (decision: ApprovalResolution) => unknown;
}

const MAX_TITLE = 80;
const MAX_DESCRIPTION = 512;
const MAX_DETAIL = 16_384;
const MAX_ACTIONS = 6;
const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

/** Reads a question. Throws `MalformedResult` if `asked` is not a valid question. */
export function readApproval(asked: unknown, pluginId: string): ApprovalRequest {
  if (!isObject(asked)) throw new MalformedResult("requireApproval must be an object");
  const { title, description, detail, timeoutReason, onResolution, actions } = asked;
  const severity = word(asked, "severity", ["info", "warning", "critical"] as const);
  return {
    title: cut(cleanLine(text(title, "title")), MAX_TITLE),
    description: cut(cleanText(text(description, "description")), MAX_DESCRIPTION),
    ...(severity === undefined ? {} : { severity }),
    timeoutMs: timeout(asked["timeoutMs"]),
    timeoutBehavior: word(asked, "timeoutBehavior", ["allow", "deny"] as const) ?? "deny",
    ...(timeoutReason === undefined
      ? {}
      : { timeoutReason: cut(cleanLine(text(timeoutReason, "timeoutReason")), MAX_DESCRIPTION) }),
    allowedDecisions: decisions(asked["allowedDecisions"]),
    ...(detail === undefined ? {} : { detail: cut(cleanText(text(detail, "detail"), 2 * MAX_DETAIL), MAX_DETAIL) }),
    ...(Array.isArray(actions) ? { actions: actions.slice(0, MAX_ACTIONS) } : {}),
    pluginId,
    ...(typeof onResolution === "function"
      ? { onResolution: onResolution as (one: ApprovalResolution) => unknown }
      : {}),
  };
}

function timeout(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) return DEFAULT_TIMEOUT_MS;
  return Math.min(Math.max(Math.floor(value), 1), MAX_TIMEOUT_MS);
}

function decisions(value: unknown): readonly ApprovalDecision[] {
  if (value === undefined) return DECISIONS;
  if (!Array.isArray(value)) throw new MalformedResult("requireApproval.allowedDecisions must be a list");
  return DECISIONS.filter((one) => value.includes(one));
}

function text(value: unknown, key: string): string {
  if (typeof value === "string") return value;
  throw new MalformedResult(`requireApproval.${key} must be a string`);
}

function word<Word extends string>(
  asked: Readonly<Record<string, unknown>>,
  key: string,
  words: readonly Word[],
): Word | undefined {
  const value = asked[key];
  if (value === undefined) return undefined;
  const known = words.find((one) => one === value);
  if (known === undefined) throw new MalformedResult(`requireApproval.${key} must be one of ${words.join(", ")}`);
  return known;
}

function cut(value: string, most: number): string {
  return value.length <= most ? value : `${value.slice(0, most - 1)}…`;
}
