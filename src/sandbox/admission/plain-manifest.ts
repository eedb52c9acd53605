import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { GUEST_ABI_VERSION } from "../guest/guest-abi.ts";
import type { Manifest } from "./manifest-schema.ts";

/**
 * Recognises the manifests of nearly all guards without the schema, because loading the schema takes longer than the
 * rest of a guard's admission. `false` means that the schema must decide. The schema also reports every refusal.
 */

type Check = (value: JsonValue) => boolean;

const isText =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === "string" && value.length >= least && value.length <= most;
const isAnyText: Check = (value) => typeof value === "string";
const isNumberFrom =
  (least: number): Check =>
  (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least;
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isOneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);

/** Accepts an object that has only the keys of `checks`, and all keys of `needed`. */
const isObjectOf =
  (checks: Readonly<Record<string, Check>>, needed: readonly string[] = []): Check =>
  (value) =>
    isJsonObject(value) &&
    needed.every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, one]) => Object.hasOwn(checks, key) && checks[key]?.(one as JsonValue) === true);

/** Fixtures with `given`, `after` or the decision `block` are left to the schema, which translates `block`. */
const isFixture = isObjectOf(
  {
    name: isText(1, 200),
    event: (value) => isJsonObject(value) && typeof value["hook_event_name"] === "string",
    config: isJsonObject,
    decision: isOneOf("allow", "deny", "ask", "defer", "none"),
    reason: isAnyText,
  },
  ["name", "event", "decision"],
);

const positive = isNumberFrom(1);
const isLimits = isObjectOf({
  fuel: positive,
  fuelPerInputByte: isNumberFrom(0),
  depth: positive,
  memoryMiB: positive,
  outputBytes: positive,
  timeoutMs: positive,
});

const MAX_FIXTURES = 1_000;

const isManifest = isObjectOf(
  {
    name: isText(1, 100),
    version: isText(1, 100),
    abi: (value) => value === GUEST_ABI_VERSION,
    description: isText(0, 1_000),
    events: isListOf(isAnyText),
    wants: isListOf(isOneOf("hosts", "paths", "state", "clock", "random", "wasi")),
    config: isJsonObject,
    limits: isLimits,
    fixtures: (value) => isListOf(isFixture)(value) && (value as readonly JsonValue[]).length <= MAX_FIXTURES,
  },
  ["name", "version", "abi"],
);

/** Whether a manifest is plain. `value` must be the parsed `text`. */
export function isPlainManifest(value: JsonObject, text: string): boolean {
  // The schema does not copy a `__proto__` key, so its result would differ from `value`.
  if (text.includes("__proto__") || !isManifest(value)) return false;
  const { fixtures = [] } = value as unknown as Manifest;
  return new Set(fixtures.map(({ name }) => name)).size === fixtures.length;
}
