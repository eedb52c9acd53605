import { nameOf } from "../../src/secrets/redact-json.ts";

/** A text in an input. */
export interface Field {
  readonly text: string;
  readonly place: Place;
  readonly isKey: boolean;
}

/** A value and its place in the input. The path is built only for a finding. */
interface Place {
  readonly value: unknown;
  /** The key, or the index in a list. */
  readonly at: string | number;
  readonly parent: Place | undefined;
  /** The name of the value: its key, or the `name` field of the same object. */
  readonly name: string | undefined;
}

/** Tools that edit a text, with the names that several agents use. All other tools send their whole input. */
const EDITORS: ReadonlySet<unknown> = new Set([
  ...["Edit", "MultiEdit", "edit", "multiedit", "multi_edit", "edit_file", "replace", "search_replace"],
  ...["str_replace", "str_replace_editor", "str_replace_based_edit_tool"],
]);
/** Fields with the existing text that an edit removes. */
const LEAVING: ReadonlySet<string> = new Set(["old_string", "old_str", "old_text", "oldText", "oldString"]);
/** Matches names of fields, which are short and have few digits. Any other key may be a secret of an unknown format. */
const PLAIN_NAME = /^(?!.*\d{4})[\w-]{1,20}$/;
const MIN_KEY = 12;
const MAX_WORDS = 20;

/** Returns the names of the fields with text that the call removes. */
export function leavingFields(tool: unknown): ReadonlySet<string> | undefined {
  return EDITORS.has(tool) ? LEAVING : undefined;
}

/** Yields all texts in a value of any form, because the input of an unknown tool may be any JSON. */
export function* textsIn(field: string, value: unknown, tool: unknown): Generator<Field> {
  const leaving = leavingFields(tool);
  // An explicit stack is used, because the input decides its depth.
  const open: Place[] = [{ value, at: field, parent: undefined, name: undefined }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value: part } = place;
    if (typeof part === "string") yield { text: part, place, isKey: false };
    else if (Array.isArray(part)) pushItems(open, place, part);
    else if (typeof part === "object" && part !== null) {
      // Keys come before their values. A finding of a key ends the search, so no path contains a secret key.
      for (const key in part) if (mayBeSecret(key)) yield { text: key, place, isKey: true };
      pushMembers(open, place, part as Members, leaving);
    }
  }
}

/** Returns the place of a text, such as `tool_input.edits[0].new_string`. */
export function fieldOf({ place, isKey }: Field): string {
  let path = "";
  let here = place;
  for (; here.parent !== undefined; here = here.parent) path = `${step(here.at)}${path}`;
  return `${isKey ? "a key of " : ""}${here.at}${path}`;
}

function step(at: string | number): string {
  if (typeof at === "number") return `[${at}]`;
  return `.${PLAIN_NAME.test(at) ? at : "…"}`;
}

/** Whether a key is long enough for a token and does not look like words. */
function mayBeSecret(key: string): boolean {
  return key.length >= MIN_KEY && (key.length > MAX_WORDS || !/^[a-z_]+$/.test(key));
}

/** Pushes the items in reverse, so that the first item is taken next. Items have the name of their list. */
function pushItems(open: Place[], parent: Place, items: readonly unknown[]): void {
  const { name } = parent;
  for (let at = items.length - 1; at >= 0; at--) open.push({ value: items[at], at, parent, name });
}

type Members = Readonly<Record<string, unknown>>;

function pushMembers(open: Place[], parent: Place, members: Members, leaving: ReadonlySet<string> | undefined): void {
  const keys = Object.keys(members);
  for (let i = keys.length - 1; i >= 0; i--) {
    const at = keys[i] ?? "";
    if (leaving?.has(at)) continue;
    open.push({ value: members[at], at, parent, name: nameOf(at, members) });
  }
}
