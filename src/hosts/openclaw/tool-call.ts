import type { Approve } from "./approval.ts";
import type { HookEventData } from "./plugin-entry.ts";
import { toolId } from "./tool-ids.ts";
import type { ToolResultMessage } from "./tool-result.ts";

/** The types of a tool call: before the hooks, its options and its result. */

export interface PluginToolCall {
  readonly toolName: string;
  readonly params: unknown;
  readonly toolCallId?: string;
  readonly runId?: string;
}

/** The call as handlers and the user see it. */
export interface NormalCall {
  readonly toolName: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly toolCallId?: string;
  readonly runId?: string;
}

export interface ToolCallOptions {
  execute(params: Readonly<Record<string, unknown>>, options: { readonly signal?: AbortSignal }): unknown;
  readonly approve?: Approve;
  /** Returns the embedder's own question about a call, with the parameters that the call will run with. */
  sensitive?(call: NormalCall): unknown;
}

export type PluginToolCallResult =
  | { readonly status: "blocked"; readonly reason: string }
  | {
      readonly status: "executed" | "failed";
      readonly params: Readonly<Record<string, unknown>>;
      /** The value that the tool returned or threw. */
      readonly result: unknown;
      /** The message for the transcript, as hooks changed it. A summary replaces details that are too long. */
      readonly message: ToolResultMessage;
      /** The message for the model, without details. */
      readonly replay: ToolResultMessage;
    };

export function normalCall({ toolName, params, toolCallId, runId }: PluginToolCall): NormalCall {
  const isParams = typeof params === "object" && params !== null && !Array.isArray(params);
  return {
    toolName: toolId(toolName),
    params: isParams ? (params as HookEventData) : {},
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(runId === undefined ? {} : { runId }),
  };
}
