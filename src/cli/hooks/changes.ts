import { isDeepStrictEqual } from "node:util";
import { editText, fileValue, textAt } from "../../config/edit-keeping-comments.ts";
import type { NewHook, Path } from "../../dialects/editing.ts";
import { isPlaced } from "../../dialects/editing.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { HookError } from "../../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { nearest } from "../../suggest.ts";
import type { HooksFile } from "./hooks-file.ts";
import { type Listed, listHooks } from "./listed-hooks.ts";
import { type AsideHook, asideFileOf } from "./switched-off-hooks.ts";

/** A change to a file of hooks: the new text and a message for the user. Nothing is written yet. */
export interface Change {
  readonly text: string;
  readonly aside: readonly AsideHook[];
  readonly done: string;
}

/** Returns the agent's name of an event. `named` is the agent's name or the canonical name. */
export function eventOf({ dialect }: HooksFile, named: string): string {
  if (Object.hasOwn(dialect.eventNames, named)) return named;
  const names = Object.entries(dialect.eventNames);
  const canonical = names.find(([, name]) => name === named)?.[0];
  if (canonical !== undefined) return canonical;
  const known = [...names.map(([name]) => name), ...new Set(names.map(([, name]) => name as string))];
  const meant = nearest(named, known);
  throw new HookError("HOOK_EVENT_UNKNOWN", `${dialect.name} has no event "${named}"`, {
    hint: meant === undefined ? `its events: ${names.map(([name]) => name).join(", ")}` : `did you mean "${meant}"?`,
  });
}

export function hookAt(file: HooksFile, named: string, number: number): Listed {
  const has = (event: string): readonly Listed[] => file.hooks.filter((hook) => hook.event === event);
  // Searches the file for the exact name first, because the file may have an unknown event.
  const hooks = has(named).length > 0 ? has(named) : has(eventOf(file, named));
  const found = hooks.find((hook) => hook.number === number);
  if (found !== undefined) return found;
  throw new HookError("HOOK_EDIT_HOOK", `${file.name} has no hook ${number} at ${hooks[0]?.event ?? named}`, {
    hint:
      hooks.length === 0 ? "it has no hooks at this event" : `${whichThere(hooks.length)}; hookbox hooks lists them`,
  });
}

function whichThere(count: number): string {
  return count === 1 ? "its only hook at this event is 1" : `its hooks at this event are 1 to ${count}`;
}

export async function addHook(file: HooksFile, event: string, hook: NewHook): Promise<Change> {
  const { key, words = {} } = file.editing.onFailure ?? {};
  const word = hook.onFailure === undefined ? undefined : words[hook.onFailure];
  if (hook.onFailure !== undefined && word === undefined)
    throw new HookError("HOOK_EDIT_HOOK", `a hook of ${file.dialect.name} cannot say --on-failure ${hook.onFailure}`, {
      hint: key === undefined ? "leave out --on-failure" : `use ${Object.keys(words).join(" or ")}`,
    });
  const placed = file.editing.place(file.value, event, hook);
  if (!isPlaced(placed))
    throw new HookError("HOOK_EDIT_HOOK", placed.whyNot, placed.hint === undefined ? {} : { hint: placed.hint });
  const text = await editText(file.text, file.name, { op: "insert", ...placed });
  const after = listHooks(file.editing.entries(await valueIn(text, file)), file.aside, file.dialect.eventNames);
  const { length } = after.filter((one) => one.event === event);
  return { text, aside: file.aside, done: `Added ${event} ${length}: ${hook.run}${unheard(file)}` };
}

/** Returns a warning that the hook does not run because all hooks are disabled; otherwise an empty text. */
function unheard({ name, isOff, editing }: HooksFile): string {
  return isOff && editing.fileSwitch !== undefined
    ? `; but all hooks of the file are off: hookbox hooks on ${name} switches them on`
    : "";
}

export async function removeHook(file: HooksFile, hook: Listed): Promise<Change> {
  const done = `Removed ${label(hook)}`;
  const others = file.aside.filter((one) => one !== hook.aside).map((one) => movedUp(one, hook));
  if (hook.entry === undefined) return { text: file.text, aside: others, done };
  let failure: unknown;
  // Also removes the lists and objects that contain only this hook.
  for (const path of emptyWithout(file.value, hook.entry)) {
    try {
      return { text: await editText(file.text, file.name, { op: "remove", path }), aside: others, done };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function movedUp(one: AsideHook, { event, number }: Listed): AsideHook {
  return one.event === event && one.number > number ? { ...one, number: one.number - 1 } : one;
}

/** Returns the paths that would be empty without the hook, outermost first, then the path of the hook. */
function emptyWithout(value: unknown, { path, group, event }: NonNullable<Listed["entry"]>): readonly Path[] {
  const at = path.indexOf(event);
  const section = at < 0 ? 1 : Math.max(1, at);
  const paths: Path[] = [itemOf(value, path, group)];
  for (let [outer] = paths as [Path]; outer.length > section; outer = outer.slice(0, -1)) {
    const parent = valueAt(value, outer.slice(0, -1));
    const size = Array.isArray(parent) ? parent.length : Object.keys(parent as object).length;
    if (size > 1) break;
    paths.unshift(outer.slice(0, -1));
  }
  return paths.filter(({ length }) => length > 0);
}

/** Returns the path of the hook, or of its group if the group contains no other hook. */
function itemOf(value: unknown, path: Path, group: Path | null): Path {
  const hooks = group === null ? undefined : valueAt(value, [...group, "hooks"]);
  return group !== null && (!Array.isArray(hooks) || hooks.length === 1) ? group : path;
}

export async function switchHook(file: HooksFile, hook: Listed, on: boolean): Promise<Change> {
  const done = `${on ? "Enabled" : "Disabled"} ${label(hook)}${on ? unheard(file) : ""}`;
  if (hook.enabled === on)
    return { text: file.text, aside: file.aside, done: `${label(hook)} is already ${on ? "enabled" : "disabled"}` };
  const { hookSwitch } = file.editing;
  if (hookSwitch !== undefined && hook.entry !== undefined) {
    const path = [...hook.entry.path, hookSwitch];
    return { text: await editText(file.text, file.name, { op: "set", path, value: on }), aside: file.aside, done };
  }
  if (!on) {
    const { text, aside } = await setAside(file, hook, "hook");
    const where = `${file.dialect.name} cannot switch off a single hook, so it was moved to ${asideFileOf(file.name)}`;
    return { text, aside, done: `${done}: ${where}` };
  }
  return { text: await putBack(file, hook), aside: file.aside.filter((one) => one !== hook.aside), done };
}

async function setAside(file: HooksFile, hook: Listed, by: AsideHook["by"]): Promise<Pick<Change, "text" | "aside">> {
  const { path, group, event } = hook.entry as NonNullable<Listed["entry"]>;
  const out = itemOf(file.value, path, group);
  const rest = group === null ? null : withoutHooks(valueAt(file.value, group));
  const taken: AsideHook = {
    event,
    number: hook.number,
    list: path.slice(0, path.lastIndexOf(event) + 1),
    group: rest,
    ownGroup: out === group && !file.aside.some((one) => isOfGroup(one, event, rest)),
    item: valueAt(file.value, out) as JsonValue,
    text: (await textAt(file.text, file.name, out)) ?? null,
    hook: valueAt(file.value, path) as JsonValue,
    by,
    presentIn: null,
  };
  return {
    text: await editText(file.text, file.name, { op: "remove", path: out }),
    aside: [...file.aside, taken],
  };
}

/** Whether a disabled hook was in the same group. If so, the group once had more than one hook. */
function isOfGroup(one: AsideHook, event: string, rest: JsonObject | null): boolean {
  return one.event === event && !one.ownGroup && isDeepStrictEqual(one.group, rest);
}

function withoutHooks(group: unknown): JsonObject {
  return Object.fromEntries(Object.entries(isJsonObject(group) ? group : {}).filter(([key]) => key !== "hooks"));
}

/**
 * Puts a hook back. Throws unless the result is the hook that was shown, because the file of hooks may be manipulated.
 */
async function putBack(file: HooksFile, hook: Listed): Promise<string> {
  const { event, group, hook: shown } = hook.aside as AsideHook;
  const text = await insertAgain(file, hook);
  const hooksOf = (value: unknown): readonly unknown[] =>
    file.editing
      .entries(value)
      .map((one) => [
        one.event,
        one.group === null ? null : withoutHooks(valueAt(value, one.group)),
        valueAt(value, one.path),
      ]);
  const [before, after] = [hooksOf(file.value), hooksOf(await valueIn(text, file))];
  const isIt = after.some(
    (one, index) =>
      isDeepStrictEqual(one, [event, group, shown]) && isDeepStrictEqual(after.toSpliced(index, 1), before),
  );
  if (isIt) return text;
  throw new HookError(
    "HOOK_EDIT_FILE",
    `${asideFileOf(file.name)}: the hook in this file is not the hook that was listed`,
    {
      hint: "check the file before you enable the hook; hookbox hooks remove deletes it",
    },
  );
}

/** Inserts a hook between its former neighbours, in its former group or in a new group. */
async function insertAgain(file: HooksFile, hook: Listed): Promise<string> {
  const aside = hook.aside as AsideHook;
  const around = file.hooks.filter((one) => one.event === hook.event && one.entry !== undefined);
  const before = around.findLast(({ number }) => number < hook.number)?.entry;
  const after = around.find(({ number }) => number > hook.number)?.entry;
  const isHost = (group: Path | null | undefined): boolean =>
    group != null && isDeepStrictEqual(withoutHooks(valueAt(file.value, group)), aside.group);
  const insert = (path: Path, value: JsonValue): Promise<string> => {
    const raw = aside.text === null || !isDeepStrictEqual(value, aside.item) ? {} : { raw: aside.text };
    return editText(file.text, file.name, { op: "insert", path, value, ...raw });
  };
  if (aside.group !== null && !aside.ownGroup) {
    if (before !== undefined && isHost(before.group)) return insert(next(before.path), aside.hook);
    if (after !== undefined && isHost(after.group)) return insert(after.path, aside.hook);
  }
  const isBare = aside.group !== null && isDeepStrictEqual(aside.item, aside.hook);
  const item = isBare ? { ...aside.group, hooks: [aside.hook] } : aside.item;
  const place = (entry: { readonly path: Path; readonly group: Path | null }): Path => entry.group ?? entry.path;
  if (after !== undefined && !(before !== undefined && isDeepStrictEqual(place(before), place(after))))
    return insert(listPlace(place(after)), item);
  if (before !== undefined) return insert(next(place(before)), item);
  return insert([...aside.list, 0], item);
}

/**
 * Returns the path that inserts an item before the item at `path`. If `path` leads to a single hook without a list, the
 * returned path ends with index 0.
 */
function listPlace(path: Path): Path {
  return typeof path.at(-1) === "number" ? path : [...path, 0];
}

function next(path: Path): Path {
  const last = path.at(-1);
  return typeof last === "number" ? [...path.slice(0, -1), last + 1] : [...path, 1];
}

/** Enables or disables all hooks: with the agent's own switch, otherwise by moving the hooks to another file. */
export async function switchAll(file: HooksFile, on: boolean): Promise<Change> {
  const { fileSwitch } = file.editing;
  const word = on ? "on" : "off";
  if (fileSwitch !== undefined) {
    if (file.isOff !== on) return { text: file.text, aside: file.aside, done: `Hooks are ${word} already` };
    const { path, off } = fileSwitch;
    const value = on ? !off : off;
    const text = await editText(file.text, file.name, { op: "set", path, value });
    return { text, aside: file.aside, done: `Hooks are ${word}: ${path.join(".")} is ${value}` };
  }
  let now = file;
  let count = 0;
  for (;;) {
    // Hooks return in the reverse order of removal, so that each hook finds its former neighbours.
    const last = now.aside.findLast(({ by }) => by === "all");
    const hook = now.hooks.find(({ entry, aside }) =>
      on ? last !== undefined && aside === last : entry !== undefined,
    );
    if (hook === undefined) break;
    const { text, aside } = on
      ? { text: await putBack(now, hook), aside: now.aside.filter((one) => one !== hook.aside) }
      : await setAside(now, hook, "all");
    const value = await valueIn(text, now);
    now = { ...now, text, aside, value, hooks: listHooks(now.editing.entries(value), aside, now.dialect.eventNames) };
    count += 1;
  }
  const where = `${file.dialect.name} cannot switch off all hooks, so ${on ? "they were moved back from" : "they were moved to"} ${asideFileOf(file.name)}`;
  const done = count === 0 ? `Hooks are ${word} already` : `Hooks are ${word}: ${where}`;
  return { text: now.text, aside: now.aside, done };
}

function valueIn(text: string, { name }: HooksFile): Promise<unknown> {
  return fileValue(text.replace("\ufeff", ""), name);
}

function label({ event, number, summary }: Listed): string {
  return `${event} ${number}: ${summary}`;
}
