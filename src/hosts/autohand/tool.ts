import { isDeepStrictEqual } from "node:util";
import { agentInput, canonicalToolFields } from "../../dialects/autohand/tools.ts";
import type { PendingToolCall, ToolCallHost, ToolCallResult } from "../../engine/tool-call-host.ts";
import type { Engine } from "../../engine.ts";
import type { JsonObject } from "../../json.ts";
import { problemIn } from "./input-schema.ts";

/** A tool call with Autohand's names, for `engine.toolCall`. */
export interface AutohandTool {
  readonly tool: string;
  readonly args: JsonObject;
  readonly id?: string;
}

/** The callbacks of the agent for a tool call. Tools and inputs have Autohand's names and include all rewrites. */
export interface AutohandToolHost extends ToolCallHost {
  /** Called with the text that hooks add to the conversation, after all hooks answered. */
  readonly onContext?: (text: string) => void;
}

export async function runTool(
  engine: Engine,
  { tool, args, id }: AutohandTool,
  host: AutohandToolHost,
  base: JsonObject,
  schema: JsonObject | undefined,
): Promise<ToolCallResult> {
  const canonical = canonicalToolFields({ tool_name: tool, tool_input: args });
  const toolName = canonical["tool_name"] as string;
  const input = canonical["tool_input"] as JsonObject;
  const spoken = (given: JsonObject): JsonObject => agentInput(toolName, given);
  const theirs = <Call extends PendingToolCall>(call: Call): Call => ({
    ...call,
    toolName: tool,
    input: spoken(call.input),
  });

  const result = await engine.toolCall(
    { toolName, input, ...(id === undefined ? {} : { toolUseId: id }), payload: base },
    {
      ...(host.signal === undefined ? {} : { signal: host.signal }),
      ...(host.nonInteractive === undefined ? {} : { nonInteractive: host.nonInteractive }),
      policy: async (call) => {
        const asked = theirs(call);
        const problem = isDeepStrictEqual(asked.input, args) ? undefined : problemIn(asked.input, schema);
        if (problem !== undefined) {
          const reason = `a hook changed the input to one that the schema of ${tool} does not allow: ${problem}`;
          return { decision: "deny", source: "rule", label: "updated_input_deny", reason };
        }
        return host.policy === undefined ? { decision: "ask", source: "mode" } : host.policy(asked);
      },
      ...(host.askUser === undefined ? {} : { askUser: (question) => host.askUser?.(theirs(question)) ?? "deny" }),
      grant: (grant) => host.grant?.({ ...grant, toolName: tool, input: spoken(grant.input) }),
      execute: (approved, options) => host.execute(spoken(approved), options),
    },
  );
  for (const text of result.contexts) host.onContext?.(text);
  return { ...result, input: spoken(result.input) };
}
