import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { HookEditing, HookEntry, NewHook, Path, Placement } from "./editing.ts";

/** Reads and edits sections of the form event -> hooks or event -> matcher groups -> hooks, which most agents have. */

export interface EntryFormat {
  readonly eventNames: Readonly<Record<string, string>>;
  readonly hookSwitch?: string;
  /** Keys with which a hook describes itself, in order of preference. */
  readonly descriptions: readonly string[];
}

export function sectionEntries(value: unknown, section: Path, format: EntryFormat): HookEntry[] {
  const events = valueAt(value, section);
  if (!isJsonObject(events)) return [];
  return Object.entries(events).flatMap(([event, list]) =>
    asList(list, [...section, event]).flatMap(([item, path]): HookEntry[] => {
      if (!isGroup(item)) return [hookEntry(item, path, event, null, format)];
      return asList(item["hooks"], [...path, "hooks"]).map(([hook, at]) =>
        hookEntry(hook, at, event, { path, value: item }, format),
      );
    }),
  );
}

/** Whether an item is a group. A hook has a `type`, a group has none. */
function isGroup(item: unknown): item is JsonObject {
  return isJsonObject(item) && item["hooks"] !== undefined && item["type"] === undefined;
}

export function hookEntry(
  value: unknown,
  path: Path,
  event: string,
  group: { readonly path: Path; readonly value: JsonObject } | null,
  format: EntryFormat,
): HookEntry {
  const hook = isJsonObject(value) ? value : {};
  const described = format.descriptions.map((key) => hook[key]).find(isText);
  return {
    event,
    canonicalEvent: Object.hasOwn(format.eventNames, event) ? (format.eventNames[event] as string) : null,
    path,
    group: group?.path ?? null,
    type: isText(hook["type"]) ? hook["type"] : isText(hook["command"]) ? "command" : "unknown",
    summary: summaryOf(hook),
    description: described ?? null,
    matcher: matcherText(hook["matcher"] ?? group?.value["matcher"]),
    enabled: format.hookSwitch === undefined || hook[format.hookSwitch] !== false,
  };
}

const TELLING = ["command", "run", "module", "url", "prompt", "text", "tool"] as const;

function summaryOf(hook: JsonObject): string {
  const said = TELLING.map((key) => hook[key]).find(isText);
  if (said === undefined) return "(not a hook)";
  const args = Array.isArray(hook["args"]) ? hook["args"].map(String) : [];
  const server = said === hook["tool"] && isText(hook["server"]) ? `${hook["server"]}/` : "";
  return [`${server}${said}`, ...args].join(" ");
}

function matcherText(matcher: JsonValue | undefined): string | null {
  if (matcher === undefined || matcher === null || matcher === "") return null;
  if (typeof matcher === "string") return matcher;
  const single = isJsonObject(matcher) ? Object.values(matcher) : [];
  return single.length === 1 && isText(single[0]) ? single[0] : JSON.stringify(matcher);
}

/**
 * Places a hook after the last hook of the last group that has the same matcher and no other keys. Without such a
 * group, places the hook in a new group at the end.
 */
export function placeInGroups(value: unknown, list: Path, matcher: string | undefined, hook: JsonObject): Placement {
  const groups = valueAt(value, list);
  const known = Array.isArray(groups) ? groups : [];
  const fitting = known.findLastIndex(
    (group) =>
      isGroup(group) && Array.isArray(group["hooks"]) && group["matcher"] === matcher && hasOnly(group, GROUP_KEYS),
  );
  if (fitting >= 0) {
    const { hooks } = known[fitting] as { readonly hooks: readonly unknown[] };
    return { path: [...list, fitting, "hooks", hooks.length], value: hook };
  }
  return { path: [...list, known.length], value: { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] } };
}

const GROUP_KEYS = ["matcher", "hooks"];

function hasOnly(group: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(group).every((key) => keys.includes(key));
}

/** Places a hook at the end of a list of hooks. A single hook in place of a list becomes the first of two. */
export function placeInList(value: unknown, list: Path, hook: JsonObject): Placement {
  const known = valueAt(value, list);
  return { path: [...list, Array.isArray(known) ? known.length : isJsonObject(known) ? 1 : 0], value: hook };
}

/** Returns a file's settings, with the dropped keys replaced by one section of hooks. */
export function settingsWith(value: unknown, dropped: readonly string[], section: JsonObject): JsonObject {
  const settings = Object.entries(isJsonObject(value) ? value : {}).filter(([key]) => !dropped.includes(key));
  return { ...Object.fromEntries(settings), ...section };
}

/** Returns the keys that all dialects spell alike, plus the dialect's key for failures. */
export function commandHook({ type, run, onFailure }: NewHook, failures?: HookEditing["onFailure"]): JsonObject {
  const word = onFailure === undefined ? undefined : failures?.words[onFailure];
  return {
    ...(type === "wasm" ? { type, module: run } : { type, command: run }),
    ...(failures === undefined || word === undefined ? {} : { [failures.key]: word }),
  };
}

export function valueAt(value: unknown, path: Path): unknown {
  let found: unknown = value;
  for (const part of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string | number, unknown>)[part];
  }
  return found;
}

/** Returns the items of a list. Accepts a single item in place of a list. A missing value is an empty list. */
export function asList(value: unknown, path: Path): readonly (readonly [unknown, Path])[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map((item, index) => [item, [...path, index]] as const) : [[value, path]];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
