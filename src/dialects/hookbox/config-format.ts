import type { z } from "zod";
import { isJsonObject, type JsonObject } from "../../event.ts";
import type { EventContract } from "../../events/contract.ts";
import { isEventOf } from "../../events/lookup.ts";
import { ANSWERS, type Answer, type Handler } from "../../rule.ts";
import { kindOf, problemAt, schemaProblems } from "../config-problems.ts";
import type { ConfigDocument, ConfigFormat, ConfigSettings, ParseContext, ParsedConfig } from "../dialect.ts";
import type { HandlerFormat, RuleParts, Speaker, Unfit } from "../handler-format.ts";
import { parseMatcherGroups } from "../matcher-groups.ts";
import { askedTooMuch, networkFor } from "../network.ts";
import { nameOf } from "../rule-name.ts";
import { hookboxCodec } from "./codec.ts";
import { AVAILABLE_TYPES, HOOKBOX_HANDLERS, SettingsSchema } from "./schema.ts";
import { namingItsFormat } from "./stranger.ts";

/** `hookbox.json`: Claude Code's `hooks` object, and more. */
export const hookboxFormat: ConfigFormat = { parseSettings, parseRules };

const MIB = 1_048_576;
export const DEFAULT_OUTPUT_BYTES = 65_536;
export const DEFAULT_DEPTH = 262_144;

function parseSettings(document: ConfigDocument): ReturnType<ConfigFormat["parseSettings"]> {
  if (!isJsonObject(document.value)) {
    const message = `the configuration must be an object, not ${kindOf(document.value)}`;
    return { settings: {}, problems: [problemAt(document, "HOOK_CONFIG_TYPE", [], message)] };
  }
  const problems = schemaProblems(document, SettingsSchema, document.value, []);
  if (problems.length > 0) return { settings: {}, problems: namingItsFormat(document, problems) };
  const { defaults, disableAllHooks, allowManagedHooksOnly, compat, allowedHttpHookUrls, httpHookAllowedEnvVars } =
    document.value as z.infer<typeof SettingsSchema>;
  const { claudeContract } = document.value as z.infer<typeof SettingsSchema>;
  const { command, event, wasm } = defaults ?? {};
  const settings: ConfigSettings = {
    ...(disableAllHooks === undefined ? {} : { disableAllHooks }),
    ...(allowManagedHooksOnly === undefined ? {} : { allowManagedHooksOnly }),
    ...(compat === undefined ? {} : { compat }),
    ...(claudeContract === undefined ? {} : { claudeContract }),
    ...(allowedHttpHookUrls === undefined ? {} : { allowedHttpHookUrls }),
    ...(httpHookAllowedEnvVars === undefined ? {} : { httpHookAllowedEnvVars }),
    defaults: {
      ...(command?.timeoutMs === undefined ? {} : { commandTimeoutMs: command.timeoutMs }),
      ...(event?.budgetMs === undefined ? {} : { eventBudgetMs: event.budgetMs }),
      ...(wasm?.timeoutMs === undefined ? {} : { wasmTimeoutMs: wasm.timeoutMs }),
      ...(wasm?.memoryMiB === undefined ? {} : { wasmMemoryBytes: wasm.memoryMiB * MIB }),
      ...(wasm?.fuel === undefined ? {} : { wasmFuel: wasm.fuel }),
      ...(wasm?.fuelPerInputByte === undefined ? {} : { wasmFuelPerInputByte: wasm.fuelPerInputByte }),
    },
  };
  return { settings, problems };
}

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  if (!isJsonObject(document.value) || document.value["hooks"] === undefined) return { rules: [], problems: [] };
  const { rules, problems } = parseMatcherGroups(document, ["hooks"], document.value["hooks"], context, FORMAT);
  return { rules, problems: namingItsFormat(document, problems) };
}

const FORMAT: HandlerFormat = {
  dialect: "hookbox",
  codec: hookboxCodec,
  unknownKeys: "error",
  handlers: HOOKBOX_HANDLERS,
  available: AVAILABLE_TYPES,
  speakerOf,
  // The same words name another file in another folder.
  identityScope: (_, { baseDir }) => baseDir,
  toRule,
};

/** The agent that a hook was written for. What is wrong with `speaks` is told with the rest of the hook. */
function speakerOf(handler: unknown, { speakers = {} }: ParseContext): Speaker {
  const own = { dialect: "hookbox", codec: hookboxCodec };
  if (!isJsonObject(handler) || typeof handler["speaks"] !== "string") return own;
  const dialect = handler["speaks"];
  const codec = Object.hasOwn(speakers, dialect) ? speakers[dialect] : undefined;
  return codec === undefined ? own : { dialect, codec };
}

type Own<Type extends keyof typeof HOOKBOX_HANDLERS> = z.infer<z.ZodObject<(typeof HOOKBOX_HANDLERS)[Type]>>;
type OwnHook = Own<"command"> | Own<"wasm"> | Own<"http"> | Own<"context"> | Own<"function">;

function toRule(
  value: JsonObject,
  context: ParseContext,
  contract: EventContract,
  eventName: string,
): RuleParts | Unfit {
  if (value["enabled"] === false) return undefined;

  const hook = value as unknown as OwnHook;
  const unspoken = unspokenAt(value, eventName, context);
  if (unspoken !== undefined) return unspoken;
  const tooMuch = hook.type === "http" ? askedTooMuch(context.layer, hook) : undefined;
  if (tooMuch !== undefined) return tooMuch;
  const handler = handlerOf(hook, context);
  const fallbackMs = hook.type === "wasm" ? context.defaults.wasmTimeoutMs : context.defaults.commandTimeoutMs;
  const rewakes = hook.type === "command" && hook.asyncRewake === true;
  return {
    name: hook.name ?? nameOf(handler),
    handler,
    timeoutMs: timeoutOf(hook) ?? fallbackMs,
    onFailure: hook.onFailure,
    mode: hook.mode ?? "enforce",
    may: hook.may ?? defaultAnswers(hook.type, contract),
    priority: hook.priority ?? 0,
    async: hook.async === true || rewakes,
    ...(rewakes ? { rewakes } : {}),
    ...(hook.lane === undefined ? {} : { lane: hook.lane }),
    ...("strict" in hook && hook.strict === true ? { strict: true } : {}),
    ...(hook.if === undefined ? {} : { condition: hook.if }),
    ...(hook.filter === undefined ? {} : { filter: hook.filter }),
    ...(hook.once === undefined || hook.once === false ? {} : { once: hook.once === true ? "session" : hook.once }),
  };
}

/** An agent that never fires the event has no words for it, either. */
function unspokenAt(value: JsonObject, eventName: string, { speakers = {} }: ParseContext): Unfit | undefined {
  const speaks = value["speaks"];
  if (typeof speaks !== "string") return undefined;
  const refused = (message: string, hint: string): Unfit => ({
    refused: { code: "HOOK_CONFIG_HANDLER", key: "speaks", message, hint },
  });
  if (!Object.hasOwn(speakers, speaks))
    return refused(`whoever reads this does not know how hooks of ${speaks} are spoken to`, "pass its codec");
  if (isEventOf(eventName, speaks)) return undefined;
  return refused(`${speaks} has no event ${eventName}, and no words for it`, `leave "speaks" out, or move the hook`);
}

/** A guard's deadline may stand among its limits, too. Of several the shortest holds. */
function timeoutOf(hook: OwnHook): number | undefined {
  const own = hook.timeoutMs ?? (hook.timeout === undefined ? undefined : hook.timeout * 1_000);
  const limit = hook.type === "wasm" ? hook.limits?.timeoutMs : undefined;
  return own === undefined || limit === undefined ? (own ?? limit) : Math.min(own, limit);
}

/**
 * A guard may have been written by a stranger: it can refuse and doubt, and nothing else unless its rule says so.
 * Where refusing means that the agent goes on working, it could keep the agent going, so there it only watches.
 */
function defaultAnswers(type: OwnHook["type"], contract: EventContract): readonly Answer[] {
  if (type !== "wasm") return ANSWERS;
  return contract.blockMeansGoOn ? [] : ["deny", "ask"];
}

function handlerOf(hook: OwnHook, context: ParseContext): Handler {
  if (hook.type === "command") {
    return {
      type: "command",
      command: hook.command,
      ...(hook.args === undefined ? {} : { args: hook.args }),
      ...(hook.shell === undefined ? {} : { shell: hook.shell }),
      ...(hook.env === undefined ? {} : { env: hook.env }),
      ...(hook.workingDir === undefined ? {} : { workingDir: hook.workingDir }),
    };
  }
  if (hook.type === "http") {
    return {
      type: "http",
      url: hook.url,
      headers: hook.headers ?? {},
      allowedEnvVars: hook.allowedEnvVars ?? [],
      network: networkFor(context.layer, hook.allowPrivate === true),
    };
  }
  if (hook.type === "context")
    return { type: "context", text: hook.text, fillsUserMessage: hook.fillsUserMessage === true };
  if (hook.type === "function") return { type: "function", run: hook.run };
  return {
    type: "wasm",
    module: hook.module,
    ...(hook.sha256 === undefined ? {} : { sha256: hook.sha256 }),
    function: hook.function ?? "handle",
    config: (hook.config ?? {}) as JsonObject,
    limits: {
      memoryBytes:
        hook.limits?.memoryMiB === undefined ? context.defaults.wasmMemoryBytes : hook.limits.memoryMiB * MIB,
      fuel: hook.limits?.fuel ?? context.defaults.wasmFuel,
      fuelPerInputByte: hook.limits?.fuelPerInputByte ?? context.defaults.wasmFuelPerInputByte,
      depth: hook.limits?.depth ?? DEFAULT_DEPTH,
      outputBytes: hook.limits?.outputBytes ?? DEFAULT_OUTPUT_BYTES,
    },
  };
}
