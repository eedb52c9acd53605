import type { PluginHooks } from "./plugin-hooks.ts";

/** Hooks that OpenClaw (2026.9.6) does not register for a plugin unless its operator allows them. */

/**
 * Hooks that see conversations. `page`: listed in OpenClaw's documentation of April 2026. `code`: newer versions also
 * require permission.
 */
export const CONVERSATION_HOOKS: Readonly<Record<string, "page" | "code">> = {
  llm_input: "page",
  llm_output: "page",
  before_agent_finalize: "page",
  agent_end: "page",
  before_model_resolve: "code",
  agent_turn_prepare: "code",
  before_prompt_build: "code",
  before_agent_reply: "code",
  before_agent_run: "code",
};

/** Hooks that change prompts. */
export const PROMPT_HOOKS: readonly string[] = [
  "agent_turn_prepare",
  "before_prompt_build",
  "before_agent_start",
  "heartbeat_prompt_contribution",
];

/** Hooks of older versions. OpenClaw now ignores handlers for these hooks and logs a warning. */
const FORMER_HOOKS: readonly string[] = ["before_agent_start", "subagent_spawning"];

/** Returns why OpenClaw would not ask a plugin at a hook. Returns `undefined` if OpenClaw would ask. */
export function whyNotAsked(hook: string, pluginId: string, settings: PluginHooks): string | undefined {
  if (FORMER_HOOKS.includes(hook)) return `newer versions of OpenClaw have no ${hook}`;
  const setting = `plugins.entries.${pluginId}.hooks`;
  if (Object.hasOwn(CONVERSATION_HOOKS, hook) && !settings.allowConversationAccess)
    return `OpenClaw asks a plugin at ${hook} only with ${setting}.allowConversationAccess: true`;
  if (PROMPT_HOOKS.includes(hook) && !settings.allowPromptInjection)
    return `OpenClaw asks no plugin at ${hook} with ${setting}.allowPromptInjection: false`;
  return undefined;
}
