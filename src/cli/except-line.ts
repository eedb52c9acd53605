import type { Action } from "../actions/action.ts";
import { directoryOf } from "../actions/place.ts";
import { shellLine } from "../dialects/writing.ts";
import { hasExceptions } from "../engine/exceptions.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Rule } from "../rule.ts";
import { asciiJson } from "./ascii-json.ts";

/** A longer command line is left out, because a terminal cannot take it as one line. */
const MAX_LENGTH = 4_000;

/**
 * Returns the command line that lets exactly this call pass the rule. The line is for the user and never part of a
 * reply, because the agent must not learn how to ask for an exception. `undefined`: no exception can name the call.
 */
export function exceptLine(
  { handler, name, layer }: Rule,
  { name: event, payload }: { readonly name: string; readonly payload: JsonObject },
  actions: readonly Action[] = [],
): string | undefined {
  const { tool_name: tool, tool_input: input } = payload;
  if (!hasExceptions(event) || layer === "managed" || typeof tool !== "string" || !isJsonObject(input))
    return undefined;
  const guard = handler.type === "wasm" && handler.module.startsWith("builtin:") ? handler.module.slice(8) : undefined;
  const [first] = actions;
  const isCommand = actions.length === 1 && first?.kind === "command" && isPlain(first.command);
  const directory = isCommand ? first.directory : directoryOf(payload);
  if (directory === undefined) return undefined;
  const what = isCommand ? ["--command", first.command as string] : ["--input", asciiJson(input, 0)];
  const rule = guard === undefined ? ["--rule", name] : ["--guard", guard];
  const words = ["except", ...rule, "--tool", tool, ...what, "--directory", directory, "--reason", "…"];
  const line = shellLine("hookbox", words);
  return line.length > MAX_LENGTH ? undefined : line;
}

/** Whether a terminal shows and takes a command exactly as it is. */
function isPlain(command: string | readonly string[]): boolean {
  return typeof command === "string" && /^[\x20-\x7e]+$/.test(command);
}
