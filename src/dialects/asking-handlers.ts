import type { JsonObject } from "../json.ts";
import type { Answer, Handler, HandlerOf } from "../rule.ts";
import { withoutUndefined } from "./writing.ts";

/**
 * Handlers for Claude Code's hooks that ask a model, an agent or an MCP server. All formats with these hooks share the
 * handlers.
 */

/** Limit on the output tokens of one model answer. */
export const MODEL_TOKENS = { usual: 1_024, most: 32_000 } as const;
/** Limit on the tokens of an agent: input and output of all turns together. */
export const AGENT_TOKENS = { usual: 200_000, most: 2_000_000 } as const;
export const MOST_TURNS = 50;

/**
 * The default `may` of rules that ask a model. An event can contain text that persuades the model to allow the action.
 * Therefore "allow" counts only if the rule's author grants it.
 */
export const JUDGES_MAY: readonly Answer[] = Object.freeze(["deny", "ask", "context"] as const);

interface Asking {
  readonly prompt: string;
  readonly model?: string;
}

/** Settings of hookbox's own format. Other formats ignore these keys. */
interface Bounds {
  /** Whether secrets are removed before the prompt leaves the machine. Default: `true`. */
  readonly redact?: boolean;
  readonly maxTokens?: number;
  readonly maxTurns?: number;
}

/** Returns the handler of `type: prompt`, whose model answers with yes or no. */
export function judgeHandler(
  hook: Asking & { readonly continueOnBlock?: boolean },
  { redact, maxTokens }: Bounds = {},
): Handler {
  return {
    type: "model",
    model: hook.model,
    prompt: hook.prompt,
    template: "arguments",
    answer: "ok",
    continueOnBlock: hook.continueOnBlock === true,
    redacts: redact !== false,
    maxTokens: maxTokens ?? MODEL_TOKENS.usual,
  };
}

export function agentHandler(hook: Asking, { redact, maxTokens, maxTurns }: Bounds = {}): Handler {
  return {
    type: "agent",
    model: hook.model,
    prompt: hook.prompt,
    redacts: redact !== false,
    maxTurns: maxTurns ?? MOST_TURNS,
    maxTokens: maxTokens ?? AGENT_TOKENS.usual,
  };
}

export function mcpToolHandler(hook: {
  readonly server: string;
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
}): Handler {
  const { server, tool, input = {} } = hook;
  return { type: "mcp_tool", server, tool, input: input as HandlerOf<"mcp_tool">["input"] };
}

/** Returns the fields of an asking handler in Claude Code's format. Returns `undefined` for all other handlers. */
export function askingFields(handler: Handler): JsonObject | undefined {
  switch (handler.type) {
    case "model": {
      if (handler.template !== "arguments" || handler.answer !== "ok") return undefined;
      const { model, prompt, continueOnBlock } = handler;
      return withoutUndefined({
        type: "prompt",
        prompt,
        model,
        continueOnBlock: continueOnBlock ? true : undefined,
      });
    }
    case "agent":
      return withoutUndefined({ type: "agent", prompt: handler.prompt, model: handler.model });
    case "mcp_tool": {
      const { server, tool, input } = handler;
      return withoutUndefined({
        type: "mcp_tool",
        server,
        tool,
        input: Object.keys(input).length === 0 ? undefined : input,
      });
    }
    default:
      return undefined;
  }
}
