import type { HookName } from "../catalogue.ts";
import { AgentRunMerge } from "./agent-run.ts";
import { either, first, firstError, firstText, intersected, joined, last, mergeFields } from "./fields.ts";
import { FinalizeMerge } from "./finalize.ts";
import { InstallMerge } from "./install.ts";
import type { Merge } from "./merge.ts";
import { messageMerge, payloadMerge } from "./rewriting.ts";
import { ToolCallMerge } from "./tool-call.ts";

const model = { providerOverride: firstText, modelOverride: firstText };
const prompt = {
  systemPrompt: firstText,
  prependContext: joined,
  appendContext: joined,
  prependSystemContext: joined,
  appendSystemContext: joined,
  toolsAllow: intersected,
};

/** How the results of each modifying hook are merged. */
export const MERGES: Readonly<Partial<Record<HookName, () => Merge>>> = {
  before_tool_call: () => new ToolCallMerge(),
  before_agent_run: () => new AgentRunMerge(),
  before_agent_finalize: () => new FinalizeMerge(),
  before_install: () => new InstallMerge(),
  message_sending: messageMerge,
  reply_payload_sending: payloadMerge,
  before_model_resolve: mergeFields(model),
  before_prompt_build: mergeFields(prompt),
  before_agent_start: mergeFields({ ...model, ...prompt }),
  agent_turn_prepare: mergeFields({ prependContext: joined, appendContext: joined }),
  heartbeat_prompt_contribution: mergeFields({ prependContext: joined, appendContext: joined }),
  // The text of the first error is kept. Flags are combined with "or".
  subagent_spawning: mergeFields({ status: firstError, error: firstText }, either),
  subagent_delivery_target: mergeFields({ origin: first }),
  resolve_exec_env: mergeFields({}, last),
};
