import { readdirSync, readFileSync } from "node:fs";

export interface LabelledCommand {
  readonly category: string;
  readonly isHarmful: boolean;
  readonly command: string;
}

/**
 * Returns the commands of the files in this folder. A line `# CATEGORY: harmful` or `# CATEGORY: harmless` labels the
 * commands after it. A line that starts with a blank continues the command, without this blank.
 */
export function labelledCommands(): LabelledCommand[] {
  const found: LabelledCommand[] = [];
  const folder = new URL("./", import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".txt"))) {
    let label = { category: "", isHarmful: false };
    for (const entry of readFileSync(new URL(file, folder), "utf8")
      .trimEnd()
      .split(/\n(?=[^ \n])/)) {
      const [, category, kind] = /^# (.+): (harmful|harmless)$/.exec(entry) ?? [];
      if (category === undefined) found.push({ ...label, command: entry.replace(/\n /g, "\n") });
      else label = { category, isHarmful: kind === "harmful" };
    }
  }
  return found;
}
