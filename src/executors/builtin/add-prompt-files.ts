import { mayComeWithRepository } from "../../layer-trust.ts";
import { cleanLine } from "../../text.ts";
import { addText, type BuiltinCall, type BuiltinHook, silent } from "./builtin.ts";
import { positiveInteger } from "./positive-integer.ts";
import { foldersUpwards, isHidden, isPlainName, listBelow, type PromptFile, readPromptFile } from "./prompt-files.ts";
import { realPathOf } from "./real-path.ts";

/**
 * Adds instructions from files: for each name, the nearest file in the working directory or above it, and the file in
 * the home folder. With `--depth=N`, lists files in subfolders without reading them.
 */

/** The maximum depth. No lower limit is needed, because the number of visited folders is limited. */
const MAX_DEPTH = 999_999_999;
const MAX_TEXT_BYTES = 65_536;
const DEPTH = "--depth=";

export const addPromptFiles: BuiltinHook = {
  problemOf: (args) => {
    const depth = args.find(isDepth);
    if (depth !== undefined && depthOf(args) === undefined) {
      return `${DEPTH} must be followed by a number, not ${JSON.stringify(depth.slice(DEPTH.length))}`;
    }
    const names = namesIn(args);
    if (names.length === 0) return "no file is named";
    const name = names.find((one) => !isPlainName(one));
    return name === undefined
      ? undefined
      : `${JSON.stringify(name)} must be the name of a file, or a path without "..", that does not begin at the root`;
  },
  run: async (call) => {
    const files: PromptFile[] = [];
    for (const name of namesIn(call.args)) files.push(...(await filesNamed(call, name)));
    const parts: string[] = [];
    const notes: string[] = [];
    let bytes = 0;
    for (const one of files) {
      const file = cleanLine(one.file);
      if (!one.ok) notes.push(`${file}: ${one.reason}`);
      else if (bytes + Buffer.byteLength(one.text) > MAX_TEXT_BYTES)
        notes.push(`${file} is left out: with the files before it, the text exceeds ${MAX_TEXT_BYTES} bytes`);
      else {
        bytes += Buffer.byteLength(one.text);
        parts.push(`Instructions from: ${file}\n${one.text}${one.isCut ? "\n[the rest of the file is left out]" : ""}`);
      }
    }
    const listed = await list(call);
    if (listed !== undefined) parts.push(listed);
    return parts.length === 0 ? silent(...notes) : addText(parts.join("\n\n"), ...notes);
  },
};

async function filesNamed({ workingDir, home, layer }: BuiltinCall, name: string): Promise<readonly PromptFile[]> {
  const realHome = realPathOf(home);
  // A file that may come with a repository may only name files in that repository.
  const isOnlyBelow = mayComeWithRepository(layer) && isHidden(name);
  const atHome = foldersUpwards(realHome);
  const files: PromptFile[] = [];
  for (const folder of foldersUpwards(realPathOf(workingDir))) {
    if (isOnlyBelow && atHome.includes(folder)) break;
    const file = await readPromptFile(folder, name, folder === realHome);
    if (file === undefined) continue;
    files.push(file);
    break;
  }
  if (isOnlyBelow) return files;
  const own = await readPromptFile(realHome, name, true);
  return own === undefined || files.some(({ file }) => file === own.file) ? files : [...files, own];
}

async function list({ args, workingDir, stop }: BuiltinCall): Promise<string | undefined> {
  const depth = depthOf(args) ?? 0;
  const files = depth === 0 ? [] : await listBelow(workingDir, namesIn(args), depth, stop);
  if (files.length === 0) return undefined;
  const lines = files.map((file) => `- ${cleanLine(file)}`);
  return ["Further instructions, for what lies in the same folder; read them before you work there:", ...lines].join(
    "\n",
  );
}

function isDepth(arg: string): boolean {
  return arg.startsWith(DEPTH);
}

function namesIn(args: readonly string[]): readonly string[] {
  return [...new Set(args.filter((arg) => !isDepth(arg)))];
}

/** Returns the depth of the option `--depth`. If the option is given several times, the last value counts. */
function depthOf(args: readonly string[]): number | undefined {
  const text = args.findLast(isDepth)?.slice(DEPTH.length);
  return text === "0" ? 0 : positiveInteger(text, MAX_DEPTH);
}
