import { basename, dirname } from "node:path";
import { formatOfContent } from "../dialects/content-format.ts";
import { dialectNamed } from "../dialects/registry.ts";

/**
 * In which format a configuration file is. The first that knows decides: a format written before the file's name, a place
 * that only one format has, what the caller says of all files, what stands in the file, and a name that several agents use.
 */

/** `agentao:hooks.json` -> the format and the file. A file that is really called so is written `./agentao:hooks.json`. */
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

/** By a name or folder that no other format has. `undefined`: other formats have such files, too. */
export function formatOfPlace(file: string): string | undefined {
  const [name, folder] = [basename(file), basename(dirname(file))];
  return PLACES.find(([place]) => place.test(`${folder}/${name}`))?.[1];
}

/** Claude Code's names for its files, skills and agents. Everything else is ours unless somebody says otherwise. */
const CLAUDE_NAMES = /^(?:settings|hooks)\.json$|\.md$/;

/** `text`: what stands in the file; `undefined` where it cannot be read. */
export async function formatOfFile(file: string, text: string | undefined): Promise<string> {
  const sure = formatOfPlace(file);
  if (sure !== undefined) return sure;
  const { readDocument } = await import("./document.ts");
  const read = text === undefined ? undefined : await readDocument(text, file);
  const told = read?.ok === true ? formatOfContent(read.document.value) : undefined;
  return told ?? (CLAUDE_NAMES.test(basename(file)) ? "claude-code" : "hookbox");
}
