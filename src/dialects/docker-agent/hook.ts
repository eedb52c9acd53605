import { z } from "zod";
import type { EventContract } from "../../events/contract.ts";
import { denialWord } from "../../events/lookup.ts";
import { ANSWERS, type Handler, type OnFailure, type Rule } from "../../rule.ts";
import { nameOf } from "../rule-name.ts";

/** One hook of docker-agent, checked; and the rule that it makes. */

const SHAPE = {
  name: z.string().exactOptional(),
  type: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).exactOptional(),
  timeout: z.number().int().max(86_400).exactOptional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).exactOptional(),
  working_dir: z.string().exactOptional(),
  on_error: z.enum(["", "warn", "ignore", "block"]).exactOptional(),
  strict_output: z.boolean().exactOptional(),
} as const;

export const HOOK_SCHEMA = z.looseObject(SHAPE);
export const HOOK_KEYS: readonly string[] = [...Object.keys(SHAPE), "model", "prompt", "schema"];

export type DockerHook = z.infer<z.ZodObject<typeof SHAPE>>;

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
