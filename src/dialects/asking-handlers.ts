import type { JsonObject } from "../event.ts";
import type { Answer, Handler } from "../rule.ts";
import { withoutUndefined } from "./writing.ts";

/** What Claude Code's hooks that ask a model or a server of tools come to, for every format that has them. */

/** Most tokens of one answer. */
export const MODEL_TOKENS = { usual: 1_024, most: 32_000 } as const;
/** Most tokens of an agent, all turns together, in and out. */
export const AGENT_TOKENS = { usual: 200_000, most: 2_000_000 } as const;
export const MOST_TURNS = 50;

/**
 * What a judge may answer where its rule does not say. A model can be talked into things by the very event that it is
 * shown, so its permission counts only where somebody has written that it does.
 */
export const JUDGES_MAY: readonly Answer[] = Object.freeze(["deny", "ask", "context"] as const);

interface Asking {
  readonly prompt: string;
  readonly model?: string;
}

/** What only our own format has words for: in another one such a key means nothing. */
interface Bounds {
  /** Default true: what leaves the machine goes without secrets. */
  readonly redact?: boolean;
  readonly maxTokens?: number;
  readonly maxTurns?: number;
}

/** `type: prompt`: a yes or no. */
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
  return { type: "mcp_tool", server, tool, input: input as Extract<Handler, { type: "mcp_tool" }>["input"] };
}

/** The same handlers as Claude Code writes them; `undefined` for all others. */
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
