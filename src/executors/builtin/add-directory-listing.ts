import { opendir } from "node:fs/promises";
import { describeThrown } from "../../errors.ts";
import { cleanLine } from "../../text.ts";
import { addText, type BuiltinHook, silent } from "./builtin.ts";

const MAX_SHOWN = 100;
/** The maximum number of names that are read. In a larger folder, only these names are sorted and listed. */
const MAX_READ = 100_000;
const MAX_NAME = 200;

/** Adds the names in the working directory, without hidden names and without the contents of subfolders. */
export const addDirectoryListing: BuiltinHook = {
  run: async ({ workingDir, stop }) => {
    let names: readonly string[];
    try {
      names = await visibleNames(workingDir, stop);
    } catch (error) {
      return silent(`${workingDir} cannot be read: ${describeThrown(error)}`);
    }
    if (names.length === 0) return silent();
    const more = names.length - MAX_SHOWN;
    const shown = names.slice(0, MAX_SHOWN).map((name) => `- ${name}`);
    return addText(
      [`Files in ${cleanLine(workingDir)}:`, ...shown, ...(more > 0 ? [`... and ${more} more`] : [])].join("\n"),
    );
  },
};

async function visibleNames(folder: string, stop: { readonly aborted: boolean }): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const entry of await opendir(folder)) {
    if (stop.aborted || names.length === MAX_READ) break;
    // Each name stays on one line, because a name with a newline could look like text of hookbox.
    if (!entry.name.startsWith(".")) names.push(cleanLine(entry.name, MAX_NAME) + (entry.isDirectory() ? "/" : ""));
  }
  return names.sort();
}
