/** A text of an input. */
export interface Field {
  readonly text: string;
  readonly place: Place;
  readonly isKey: boolean;
}

/** A value and where it stands. Only for a finding is that written out. */
interface Place {
  readonly value: unknown;
  /** A key, or a place in a list. */
  readonly at: string | number;
  readonly parent: Place | undefined;
  /** What the value is called: its key, or the name that stands beside it. */
  readonly name: string | undefined;
}

/** Tools that change a text, in the spellings of several agents. Any other tool sends all that it is given. */
const EDITORS: ReadonlySet<unknown> = new Set([
  ...["Edit", "MultiEdit", "edit", "multiedit", "multi_edit", "edit_file", "replace", "search_replace"],
  ...["str_replace", "str_replace_editor", "str_replace_based_edit_tool"],
]);
/** What is there already, and goes. */
const LEAVING: ReadonlySet<string> = new Set(["old_string", "old_str", "old_text"]);
/** A key may be a secret itself, even one that no format knows. Names of fields are short and have few digits. */
const PLAIN_NAME = /^(?!.*\d{4})[\w-]{1,20}$/;
const MIN_KEY = 12;
const MAX_WORDS = 20;

/** All texts in a value, whatever its shape: the input of a tool that nobody here knows may be any JSON. */
export function* textsIn(field: string, value: unknown, tool: unknown): Generator<Field> {
  const leaving = EDITORS.has(tool) ? LEAVING : undefined;
  // A stack of our own, as the input decides how deep it goes.
  const open: Place[] = [{ value, at: field, parent: undefined, name: undefined }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value: part } = place;
    if (typeof part === "string") yield { text: part, place, isKey: false };
    else if (Array.isArray(part)) pushItems(open, place, part);
    else if (typeof part === "object" && part !== null) {
      // Before what is below them: a key that is a secret never stands in the path of another finding.
      for (const key in part) if (mayBeSecret(key)) yield { text: key, place, isKey: true };
      pushMembers(open, place, part as Members, leaving);
    }
  }
}

/** Where a text stands, as `tool_input.edits[0].new_string`. */
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

/** Not too short for any token, and not words. */
function mayBeSecret(key: string): boolean {
  return key.length >= MIN_KEY && (key.length > MAX_WORDS || !/^[a-z_]+$/.test(key));
}

/** The last is pushed first, so that the first is the next to be taken. A list is called what its items are. */
function pushItems(open: Place[], parent: Place, items: readonly unknown[]): void {
  const { name } = parent;
  for (let at = items.length - 1; at >= 0; at--) open.push({ value: items[at], at, parent, name });
}

type Members = Readonly<Record<string, unknown>>;

function pushMembers(open: Place[], parent: Place, members: Members, leaving: ReadonlySet<string> | undefined): void {
  const named = typeof members["value"] === "string" ? (members["name"] ?? members["key"]) : undefined;
  const keys = Object.keys(members);
  for (let i = keys.length - 1; i >= 0; i--) {
    const at = keys[i] ?? "";
    if (leaving?.has(at)) continue;
    // `{ "name": "client_secret", "value": "…" }`, as lists of headers and variables have it.
    const name = at === "value" && typeof named === "string" ? named : at;
    open.push({ value: members[at], at, parent, name });
  }
}
