import { basename, resolve } from "node:path";
import { sha256 } from "../../cache/cache-folder.ts";
import { fileValue } from "../../config/edit-keeping-comments.ts";
import { formatOfFile, formatOfPlace, splitFormat } from "../../config/file-format.ts";
import { formatOfContent } from "../../dialects/content-format.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { HookEditing } from "../../dialects/editing.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { DIALECT_NAMES, dialectNamed } from "../../dialects/registry.ts";
import { HookError } from "../../errors.ts";
import { unknownWord, usageError } from "../verb.ts";
import { type Listed, listHooks } from "./listed-hooks.ts";
import { type AsideHook, asideFileOf, formatAside, readAside } from "./switched-off-hooks.ts";
import { newErrors } from "./validate.ts";
import { expectUnchanged, readForChange, removeFile, replaceFile } from "./write-file.ts";

/** A file of hooks, and the disabled hooks in a second file. */
export interface HooksFile {
  /** The file's name as the user wrote it. */
  readonly name: string;
  readonly path: string;
  readonly dialect: Dialect;
  readonly editing: HookEditing;
  /** The text of the file before the change. `undefined`: the file does not exist yet. */
  readonly before: string | undefined;
  readonly text: string;
  readonly value: unknown;
  readonly aside: readonly AsideHook[];
  /** The text of the file with the disabled hooks, before the change. */
  readonly asideText: string | undefined;
  readonly hooks: readonly Listed[];
  /** Whether all hooks are disabled, by the agent's own switch or because they were moved out of the file. */
  readonly isOff: boolean;
}

const NEW_FILE = "{}\n";

export async function openHooksFile(
  named: string,
  format: string | undefined,
  { cwd, mayBeNew = false }: { readonly cwd: string; readonly mayBeNew?: boolean },
): Promise<HooksFile> {
  const { file: name, format: own } = splitFormat(named);
  const path = resolve(cwd, name);
  const before = await readForChange(path);
  if (before === undefined && !mayBeNew)
    throw new HookError("HOOK_CONFIG_NOT_FOUND", `${name} does not exist`, {
      hint: "hookbox hooks add creates it with its first hook",
    });
  const text = before ?? (/\.ya?ml$/i.test(name) ? "" : NEW_FILE);
  const value = text === "" ? undefined : await fileValue(text.replace("\ufeff", ""), name);
  const { format: kept, hooks: aside, content: asideText } = await readAside(path, text);
  const place = formatOfPlace(path);
  const said = own ?? format;
  if (own === undefined && format !== undefined && place !== undefined && format !== place)
    throw usageError(`${name} is a file of the format ${place}; to read it as ${format}, name it ${format}:${name}`);
  // The second file must not decide the format, because a manipulated file could add a guard where the agent ignores
  // it.
  const found = place ?? formatOfContent(value) ?? (basename(path) === "settings.json" ? "claude-code" : undefined);
  if (said === undefined && kept !== undefined && found !== undefined && found !== kept)
    throw new HookError("HOOK_EDIT_FILE", `${asideFileOf(name)} has hooks of ${kept}, and ${name} is ${found}'s`, {
      hint: `name the format with --format, or move the first file away if it is not yours`,
    });
  const dialect = dialectNamed(said ?? found ?? kept ?? (await formatOfFile(path, undefined)));
  if (dialect === undefined)
    throw unknownWord(`unknown format "${format}"; known: ${DIALECT_NAMES.join(", ")}`, String(format), DIALECT_NAMES);
  const editing = await dialect.editing();
  if ("reason" in editing) throw new HookError("HOOK_EDIT_FILE", editing.reason, { hint: editing.hint });
  const { fileSwitch } = editing;
  return {
    name,
    path,
    dialect,
    editing,
    before,
    text,
    value,
    aside,
    asideText,
    hooks: listHooks(editing.entries(value), aside, dialect.eventNames),
    isOff:
      fileSwitch === undefined
        ? aside.some(({ by }) => by === "all")
        : valueAt(value, fileSwitch.path) === fileSwitch.off,
  };
}

/**
 * Writes both files. A disabled hook is written to the second file before the agent's file loses the hook. An enabled
 * hook is written to the agent's file first. If the process ends in between, each hook is in at least one file.
 */
export async function saveHooksFile(file: HooksFile, text: string, aside: readonly AsideHook[]): Promise<void> {
  const problems = text === file.text ? [] : await newErrors(file, text);
  const [problem] = problems;
  if (problem !== undefined)
    throw new HookError(problem.code, `nothing was changed: ${problem.message}`, {
      ...(problem.hint === undefined ? {} : { hint: problem.hint }),
    });
  const coming = aside
    .filter((one) => !file.aside.includes(one))
    // If the agent's file does not change, the second file cannot contain a hook that is still in the agent's file.
    .map((one) => (text === file.text ? one : inside(one, file.text)));
  const staying = aside.filter((one) => file.aside.includes(one));
  const leaving = text === file.text ? [] : file.aside.filter((one) => !aside.includes(one));
  const asideFile = asideFileOf(file.path);
  let written = file.asideText;
  const write = async (hooks: readonly AsideHook[]): Promise<void> => {
    const content = hooks.length === 0 ? undefined : formatAside(file.dialect.name, hooks);
    if (content === written) return;
    if (content === undefined) await removeFile(asideFile, written);
    else await replaceFile(asideFile, written, content);
    written = content;
  };
  const changes = coming.length > 0 || staying.length < file.aside.length;
  if (text !== file.text) await expectUnchanged(file.path, file.before);
  if (changes) await write([...staying, ...coming, ...leaving.map((one) => inside(one, text))]);
  if (text !== file.text) await replaceFile(file.path, file.before, text);
  if (changes) await write([...staying, ...coming]);
}

/** Marks a hook as still in the agent's file as long as that file has this text. */
function inside(hook: AsideHook, text: string): AsideHook {
  return { ...hook, presentIn: sha256(text) };
}
