import { CLIENTS, type ClientName, clientOf } from "../dialects/clients.ts";
import type { DecidedEvent } from "../dialects/dialect.ts";
import { OTHER_AGENTS_TOOLS } from "../dialects/other-agents-tools.ts";
import type { Explanation } from "../engine.ts";
import type { JsonObject } from "../json.ts";
import { cleanLine } from "../text.ts";

/**
 * Errors about payloads of no known dialect, and of agents with other names for tools than the rules. Loaded on use.
 */

interface Explained {
  readonly message: string;
  readonly hint: string;
}

const AS_CLAUDE = "--dialect claude-code answers this agent's shell calls";

/** The hint for each client. */
const ADVICE: Readonly<Record<ClientName, string>> = {
  codex: AS_CLAUDE,
  kimi: AS_CLAUDE,
  qwen: "use --dialect claude-code, and Qwen Code's own tool names in each matcher",
  copilot: `give Copilot CLI the hook in Claude Code's form (PreToolUse, not preToolUse): ${AS_CLAUDE}`,
  gemini: "hookbox has no dialect for Gemini CLI yet",
};

/** Returns why `--dialect auto` refuses a payload. `found` lists the dialects that recognise the payload. */
export function unknownPayload(payload: JsonObject, found: readonly string[], known: readonly string[]): Explained {
  const client = clientOf(payload);
  const hint = `name the agent with --dialect NAME: ${known.join(", ")}`;
  const fields = `it has ${tellingFields(payload)}`;
  if (client === undefined) {
    const whose = found.length === 0 ? "matches no known agent" : `matches several agents, ${found.join(" and ")}`;
    return { message: `the payload ${whose}: ${fields}`, hint };
  }
  const { title } = CLIENTS[client];
  const message = `the payload looks like ${title}'s, and --dialect auto does not support ${title}: ${fields}`;
  return { message, hint: `${ADVICE[client]}. Otherwise ${hint}` };
}

const MAX_NAMED = 8;
const MAX_VALUE = 60;

/** Describes a payload by the names of its fields, and the values of fields that name an event. */
function tellingFields(payload: JsonObject): string {
  const names = Object.keys(payload);
  if (names.length === 0) return "no fields";
  const named = names.slice(0, MAX_NAMED).map((name) => {
    const value = payload[name];
    const isName = /event|hook|^(type|name)$/i.test(name) && typeof value === "string";
    return cleanLine(isName ? `${name} ${JSON.stringify(value)}` : name, MAX_VALUE);
  });
  return `${named.join(", ")}${names.length > MAX_NAMED ? " and more" : ""}`;
}

/**
 * Finds rules that apply under Claude Code's name for the tool, and not under the client's name. `explain` returns
 * which rules apply to a payload. Returns `undefined` if there are no such rules.
 */
export function unmatchedTool(
  client: ClientName,
  { payload }: DecidedEvent,
  explain: (payload: JsonObject) => readonly Explanation[],
): Explained | undefined {
  const { tool_name: tool } = payload;
  const table = OTHER_AGENTS_TOOLS[client] ?? {};
  const names = typeof tool === "string" && Object.hasOwn(table, tool) ? (table[tool] ?? []) : [];
  const applying = (one: JsonObject): readonly string[] =>
    explain(one)
      .filter(({ applies, rule }) => applies && rule.mode === "enforce" && !rule.async)
      .map(({ rule }) => rule.name);
  const seen = names.length === 0 ? [] : applying(payload);
  const missed = names
    .flatMap((name) => applying({ ...payload, tool_name: name }))
    .filter((one) => !seen.includes(one));
  if (missed.length === 0) return undefined;
  const { title } = CLIENTS[client];
  const rules = [...new Set(missed)].map((name) => cleanLine(name, MAX_VALUE)).join(", ");
  return {
    message: `${title} calls this tool "${tool}", and a rule that names ${names.join(" or ")} would miss it: ${rules}`,
    hint: `add "${tool}" to the rule's matcher and conditions, or use ${title}'s names of tools in the rule`,
  };
}
