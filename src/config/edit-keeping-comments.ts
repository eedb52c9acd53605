import { isDeepStrictEqual } from "node:util";
import type { Path } from "../dialects/editing.ts";
import { valueAt } from "../dialects/hook-sections.ts";
import { HookError } from "../errors.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import { readDocument } from "./document.ts";
import { applyChanges, type TextEditor } from "./edit-brackets.ts";

/**
 * Edits the text of a configuration file and keeps all other bytes: comments, order, indentation. After an edit, the
 * new text is parsed and compared with the intended value. If they differ, the edit is refused.
 */

type Edit =
  /** A number at the end of the path is a position in a list; later items move by one. Missing parents are created. */
  | { readonly op: "insert"; readonly path: Path; readonly value: JsonValue; readonly raw?: string }
  | { readonly op: "remove"; readonly path: Path }
  | { readonly op: "set"; readonly path: Path; readonly value: JsonValue };

const BOM = "\ufeff";

export async function editText(text: string, file: string, edit: Edit): Promise<string> {
  const mark = text.startsWith(BOM) ? BOM : "";
  const content = text.slice(mark.length);
  const before = await fileValue(content, file);
  const full = completed(before, edit);
  const wanted = applied(before, full);
  const isSame = async (result: string | undefined): Promise<boolean> =>
    result !== undefined && isDeepStrictEqual(await read(result, file), wanted);
  const editor = await editorOf(content, file);
  let result = changed(content, editor, full);
  // The original text of a hook may not fit at the place where it is inserted again.
  if (full.op === "insert" && full.raw !== undefined && !(await isSame(result)))
    result = changed(content, editor, { op: "insert", path: full.path, value: full.value });
  if (await isSame(result)) return `${mark}${result}`;
  throw new HookError(
    "HOOK_EDIT_PLACE",
    `${file}: /${full.path.join("/")} cannot be changed without changing other parts of the file`,
    {
      hint: "change it by hand: hookbox cannot edit a value that is written in this way",
      place: { file },
    },
  );
}

/** Returns a value as it is written in the file. */
export async function textAt(text: string, file: string, path: Path): Promise<string | undefined> {
  return (await editorOf(text.replace(BOM, ""), file)).slice(path);
}

/** Returns the value of a file's text. Throws an error with the place if the text cannot be parsed. */
export async function fileValue(text: string, file: string): Promise<unknown> {
  const result = await readDocument(text, file);
  if (result.ok) return result.document.value;
  const [problem] = result.problems;
  throw new HookError(problem?.code ?? "HOOK_CONFIG_SYNTAX", problem?.message ?? "the file cannot be read", {
    ...(problem?.place === undefined ? {} : { place: problem.place }),
    ...(problem?.hint === undefined ? {} : { hint: problem.hint }),
  });
}

async function read(text: string, file: string): Promise<unknown> {
  const result = await readDocument(text, file);
  return result.ok ? result.document.value : undefined;
}

async function editorOf(text: string, file: string): Promise<TextEditor> {
  if (/\.ya?ml$/i.test(file)) return (await import("./edit-yaml.ts")).yamlEditor(text);
  return (await import("./edit-json.ts")).jsonEditor(text);
}

function changed(text: string, editor: TextEditor, edit: Edit): string | undefined {
  const parent = edit.path.slice(0, -1);
  const key = edit.path.at(-1) as string | number;
  const changes =
    edit.op === "insert"
      ? editor.insert(parent, key, edit.value, edit.raw)
      : edit.op === "remove"
        ? editor.remove(parent, key)
        : editor.replace(edit.path, edit.value);
  return changes === undefined ? undefined : applyChanges(text, changes);
}

/** Returns the same edit at the innermost parent that exists. The value then contains the missing parents. */
function completed(value: unknown, edit: Edit): Edit {
  if (edit.op === "remove") return edit;
  if (edit.op === "set" && valueAt(value, edit.path) !== undefined) return edit;
  let path = edit.path;
  let made: JsonValue = edit.value;
  let raw = edit.op === "insert" ? edit.raw : undefined;
  while (path.length > 1) {
    const parent = valueAt(value, path.slice(0, -1));
    if (parent !== undefined && parent !== null) break;
    const key = path.at(-1) as string | number;
    made = typeof key === "number" ? [made] : { [key]: made };
    path = path.slice(0, -1);
    raw = undefined;
    if (parent === null) return { op: "set", path, value: made };
  }
  return { op: "insert", path, value: made, ...(raw === undefined ? {} : { raw }) };
}

/** Returns the intended value of the file after the edit. */
function applied(value: unknown, edit: Edit): unknown {
  const [key, ...rest] = edit.path;
  if (key === undefined) return value;
  if (rest.length > 0) {
    const below = applied(valueAt(value, [key]), { ...edit, path: rest });
    return Array.isArray(value)
      ? value.map((item, index) => (index === key ? below : item))
      : { ...(value as object), [key]: below };
  }
  if (typeof key === "number") {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (edit.op === "insert") return [...list.slice(0, key), edit.value, ...list.slice(key)];
    return list.flatMap((item, index) => (index !== key ? [item] : edit.op === "set" ? [edit.value] : []));
  }
  const object = isJsonObject(value) ? value : {};
  if (edit.op === "remove") return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
  return { ...object, [key]: edit.value };
}
