import { clientOf } from "../dialects/clients.ts";
import type { DecidedEvent } from "../dialects/dialect.ts";
import type { Engine } from "../engine.ts";
import { HookError } from "../errors.ts";

/**
 * Throws if a rule would be skipped because the agent has another name for the tool than the rule. Without this check,
 * the matcher `Bash` never matches Qwen Code's `run_shell_command`, and the call runs unjudged. Payloads of Claude Code
 * itself are never refused here.
 */
export async function refuseUnmatchedTool(engine: Pick<Engine, "explain">, event: DecidedEvent): Promise<void> {
  const client = clientOf(event.payload);
  if (client === undefined || (event.name !== "PreToolUse" && event.name !== "PermissionRequest")) return;
  const { unmatchedTool } = await import("./unknown-payload.ts");
  const found = unmatchedTool(client, event, (payload) => engine.explain(event.name, payload));
  if (found !== undefined) throw new HookError("HOOK_PAYLOAD_INVALID", found.message, { hint: found.hint });
}
