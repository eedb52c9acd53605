import { createHash } from "node:crypto";
import type { HookEvent } from "../../event.ts";
import { BUILTINS } from "../../events/builtins.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { cleanLine } from "../../text.ts";
import { type BuiltinAnswer, type BuiltinCall, type BuiltinHook, silent } from "./builtin.ts";
import { isTooLong } from "./long-text.ts";
import { mapTexts } from "./map-texts.ts";

/**
 * Replaces the result of a read-only tool if an earlier call with the same input had the same result, byte for byte.
 * The tool has run, so changed results are always shown. After one omission the next equal result is shown in full,
 * because an agent that asks again may have lost it.
 */

/** Categories of tools whose claim to be read-only can be trusted. */
const CATEGORIES = new Set(["filesystem", "lsp", "rag", "memory", "git"]);
/** Read-only tools of agents that do not send categories of tools. */
const ONLY_LOOK = new Set(["Read", "Grep", "Glob", "LS", "NotebookRead"]);
const FORGETS = BUILTINS["elide_repeated_tool_results"]?.alsoAt ?? [];

const MAX_ID = 100;

export const elideRepeatedToolResults: BuiltinHook = {
  run: async (call) => {
    const { event, tools, sessionId } = call;
    if (sessionId === "") return silent();
    if (FORGETS.includes(event.name)) {
      await (await tools.spillFolder(sessionId))?.forget();
      return silent();
    }
    const { tool_response: response } = event.payload;
    const isShown = contractOfEvent(event).rewrites === "output";
    return response === undefined || !isShown || !onlyLooks(event.payload) ? silent() : elide(call, response);
  },
};

async function elide({ event, tools, sessionId }: BuiltinCall, response: JsonValue): Promise<BuiltinAnswer> {
  const text = typeof response === "string" ? response : JSON.stringify(response);
  // Another rule shortens long results, and inserts a new file name each time.
  const folder = isTooLong(text) ? undefined : await tools.spillFolder(sessionId);
  if (folder === undefined) return silent();
  const { tool_name: tool, tool_input: input, tool_use_id: id } = event.payload;
  const name = digest(JSON.stringify([tool, inOrder(input ?? null)]));
  const seen = digest(text);
  const [before, shownBy = ""] = (await folder.recall(name))?.split(" ") ?? [];
  if (before !== seen || shownBy === "") {
    await folder.keep(name, `${seen} ${idOf(id)}`);
    return silent();
  }
  const bytes = Buffer.byteLength(text);
  const earlier = shownBy === "-" ? "an earlier call" : `the call ${shownBy}`;
  const said = `[hookbox: ${cleanLine(ownName(event), MAX_ID)} has run, and gave the same ${bytes} bytes as ${earlier} with the same input. They are not repeated: nothing has changed since.]`;
  const elided = await mapTexts(response, async (one) => (one.length > said.length ? said : one));
  if (elided === response) return silent();
  await folder.keep(name, seen);
  return { ok: true, reply: { hookSpecificOutput: { updatedToolOutput: elided } } };
}

/** Returns the agent's own name of the tool, which its model knows. Default: the canonical name. */
function ownName({ payload, toolNames = [] }: HookEvent): string {
  const name = String(payload["tool_name"]);
  const [own, ...others] = toolNames.filter((one) => one !== name);
  return own === undefined || others.length > 0 ? name : own;
}

function onlyLooks({
  tool_category: category,
  tool_read_only: looks,
  tool_name: name,
  tool_error,
}: JsonObject): boolean {
  // An error is always shown.
  if (tool_error === true) return false;
  return typeof category === "string" ? looks === true && CATEGORIES.has(category) : ONLY_LOOK.has(String(name));
}

/** Sorts keys by name, because equal inputs may have their keys in any order. */
function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(inOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, inOrder(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function idOf(id: JsonValue | undefined): string {
  return typeof id === "string" && /^[\w.:-]+$/.test(id) && id.length <= MAX_ID ? id : "-";
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
