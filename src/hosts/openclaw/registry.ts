import {
  MAX_HOOK_TIMEOUT_MS,
  NO_SETTINGS,
  type PluginHooks,
  readPluginHooks,
} from "../../dialects/openclaw/plugin-hooks.ts";
import { suggest } from "../../dialects/suggest.ts";
import { HookError } from "../../errors.ts";
import { HOOK_NAMES, type HookName, hookRow, isHookName } from "./catalogue.ts";
import { type Log, safeText } from "./log-text.ts";
import type { HookHandler, HookOptions, PluginEntry } from "./plugin-entry.ts";
import { matcherIds, toolId } from "./tool-ids.ts";

/** One handler at one hook. */
export interface Registration {
  readonly pluginId: string;
  readonly hook: HookName;
  readonly handler: HookHandler;
  readonly priority: number;
  /** The first that says something: operator for the hook, operator for the plugin, plugin, the hook's own default. */
  readonly timeoutMs: number | undefined;
  readonly tools: readonly string[] | undefined;
}

/** Of handlers that the embedder registers itself. */
export const HOST_PLUGIN = "host";

export interface RegistryOptions {
  /** OpenClaw's settings. */
  readonly config?: unknown;
  readonly log: Log;
  readonly isFaithful: boolean;
}

/** Who is registered where, in the order in which they are asked. */
export class Registry {
  readonly #settings: ReadonlyMap<string, PluginHooks>;
  readonly #log: Log;
  readonly #isFaithful: boolean;
  readonly #plugins = new Set<string>();
  #registrations: readonly Registration[] = [];

  constructor({ config, log, isFaithful }: RegistryOptions) {
    const { entries, complaints } = readPluginHooks(config);
    this.#settings = entries;
    this.#log = log;
    this.#isFaithful = isFaithful;
    for (const { path, message } of complaints) log.warn(safeText(`${path.join(".")}: ${message}`));
  }

  hasPlugin(id: string): boolean {
    return this.#plugins.has(id);
  }

  /** Handlers of a hook, whatever the tool. */
  all(hook: HookName): readonly Registration[] {
    return this.#registrations.filter((one) => one.hook === hook);
  }

  /** Handlers of a hook, of those of a tool hook the ones that the event's tool concerns. */
  at(hook: HookName, toolName?: unknown): readonly Registration[] {
    const all = this.all(hook);
    if (hookRow(hook).isToolHook !== true) return all;
    const tool = toolId(toolName);
    return all.filter(({ tools }) => tools === undefined || tools.includes(tool));
  }

  /** Runs the entry's `register`. Throws what it throws, and then none of its handlers stays. */
  use(entry: PluginEntry, { bundled = false }: { readonly bundled?: boolean } = {}): void {
    const { id, name } = entry;
    if (typeof id !== "string" || id === "" || id === HOST_PLUGIN)
      throw misuse(`a plugin needs an id of its own, not ${JSON.stringify(id)}`);
    if (typeof entry.register !== "function") throw misuse(`plugin "${id}" has no register function`);
    if (this.#plugins.has(id)) throw misuse(`there is a plugin "${id}" already`);
    const before = this.#registrations;
    let isOpen = true;
    try {
      const returned: unknown = entry.register({
        id,
        name,
        on: (hook, handler, options) => {
          if (isOpen) this.add(id, hook, handler, options, bundled);
          else this.#warn(id, `a handler for ${String(hook)} came after register had ended, and is ignored`);
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

  /** Throws `HOOK_API_MISUSE` for what cannot be a registration; what the operator forbids is left out with a warning. */
  add(pluginId: string, hook: HookName, handler: HookHandler, options: HookOptions = {}, trusted = false): void {
    if (!isHookName(hook)) {
      const hint = suggest(String(hook), HOOK_NAMES);
      throw misuse(`there is no hook "${String(hook)}"`, hint);
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
    };
    // A stable sort: of two with one priority the earlier stays ahead.
    this.#registrations = [...this.#registrations, registration].sort((a, b) => compare(b.priority, a.priority));
  }

  #own(pluginId: string, hook: HookName, { timeoutMs }: HookOptions): number | undefined {
    if (timeoutMs === undefined) return undefined;
    if (Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_HOOK_TIMEOUT_MS) return timeoutMs;
    this.#warn(pluginId, `the timeoutMs for ${hook} is not from 1 to ${MAX_HOOK_TIMEOUT_MS}, and is left out`);
    return undefined;
  }

  #isForbidden(pluginId: string, hook: HookName, settings: PluginHooks): boolean {
    const { conversation, injectsPrompt } = hookRow(hook);
    const needsLeave = conversation === "page" || (conversation === "code" && !this.#isFaithful);
    const key =
      needsLeave && !settings.allowConversationAccess
        ? "allowConversationAccess=true"
        : injectsPrompt === true && !settings.allowPromptInjection
          ? "allowPromptInjection"
          : undefined;
    if (key === undefined) return false;
    this.#warn(pluginId, `${hook} needs plugins.entries.${pluginId}.hooks.${key}; the handler is left out`);
    return true;
  }

  #warn(pluginId: string, message: string): void {
    this.#log.warn(safeText(`plugin "${pluginId}": ${message}`));
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** Not by subtraction: infinities are priorities as well. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function misuse(message: string, hint?: string): HookError {
  return new HookError("HOOK_API_MISUSE", message, hint === undefined ? {} : { hint });
}
