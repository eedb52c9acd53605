import type { JsonObject, Kit } from "./case.ts";

/** Short forms of Claude Code's settings. */

/** Returns a `settings.json` with these hooks in one group of one event. */
export function at(event: string, ...hooks: readonly JsonObject[]): JsonObject {
  return { hooks: { [event]: [{ hooks }] } };
}

export function command(kit: Kit, name: string, text: string, more: JsonObject = {}): JsonObject {
  return { type: "command", command: kit.script(name, text), ...more };
}

/** Returns shell text that prints this, as JSON unless it is a text already. */
export function prints(output: JsonObject | string): string {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return `printf '%s' '${text.replaceAll("'", "'\\''")}'`;
}

export function specific(event: string, fields: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: event, ...fields } };
}

/** Returns a `PreToolUse` reply with this decision. */
export function decision(word: string, reason?: string): JsonObject {
  return specific("PreToolUse", {
    permissionDecision: word,
    ...(reason === undefined ? {} : { permissionDecisionReason: reason }),
  });
}
