import { basename, dirname } from "node:path";
import { formatOfContent } from "../dialects/content-format.ts";
import { dialectNamed } from "../dialects/registry.ts";

/**
 * Finds the format of a configuration file. The first of these sources that names a format decides:
 * - a format before the file's name
 * - a place that only one format uses
 * - the format that the caller sets for all files
 * - the content of the file
 * - a file name that several agents use
 */

/** Splits `agentao:hooks.json` into the format and the file. The file of this name is `./agentao:hooks.json`. */
export function splitFormat(text: string): { readonly file: string; readonly format?: string } {
  const [, format, file] = /^([a-z-]+):(.+)$/s.exec(text) ?? [];
  return format === undefined || file === undefined || dialectNamed(format) === undefined
    ? { file: text }
    : { file, format };
}

const PLACES: readonly (readonly [folderAndName: RegExp, format: string])[] = [
  [/\/hookbox\.(?:jsonc?|ya?ml)$/, "hookbox"],
  [/^\.claude\/settings\.json$|^\.claude-plugin\/plugin\.json$/, "claude-code"],
  [/\/(?:settings\.local|managed-settings)\.json$/, "claude-code"],
  [/^\.autohand\/config\.json$/, "autohand"],
  [/\/openclaw\.json$/, "openclaw"],
];

/**
 * Returns the format by a name or folder that no other format uses. Returns `undefined` if other formats use it too.
 */
export function formatOfPlace(file: string): string | undefined {
  const [name, folder] = [basename(file), basename(dirname(file))];
  return PLACES.find(([place]) => place.test(`${folder}/${name}`))?.[1];
}

/** Claude Code's names for its files, skills and agents. Files with other names are in hookbox's own format. */
const CLAUDE_NAMES = /^(?:settings|hooks)\.json$|\.md$/;

/** Returns the format of a file. `text` is the file's content; `undefined` if the file cannot be read. */
export async function formatOfFile(file: string, text: string | undefined): Promise<string> {
  const sure = formatOfPlace(file);
  if (sure !== undefined) return sure;
  const { readDocument } = await import("./document.ts");
  const read = text === undefined ? undefined : await readDocument(text, file);
  const fromContent = read?.ok === true ? formatOfContent(read.document.value) : undefined;
  return fromContent ?? (CLAUDE_NAMES.test(basename(file)) ? "claude-code" : "hookbox");
}
