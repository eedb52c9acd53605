interface Field {
  /** Where it stands, as `tool_input.edits[0].new_string`. */
  readonly field: string;
  readonly text: string;
}

/** What is there already, and goes. */
const LEAVING: ReadonlySet<string> = new Set(["old_string", "old_str", "old_text"]);
const PLAIN_NAME = /^[\w-]{1,40}$/;

/** All texts in a value, whatever its shape: the input of a tool that nobody here knows may be any JSON. */
export function* textsIn(field: string, value: unknown): Generator<Field> {
  // A stack of our own, as the input decides how deep it goes.
  const open: { readonly field: string; readonly value: unknown }[] = [{ field, value }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value === "string") yield { field: next.field, text: next.value };
    else if (typeof next.value === "object" && next.value !== null) open.push(...partsOf(next.field, next.value));
  }
}

/** Last first, so that the first is the next to be taken. */
function partsOf(field: string, value: object): { readonly field: string; readonly value: unknown }[] {
  if (Array.isArray(value)) return value.map((item, at) => ({ field: `${field}[${at}]`, value: item })).reverse();
  return Object.entries(value)
    .filter(([key]) => !LEAVING.has(key))
    .map(([key, item]) => ({ field: PLAIN_NAME.test(key) ? `${field}.${key}` : field, value: item }))
    .reverse();
}
