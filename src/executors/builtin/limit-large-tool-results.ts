import { contractOfEvent } from "../../events/lookup.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { type BuiltinAnswer, type BuiltinCall, type BuiltinHook, silent } from "./builtin.ts";
import { isTooLong, shownBeginning, shownEnd } from "./long-text.ts";
import { mapTexts } from "./map-texts.ts";
import type { SpillFolder } from "./spill-folders.ts";

/** Categories of tools whose output is unlimited. The agent's other tools limit their output themselves. */
const CATEGORIES = new Set(["filesystem", "shell", "mcp", "a2a"]);

/** Tools whose results are for the agent's display. The model gets only a part of these results. */
const CHANGE_FILES = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);

/** Writes a long text of a tool to a file and keeps only its beginning or its end in the result. */
export const limitLargeToolResults: BuiltinHook = {
  run: async (call) => {
    const { event, tools, sessionId } = call;
    if (event.name === "SessionEnd") {
      await (await tools.spillFolder(sessionId))?.remove();
      return silent();
    }
    const { tool_response: response } = event.payload;
    const isShown = contractOfEvent(event).rewrites === "output";
    return response === undefined || !isShown || !isLimited(event.payload) ? silent() : limit(call, response);
  },
};

async function limit({ event, tools, sessionId, stop }: BuiltinCall, response: JsonValue): Promise<BuiltinAnswer> {
  let folder: Promise<SpillFolder | undefined> | undefined;
  const files: string[] = [];
  const notes: string[] = [];
  const limited = await mapTexts(response, async (text) => {
    if (stop.aborted || !isTooLong(text)) return text;
    folder ??= tools.spillFolder(sessionId);
    const file = await (await folder)?.write(text);
    if (file === undefined) {
      // A long text is kept if it cannot be written to a file, because it could not be looked up.
      notes.push("a long text was not shortened: it could not be written to a file");
      return text;
    }
    files.push(file);
    return isFileRead(event.payload) ? shownBeginning(text, file, firstLine(event.payload)) : shownEnd(text, file);
  });
  // The answer will be ignored, so the files are not needed.
  if (stop.aborted) await (await folder)?.discard(files);
  if (limited === response) return silent(...notes);
  return { ok: true, reply: { hookSpecificOutput: { updatedToolOutput: limited } }, notes };
}

function isLimited({ tool_category: category, tool_name: name }: JsonObject): boolean {
  return typeof category === "string" ? CATEGORIES.has(category) : !CHANGE_FILES.has(String(name));
}

/** Whether the tool read a file. The beginning of a file is kept, because the model can ask for the rest. */
function isFileRead({ tool_category: category, tool_name: name }: JsonObject): boolean {
  return name === "Read" && (category === undefined || category === "filesystem");
}

function firstLine({ tool_input: input }: JsonObject): number {
  const line = isJsonObject(input) ? (input["offset"] ?? input["line"]) : undefined;
  return typeof line === "number" && Number.isInteger(line) && line >= 1 ? line : 1;
}
