import {
  MAX_HOOK_TIMEOUT_MS,
  NO_SETTINGS,
  type PluginHooks,
  readPluginHooks,
} from "../../dialects/openclaw/plugin-hooks.ts";
import { CONVERSATION_HOOKS, PROMPT_HOOKS } from "../../dialects/openclaw/plugin-leave.ts";
import { HookError } from "../../errors.ts";
import { isJsonObject } from "../../json.ts";
import { suggest } from "../../suggest.ts";
import { HOOK_NAMES, hookRow, isHookName } from "./catalogue.ts";
import { type Log, safeText } from "./log-text.ts";
import type { HookContext, HookHandler, HookOptions, PluginEntry, PluginLogger } from "./plugin-entry.ts";
import { matcherIds, toolId } from "./tool-ids.ts";

/** A handler of a hook. */
export interface Registration {
  readonly pluginId: string;
  readonly hook: string;
  readonly handler: HookHandler;
  readonly priority: number;
  /**
   * The timeout in milliseconds, from the first of these sources: the operator's setting for the hook, the operator's
   * setting for the plugin, the plugin, the hook's default.
   */
  readonly timeoutMs: number | undefined;
  readonly tools: readonly string[] | undefined;
  /** The required value of a field of the context, if the registration restricts it. */
  readonly eligible: Eligible | undefined;
}

interface Eligible {
  readonly field: string;
  readonly words: readonly string[];
}

/** Hooks whose handlers may want only some runs: the option's name, the field of the context, and the allowed words. */
const ELIGIBILITY: Readonly<
  Record<string, { readonly option: keyof HookOptions; readonly field: string; readonly words: readonly string[] }>
> = {
  before_agent_reply: { option: "eligibleTriggers", field: "trigger", words: ["cron", "heartbeat", "user"] },
  reply_dispatch: { option: "eligibleDispatchKinds", field: "dispatchKind", words: ["agent", "acp"] },
};

/** The plugin id of handlers that the embedder registers. */
export const HOST_PLUGIN = "host";

interface RegistryOptions {
  /** OpenClaw's settings. */
  readonly config?: unknown;
  readonly log: Log;
  readonly isFaithful: boolean;
}

/** All registered handlers, in the order in which they are asked. */
export class Registry {
  readonly #config: unknown;
  readonly #settings: ReadonlyMap<string, PluginHooks>;
  readonly #log: Log;
  readonly #isFaithful: boolean;
  readonly #plugins = new Set<string>();
  #registrations: readonly Registration[] = [];

  constructor({ config, log, isFaithful }: RegistryOptions) {
    const { entries, problems } = readPluginHooks(config);
    this.#config = config;
    this.#settings = entries;
    this.#log = log;
    this.#isFaithful = isFaithful;
    for (const { path, message } of problems) log.warn(safeText(`${path.join(".")}: ${message}`));
  }

  hasPlugin(id: string): boolean {
    return this.#plugins.has(id);
  }

  /** Returns the handlers of a hook for all tools. */
  all(hook: string): readonly Registration[] {
    return this.#registrations.filter((one) => one.hook === hook);
  }

  /** Returns the handlers of a hook that match the run and, for a tool hook, the event's tool. */
  at(hook: string, toolName?: unknown, ctx: HookContext = {}): readonly Registration[] {
    // If the context lacks the field, no handler is left out.
    const all = this.all(hook).filter(
      ({ eligible }) =>
        eligible === undefined ||
        ctx[eligible.field] === undefined ||
        eligible.words.includes(ctx[eligible.field] as string),
    );
    if (hookRow(hook).isToolHook !== true) return all;
    const tool = toolId(toolName);
    return all.filter(({ tools }) => tools === undefined || tools.includes(tool));
  }

  /** Runs the entry's `register`. Throws errors of `register`; then none of its handlers stays registered. */
  use(entry: PluginEntry, { bundled = false }: { readonly bundled?: boolean } = {}): void {
    const { id, name } = entry;
    if (typeof id !== "string" || id === "" || id === HOST_PLUGIN)
      throw misuse(`a plugin needs an id of its own, not ${JSON.stringify(id)}`);
    if (typeof entry.register !== "function") throw misuse(`plugin "${id}" has no register function`);
    if (this.#plugins.has(id)) throw misuse(`there is already a plugin "${id}"`);
    const before = this.#registrations;
    let isOpen = true;
    try {
      const returned: unknown = entry.register({
        id,
        name,
        logger: this.#loggerOf(id),
        config: this.#config,
        pluginConfig: configOf(this.#config, id),
        on: (hook, handler, options) => {
          if (isOpen) this.add(id, hook, handler, options, bundled);
          else this.#warn(id, `a handler for ${String(hook)} was registered after register had ended, and is ignored`);
        },
      });
      if (isThenable(returned)) {
        returned.then(undefined, () => {});
        this.#warn(id, "register must not be async: what it registers later is ignored");
      }
      this.#plugins.add(id);
    } catch (error) {
      this.#registrations = before;
      throw error;
    } finally {
      isOpen = false;
    }
  }

  /**
   * Adds a handler. Throws `HOOK_API_MISUSE` for an invalid registration. Skips a handler that the operator forbids
   * with a warning.
   */
  add(pluginId: string, hook: string, handler: HookHandler, options: HookOptions = {}, trusted = false): void {
    if (!isHookName(hook)) {
      // A misspelt hook is refused, because its guard would never be asked.
      const hint = suggest(String(hook), HOOK_NAMES);
      if (trusted || hint !== undefined || !/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(String(hook)))
        throw misuse(`there is no hook "${String(hook)}"`, hint);
      this.#warn(
        pluginId,
        `this host knows no hook "${hook}"; its handler is called only if the embedder runs this hook`,
      );
    }
    if (typeof handler !== "function") throw misuse(`the handler for ${hook} must be a function`);
    const { priority = 0, matcher } = options;
    if (typeof priority !== "number" || Number.isNaN(priority)) throw misuse(`${hook}: priority must be a number`);
    const row = hookRow(hook);
    if (matcher !== undefined && row.isToolHook !== true)
      throw misuse(`${hook} is about no tool, and takes no matcher`);
    const tools = matcher === undefined ? undefined : matcherIds(matcher);
    const settings = this.#settings.get(pluginId) ?? NO_SETTINGS;
    if (!trusted && this.#isForbidden(pluginId, hook, settings)) return;
    const registration: Registration = {
      pluginId,
      hook,
      handler,
      priority,
      timeoutMs: settings.timeouts[hook] ?? settings.timeoutMs ?? this.#own(pluginId, hook, options) ?? row.timeoutMs,
      tools,
      eligible: eligibleOf(hook, options),
    };
    // The sort is stable: with equal priorities, the earlier registration stays first.
    this.#registrations = [...this.#registrations, registration].sort((a, b) => compare(b.priority, a.priority));
  }

  #own(pluginId: string, hook: string, { timeoutMs }: HookOptions): number | undefined {
    if (timeoutMs === undefined) return undefined;
    if (Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_HOOK_TIMEOUT_MS) return timeoutMs;
    this.#warn(
      pluginId,
      `the timeoutMs for ${hook} is not a whole number from 1 to ${MAX_HOOK_TIMEOUT_MS}, and is ignored`,
    );
    return undefined;
  }

  #isForbidden(pluginId: string, hook: string, settings: PluginHooks): boolean {
    const needsLeave =
      CONVERSATION_HOOKS[hook] === "page" || (Object.hasOwn(CONVERSATION_HOOKS, hook) && !this.#isFaithful);
    const key =
      needsLeave && !settings.allowConversationAccess
        ? "allowConversationAccess=true"
        : PROMPT_HOOKS.includes(hook) && !settings.allowPromptInjection
          ? "allowPromptInjection"
          : undefined;
    if (key === undefined) return false;
    this.#warn(pluginId, `${hook} needs plugins.entries.${pluginId}.hooks.${key}; the handler is not registered`);
    return true;
  }

  #loggerOf(pluginId: string): PluginLogger {
    const labelled = (message: unknown): string => safeText(`plugin "${pluginId}": ${String(message)}`);
    return {
      debug: () => {},
      info: (message) => this.#log.info?.(labelled(message)),
      warn: (message) => this.#log.warn(labelled(message)),
      error: (message) => this.#log.error(labelled(message)),
    };
  }

  #warn(pluginId: string, message: string): void {
    this.#log.warn(safeText(`plugin "${pluginId}": ${message}`));
  }
}

/** Returns the eligibility. Ignores a list with an unknown word, because a handler that is not asked cannot object. */
function eligibleOf(hook: string, options: HookOptions): Eligible | undefined {
  const row = Object.hasOwn(ELIGIBILITY, hook) ? ELIGIBILITY[hook] : undefined;
  const words = row === undefined ? undefined : options[row.option];
  if (row === undefined || !Array.isArray(words) || words.length === 0) return undefined;
  return words.every((word) => row.words.includes(word)) ? { field: row.field, words } : undefined;
}

function configOf(config: unknown, id: string): unknown {
  let found = config;
  for (const key of ["plugins", "entries", id, "config"]) {
    if (!isJsonObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Compares priorities. Does not subtract, because priorities may be infinite. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function misuse(message: string, hint?: string): HookError {
  return new HookError("HOOK_API_MISUSE", message, hint === undefined ? {} : { hint });
}
