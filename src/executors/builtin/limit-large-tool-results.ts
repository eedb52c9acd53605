import { isJsonObject, type JsonObject, type JsonValue } from "../../event.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import { type BuiltinAnswer, type BuiltinCall, type BuiltinHook, silent } from "./builtin.ts";
import { isTooLong, shownBeginning, shownEnd } from "./long-text.ts";
import type { SpillFolder } from "./spill-folders.ts";
import { mapTexts } from "./texts.ts";

/** Tools that give as much as there is. The others of an agent that sorts its tools keep to some measure themselves. */
const CATEGORIES = new Set(["filesystem", "shell", "mcp", "a2a"]);

/** What these give is for the agent to show, and the model is not told all of it. */
const CHANGE_FILES = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);

/** Puts a long text that a tool gave into a file, and leaves a part of it that can be read. */
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
      // What nobody could look up any more must not be taken away.
      notes.push("a long text was left as it is: it could not be written to a file");
      return text;
    }
    files.push(file);
    return isFileRead(event.payload) ? shownBeginning(text, file, firstLine(event.payload)) : shownEnd(text, file);
  });
  // The answer will not count.
  if (stop.aborted) await (await folder)?.discard(files);
  if (limited === response) return silent(...notes);
  return { ok: true, reply: { hookSpecificOutput: { updatedToolOutput: limited } }, notes };
}

function isLimited({ tool_category: category, tool_name: name }: JsonObject): boolean {
  return typeof category === "string" ? CATEGORIES.has(category) : !CHANGE_FILES.has(String(name));
}

/** Its beginning matters most, and the rest can be asked for. */
function isFileRead({ tool_category: category, tool_name: name }: JsonObject): boolean {
  return name === "Read" && (category === undefined || category === "filesystem");
}

function firstLine({ tool_input: input }: JsonObject): number {
  const line = isJsonObject(input) ? (input["offset"] ?? input["line"]) : undefined;
  return typeof line === "number" && Number.isInteger(line) && line >= 1 ? line : 1;
}
