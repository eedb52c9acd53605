import type { Codec } from "../../src/codec.ts";
import { hookboxCodec } from "../../src/dialects/hookbox/codec.ts";
import type { HookEvent } from "../../src/event.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Rule } from "../../src/rule.ts";

/** Returns a rule with defaults for all fields; tests give only the fields that they are about. */
export function makeRule(parts: Partial<Rule> = {}): Rule {
  const codec: Codec = parts.codec ?? hookboxCodec;
  return {
    id: `test:${parts.name ?? "rule"}`,
    name: "rule",
    event: "PreToolUse",
    matcher: undefined,
    handler: { type: "command", command: "true" },
    timeoutMs: 5_000,
    onFailure: undefined,
    mode: "enforce",
    may: ["deny", "ask", "allow", "rewrite", "context"],
    priority: 0,
    async: false,
    dialect: codec.dialect,
    codec,
    compat: "safer",
    layer: "project",
    place: undefined,
    baseDir: process.cwd(),
    ...parts,
  };
}

export function makeEvent(name: string, payload: JsonObject = {}, dialect = "claude-code"): HookEvent {
  return { name, dialect, payload: { ...payload, hook_event_name: name } };
}

export const bashEvent = (command: string): HookEvent =>
  makeEvent("PreToolUse", { session_id: "s", cwd: "/tmp", tool_name: "Bash", tool_input: { command } });
