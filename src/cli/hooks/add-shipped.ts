import { editText } from "../../config/edit-keeping-comments.ts";
import { HookError } from "../../errors.ts";
import type { Change } from "./changes.ts";
import type { HooksFile } from "./hooks-file.ts";

/** Adds the hooks that the agent ships with, disabled. Hooks that are already in the file do not change. */
export async function addShipped(file: HooksFile): Promise<Change> {
  const { editing, aside, dialect } = file;
  if (editing.shipped === undefined) throw new HookError("HOOK_EDIT_HOOK", `${dialect.name} ships with no hooks`);
  let { text } = file;
  const placed = editing.shipped(file.value);
  for (const one of placed) text = await editText(text, file.name, { op: "insert", ...one });
  const { length } = placed;
  const what =
    length === 0 ? "nothing: the file has all of them" : `${length} ${length === 1 ? "hook" : "hooks"}, switched off`;
  return { text, aside, done: `Added ${what}` };
}
