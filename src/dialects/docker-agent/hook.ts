import { z } from "zod";
import type { Compat } from "../../codec.ts";
import type { EventContract } from "../../events/contract.ts";
import { denialWord } from "../../events/lookup.ts";
import type { Layer } from "../../layer-trust.ts";
import type { Handler, OnFailure } from "../../rule.ts";
import { guardsFor, JUDGE_NAMES } from "../agents-judges.ts";
import type { ParseContext } from "../dialect.ts";
import { AGENT_RULE, type RuleParts } from "../handler-format.ts";
import { nameOf } from "../rule-name.ts";
import { networkFor } from "../web-hook-network.ts";

/** Checks one hook of docker-agent and converts it to the parts of a rule. */

/** Fields of hooks of every type. */
const COMMON = {
  name: z.string().exactOptional(),
  type: z.string(),
  args: z.array(z.string()).exactOptional(),
  timeout: z.number().int().max(86_400).exactOptional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).exactOptional(),
  working_dir: z.string().exactOptional(),
  on_error: z.enum(["", "warn", "ignore", "block"]).exactOptional(),
  strict_output: z.boolean().exactOptional(),
} as const;

const COMMAND = { ...COMMON, command: z.string().min(1) } as const;

/** Fields that docker-agent's schema accepts in hooks of any type, whether the type uses them or not. */
const ELSEWHERE = {
  command: z.string().exactOptional(),
  model: z.string().exactOptional(),
  prompt: z.string().exactOptional(),
  schema: z.string().exactOptional(),
} as const;

export const MODEL_NAME = /^[^/\s]+\/\S+$/;

const MODEL = {
  ...COMMON,
  model: z.string().regex(MODEL_NAME, "must be provider/model"),
  prompt: z.string().min(1),
  schema: z.string().exactOptional(),
} as const;

/** The schema of each type of hook. */
export const HOOK_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  command: z.looseObject(COMMAND),
  builtin: z.looseObject(COMMAND),
  model: z.looseObject(MODEL),
};
export const HOOK_TYPES: readonly string[] = Object.keys(HOOK_SCHEMAS);
export const HOOK_KEYS: readonly string[] = [...Object.keys({ ...COMMON, ...ELSEWHERE })];
/** The schema with which docker-agent reads a model's answer as a decision. */
export const DECISION_SCHEMA = "pre_tool_use_decision";
export const MODEL_SCHEMAS: readonly string[] = [DECISION_SCHEMA];

type CommandHook = z.infer<z.ZodObject<typeof COMMAND>> & { readonly type: "command" | "builtin" };
type ModelHook = z.infer<z.ZodObject<typeof MODEL>> & { readonly type: "model" };
export type DockerHook = CommandHook | ModelHook;

const DEFAULT_TIMEOUT_SECONDS = 60;
/** The maximum number of tokens of a model's answer: enough for a decision with its reason, or for a few sentences. */
export const MODEL_ANSWER_TOKENS = 1_024;

export const ON_FAILURE: Readonly<Record<string, OnFailure | undefined>> = {
  warn: "continue",
  ignore: "ignore",
  block: "block",
};

export function ruleParts(
  hook: DockerHook,
  { layer, compat, defaults }: Pick<ParseContext, "layer" | "compat" | "defaults">,
  lane: "preempt" | undefined,
): NonNullable<RuleParts> {
  const [guard] = (hook.type === "builtin" ? guardsFor(hook.command, { defaults }) : undefined) ?? [];
  // A rewrite has no effect in the preempt lane, so a guard that replaces secrets elsewhere denies there.
  const judge = lane === "preempt" && guard?.config["redact"] === true ? { ...guard, config: {} } : guard;
  const handler = judge ?? (hook.type === "model" ? modelOf(hook, compat) : runOf(hook as CommandHook, layer));
  const seconds = hook.timeout === undefined || hook.timeout <= 0 ? DEFAULT_TIMEOUT_SECONDS : hook.timeout;
  return {
    ...AGENT_RULE,
    name: hook.name === undefined || hook.name === "" ? (nameOfJudge(hook) ?? nameOf(handler)) : hook.name,
    handler,
    timeoutMs: seconds * 1_000,
    onFailure: ON_FAILURE[hook.on_error ?? ""],
    ...(hook.strict_output === true ? { strict: true } : {}),
  };
}

/** Returns the agent's name of a hook for which a guard stands. */
function nameOfJudge(hook: DockerHook): string | undefined {
  return hook.type === "builtin" && JUDGE_NAMES.includes(hook.command) ? hook.command : undefined;
}

function runOf({ type, command, args, env, working_dir: folder }: CommandHook, layer: Layer): Handler {
  const place = {
    ...(env === undefined ? {} : { env }),
    ...(folder === undefined || folder === "" ? {} : { workingDir: folder }),
  };
  if (type === "command") return { type, command, ...place };
  return { type, name: command, args: args ?? [], ...place, network: networkFor(layer, false) };
}

/** Returns the model handler. A refusal by the model denies one call and does not stop the agent. */
function modelOf({ model, prompt, schema }: ModelHook, compat: Compat | undefined): Handler {
  return {
    type: "model",
    model,
    prompt,
    template: "go",
    answer: schema === undefined ? "text" : "decision",
    continueOnBlock: true,
    // docker-agent sends the prompt without removing secrets.
    redacts: compat !== "faithful",
    maxTokens: MODEL_ANSWER_TOKENS,
  };
}

/** Whether the event has something to block, which `on_error: block` requires. */
export function canBlock(contract: EventContract): boolean {
  return denialWord(contract) !== undefined;
}
