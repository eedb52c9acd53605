import { eventLoopPauses } from "../event-loop-pauses.ts";
import { compileFilePattern } from "./file-pattern.ts";
import { shownPath, withoutSecrets } from "./shown-text.ts";
import { type Field, type FolderTool, schemaOf, wrong } from "./tool.ts";
import { startWalk } from "./walk.ts";

const MAX_PATHS = 300;

const FIELDS = {
  pattern: {
    kind: "string",
    required: true,
    description: "For example src/**/*.ts or *.{md,txt}. Without a slash it is for names in all folders.",
  },
} as const satisfies Record<string, Field>;

export const GLOB_TOOL: FolderTool = {
  name: "glob",
  description:
    "Lists files and folders in the working directory that fit a pattern; folders with a slash at the end. Links, and " +
    "what is in .git and node_modules, are listed only if the pattern begins with that folder.",
  schema: schemaOf(FIELDS),
  fields: FIELDS,
  async run(input, place) {
    const { folder, stop } = place;
    const compiled = compileFilePattern(input["pattern"] as string, folder.root);
    if (!compiled.ok) return wrong(compiled.message);
    const { pattern } = compiled;
    const walk = await startWalk(folder, pattern.start, stop, (path) => pattern.reachesInto(path));
    if (!walk.ok) return wrong(walk.message);
    const { entries, gaps } = walk.value;
    const paths: string[] = [];
    const notes: string[] = [];
    const pause = eventLoopPauses();
    for await (const { path, kind } of entries) {
      await pause();
      if (!pattern.fits(path)) continue;
      if (paths.length === MAX_PATHS) {
        notes.push(`[stopped after ${MAX_PATHS} paths]`);
        break;
      }
      paths.push(kind === "folder" ? `${shownPath(path)}/` : shownPath(path));
    }
    notes.push(...[...gaps].map((gap) => `[${gap}]`));
    const text = [...paths, ...(paths.length === 0 ? ["[nothing fits]"] : []), ...notes].join("\n");
    // Secrets are removed, because names of files and folders may contain secrets.
    return { text: await withoutSecrets(text, place), isError: false };
  },
};
