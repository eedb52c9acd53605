import { z } from "zod";
import { isJsonObject } from "../../json.ts";
import { mayComeWithRepository } from "../../layer-trust.ts";
import type { Handler } from "../../rule.ts";
import { agentHandler, JUDGES_MAY, judgeHandler } from "../asking-handlers.ts";
import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import {
  AGENT_RULE,
  type HandlerFormat,
  type HandlerIn,
  type HandlerProblem,
  type RuleParts,
} from "../handler-format.ts";
import { parseMatcherGroups } from "../matcher-groups.ts";
import { misplacedEvents } from "../misplaced-events.ts";
import { parseNoSettings } from "../no-settings.ts";
import { RuleCollector } from "../rule-collector.ts";
import { nameOf } from "../rule-name.ts";
import { askedTooMuch, networkFor, webHook } from "../web-hook-network.ts";
import { patternsCodec } from "./codec.ts";

/** Reads `hooks_config:` -> event -> groups -> hooks of four types, in YAML or JSON. Timeouts are in seconds. */
export const patternsFormat: ConfigFormat = { parseSettings: parseNoSettings, parseRules };

const common = {
  name: z.string().exactOptional(),
  if: z.string().exactOptional(),
  timeout: z.number().positive().max(86_400).exactOptional(),
  async: z.boolean().exactOptional(),
  once: z.boolean().exactOptional(),
};

const HANDLERS = {
  command: { type: z.literal("command"), ...common, command: z.string().min(1) },
  http: {
    type: z.literal("http"),
    ...common,
    url: z.string().min(1),
    headers: z.record(z.string(), z.string()).exactOptional(),
    allowedEnvVars: z.array(z.string()).exactOptional(),
  },
  prompt: { type: z.literal("prompt"), ...common, prompt: z.string().min(1), model: z.string().min(1).exactOptional() },
  agent: { type: z.literal("agent"), ...common, prompt: z.string().min(1), model: z.string().min(1).exactOptional() },
} as const;

const FORMAT: HandlerFormat<typeof HANDLERS> = {
  dialect: "patterns",
  codec: patternsCodec,
  unknownKeys: "warning",
  handlers: HANDLERS,
  identityScope: () => "patterns",
  toRule,
};

type PatternHook = HandlerIn<typeof HANDLERS>;

const DEFAULT_TIMEOUT_SECONDS = 60;

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const { value } = document;
  if (!isJsonObject(value)) return { rules: [], problems: [] };
  const collector = new RuleCollector(document, context, FORMAT);
  if (value["hooks"] !== undefined) {
    const options = { hint: 'did you mean "hooks_config"?', part: "key" } as const;
    collector.lose({ event: "*" }, "HOOK_CONFIG_UNKNOWN_KEY", ["hooks"], 'unknown key "hooks"', options);
  }
  const parts = [
    ...(value["hooks_config"] === undefined
      ? []
      : [parseMatcherGroups(document, ["hooks_config"], value["hooks_config"], context, FORMAT)]),
    misplacedEvents(document, context, FORMAT, "hooks_config"),
    collector.all,
  ];
  return { rules: parts.flatMap(({ rules }) => rules), problems: parts.flatMap(({ problems }) => problems) };
}

function toRule(hook: PatternHook, context: ParseContext): RuleParts | HandlerProblem {
  const tooMuch = hook.type === "http" ? askedTooMuch(context.layer, hook) : undefined;
  if (tooMuch !== undefined) return tooMuch;
  const handler = handlerOf(hook, context);
  return {
    ...AGENT_RULE,
    name: hook.name ?? nameOf(handler),
    handler,
    timeoutMs: (hook.timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1_000,
    ...(hook.type === "prompt" || hook.type === "agent" ? { may: JUDGES_MAY } : {}),
    async: hook.async === true,
    ...(hook.if === undefined ? {} : { condition: hook.if }),
    ...(hook.once === true ? { once: "session" } : {}),
  };
}

/**
 * Returns the handler. Loopback addresses are allowed even in a file of a repository, because these web hooks usually
 * call a server on this machine. hookbox never discovers files of this format: the user names the file and its format.
 */
function handlerOf(hook: PatternHook, context: ParseContext): Handler {
  if (hook.type === "command") return { type: "command", command: hook.command };
  if (hook.type === "prompt") return judgeHandler(hook);
  if (hook.type === "agent") return agentHandler(hook);
  return webHook(hook, mayComeWithRepository(context.layer) ? "loopback" : networkFor(context.layer, false));
}
