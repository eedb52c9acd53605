import type { HookEvent } from "../../event.ts";
import type { RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import type { Executor, RunOptions } from "../executor.ts";

export class McpToolExecutor implements Executor {
  readonly type = "mcp_tool";

  async run(rule: Rule, _event: HookEvent, _options: RunOptions): Promise<RunResult> {
    if (rule.handler.type !== "mcp_tool") throw new TypeError(`rule ${rule.id} is not of type mcp_tool`);
    const message = "not built yet";
    return { ok: false, failure: { kind: "unavailable", message }, receipt: { micros: 0 } };
  }

  async close(): Promise<void> {}
}
