import { z } from "zod";
import type { EventContract } from "../../events/contract.ts";
import { denialWord } from "../../events/lookup.ts";
import { ANSWERS, type Handler, type OnFailure, type Rule } from "../../rule.ts";
import { nameOf } from "../rule-name.ts";

/** One hook of docker-agent, checked; and the rule that it makes. */

/** Fields of every type. */
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

/** What the agent's schema lets stand in any hook, whatever its type makes of it. */
const ELSEWHERE = {
  command: z.string().exactOptional(),
  model: z.string().exactOptional(),
  prompt: z.string().exactOptional(),
  schema: z.string().exactOptional(),
} as const;

const MODEL = {
  ...COMMON,
  model: z.string().regex(/^[^/\s]+\/\S+$/, "must be provider/model"),
  prompt: z.string().min(1),
  schema: z.string().exactOptional(),
} as const;

/** The agent's types of hooks, and what each must be like. */
export const HOOK_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  command: z.looseObject(COMMAND),
  builtin: z.looseObject(COMMAND),
  model: z.looseObject(MODEL),
};
export const HOOK_KEYS: readonly string[] = [...Object.keys({ ...COMMON, ...ELSEWHERE })];
/** Answers of a model that the agent can read as a decision. */
export const MODEL_SCHEMAS: readonly string[] = ["pre_tool_use_decision"];

export type DockerHook = z.infer<z.ZodObject<typeof COMMAND>>;

const DEFAULT_TIMEOUT_SECONDS = 60;

const ON_FAILURE: Readonly<Record<string, OnFailure | undefined>> = {
  warn: "continue",
  ignore: "ignore",
  block: "block",
};

export function ruleParts(
  hook: DockerHook,
): Pick<Rule, "name" | "handler" | "timeoutMs" | "onFailure" | "mode" | "may" | "priority" | "async" | "strict"> {
  const handler: Handler = {
    type: "command",
    command: hook.command,
    ...(hook.env === undefined ? {} : { env: hook.env }),
    ...(hook.working_dir === undefined || hook.working_dir === "" ? {} : { workingDir: hook.working_dir }),
  };
  const seconds = hook.timeout === undefined || hook.timeout <= 0 ? DEFAULT_TIMEOUT_SECONDS : hook.timeout;
  return {
    name: hook.name === undefined || hook.name === "" ? nameOf(handler) : hook.name,
    handler,
    timeoutMs: seconds * 1_000,
    onFailure: ON_FAILURE[hook.on_error ?? ""],
    mode: "enforce",
    may: ANSWERS,
    priority: 0,
    async: false,
    ...(hook.strict_output === true ? { strict: true } : {}),
  };
}

/** `on_error: block` needs something to block. */
export function canBlock(contract: EventContract): boolean {
  return denialWord(contract) !== undefined;
}
