import type { JsonObject } from "../../json.ts";
import type { ModelTool, ToolCallOfModel } from "../../models/model.ts";
import { cleanLine, cleanText } from "../../text.ts";
import { ANSWER_TOOL } from "./answer-tool.ts";
import { GLOB_TOOL } from "./glob-tool.ts";
import { GREP_TOOL } from "./grep-tool.ts";
import { READ_TOOL } from "./read-tool.ts";
import {
  type FolderTool,
  MAX_RESULT_LENGTH,
  problemWithInput,
  type ToolPlace,
  type ToolResult,
  wrong,
} from "./tool.ts";

const FOLDER_TOOLS: readonly FolderTool[] = [READ_TOOL, GREP_TOOL, GLOB_TOOL];
const MAX_NAME_LENGTH = 60;

export const TOOLS: readonly ModelTool[] = [...FOLDER_TOOLS, ANSWER_TOOL].map(({ name, description, schema }) => ({
  name,
  description,
  schema,
}));

/** Runs one call of a tool. A wrong call or an unknown tool gives an error result. */
export async function runTool({ name, input }: ToolCallOfModel, place: ToolPlace): Promise<ToolResult> {
  const tool = FOLDER_TOOLS.find((one) => one.name === name);
  if (tool === undefined) {
    const names = TOOLS.map((one) => one.name).join(", ");
    return wrong(`there is no tool "${cleanLine(String(name), MAX_NAME_LENGTH)}"; there are ${names}`);
  }
  const problem = problemWithInput(input, tool.fields);
  if (problem !== undefined) return wrong(problem);
  const { text, isError } = await tool.run(input as JsonObject, place);
  return { text: cleanText(text, MAX_RESULT_LENGTH), isError };
}
