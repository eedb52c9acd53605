import type { HookName } from "./catalogue.ts";
import type { AgentRunResult } from "./merges/agent-run.ts";
import type { AgentFinalizeResult } from "./merges/finalize.ts";
import type { BeforeInstallResult } from "./merges/install.ts";
import type { MessageSendingResult, ReplyPayloadResult } from "./merges/rewriting.ts";
import type { BeforeToolCallResult } from "./merges/tool-call.ts";
import type { Claim, Evaluation, SyncResult } from "./run-others.ts";

interface ModelResult {
  readonly providerOverride?: string;
  readonly modelOverride?: string;
}

interface PromptResult {
  readonly systemPrompt?: string;
  readonly prependContext?: string;
  readonly appendContext?: string;
  readonly prependSystemContext?: string;
  readonly appendSystemContext?: string;
  readonly toolsAllow?: readonly string[];
}

interface NamedResults {
  readonly before_tool_call: BeforeToolCallResult;
  readonly before_agent_run: AgentRunResult;
  readonly before_agent_finalize: AgentFinalizeResult;
  readonly before_install: BeforeInstallResult;
  readonly message_sending: MessageSendingResult;
  readonly reply_payload_sending: ReplyPayloadResult;
  readonly before_model_resolve: ModelResult;
  readonly before_prompt_build: PromptResult;
  readonly before_agent_start: ModelResult & PromptResult;
  readonly agent_turn_prepare: PromptResult;
  readonly heartbeat_prompt_contribution: PromptResult;
  readonly subagent_spawning: {
    readonly status?: "ok" | "error";
    readonly error?: string;
    readonly [flag: string]: unknown;
  };
  readonly subagent_delivery_target: { readonly origin?: unknown };
  readonly resolve_exec_env: Readonly<Record<string, unknown>>;
  readonly inbound_claim: Claim;
  readonly before_dispatch: Claim;
  readonly reply_dispatch: Claim;
  readonly before_agent_reply: Claim;
  readonly tool_result_persist: SyncResult;
  readonly before_message_write: SyncResult;
  readonly skill_proposal_evaluate: readonly Evaluation[];
}

/** The merged result of a hook. `undefined` for observers. */
export type HookResult<Name extends HookName> = Name extends keyof NamedResults ? NamedResults[Name] : undefined;
