import { renderJson } from "../../config/edit-json.ts";
import { editText, fileValue } from "../../config/edit-keeping-comments.ts";
import type { Placement } from "../../dialects/editing.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { isJsonObject, type JsonValue } from "../../json.ts";
import { removeHook } from "../hooks/changes.ts";
import type { HooksFile } from "../hooks/hooks-file.ts";
import { listHooks } from "../hooks/listed-hooks.ts";
import type { AgentSetup, EntryCommand } from "./agents.ts";

/** Adds the hooks that start hookbox to an agent's settings, and removes them. All other bytes stay as they are. */

const BOM = "\ufeff";

/** Returns the file as it would be with another text. */
export async function withText(file: HooksFile, text: string): Promise<HooksFile> {
  const value = text.trim() === "" ? undefined : await fileValue(text.replace(BOM, ""), file.name);
  return { ...file, text, value, hooks: listHooks(file.editing.entries(value), file.aside, file.dialect.eventNames) };
}

export async function addEntries(
  file: HooksFile,
  { events, place, projectKeys = {} }: Pick<AgentSetup, "events" | "place" | "projectKeys">,
  commandFor: (event: string) => EntryCommand,
): Promise<HooksFile> {
  let now = file;
  for (const event of events) {
    const placed = await place(now.value, event, commandFor(event));
    now = await inserted(now, placed);
  }
  for (const [key, value] of Object.entries(projectKeys)) {
    if (valueAt(now.value, [key]) !== undefined || value === undefined) continue;
    now = await withText(now, await editText(now.text, now.name, { op: "insert", path: [key], value }));
  }
  return now;
}

/** Inserts a hook. In JSON, the hook is one line, because a hook for each of many events would hide the other settings. */
async function inserted(file: HooksFile, { path, value }: Placement): Promise<HooksFile> {
  if (/\.ya?ml$/i.test(file.path))
    return withText(file, await editText(file.text, file.name, { op: "insert", path, value }));
  let now = file;
  let [at, item] = [path, value];
  while (at.length > 2 && valueAt(now.value, at.slice(0, -1)) === undefined) {
    const key = at.at(-1) as string | number;
    item = typeof key === "number" ? [item] : { [key]: item };
    at = at.slice(0, -1);
  }
  const parent = at.slice(0, -1);
  if (parent.length > 0 && valueAt(now.value, parent) === undefined)
    now = await withText(now, await editText(now.text, now.name, { op: "insert", path: parent, value: {} }));
  const raw = oneLine(item);
  return withText(now, await editText(now.text, now.name, { op: "insert", path: at, value: item, raw }));
}

function oneLine(value: JsonValue): string {
  return renderJson(value, undefined, { newline: "\n", unit: "  ", hasLines: false, lineComment: "//" });
}

/** Removes the hooks that `hookbox init` has written, and no others. */
export async function removeEntries(file: HooksFile): Promise<HooksFile> {
  let now = file;
  for (;;) {
    const hook = now.hooks.find(({ entry }) => entry !== undefined && isOwn(valueAt(now.value, entry.path)));
    if (hook === undefined) return now;
    now = await withText(now, (await removeHook(now, hook)).text);
  }
}

export function hasEntries({ hooks, value }: HooksFile): boolean {
  return hooks.some(({ entry }) => entry !== undefined && isOwn(valueAt(value, entry.path)));
}

/** Whether a hook starts a relay of hookbox. Users may write such a hook by hand, but not with these options. */
export function isOwn(hook: unknown): boolean {
  if (!isJsonObject(hook) || typeof hook["command"] !== "string") return false;
  const { command, args } = hook;
  const words = [command, ...(Array.isArray(args) ? args.map(String) : [])].join(" ");
  return OWN.test(words) && words.includes("--socket ") && words.includes("--main ");
}

const OWN = /relay-linux-|relay\.sh|hookbox\.cjs'? relay /;
