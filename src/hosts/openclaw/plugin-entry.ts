import type { HookName } from "./catalogue.ts";

/** The types of a plugin and of the API with which it registers its hooks. */

export type HookEventData = Readonly<Record<string, unknown>>;

/** Facts about the run in addition to the event. The embedder sets them. */
export interface HookContext {
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  /** The scheduled job that started the run. */
  readonly jobId?: string;
  /** The trigger of the run. Only a run with `user` has a user to ask. */
  readonly trigger?: string;
  readonly messageId?: string;
  readonly senderId?: string;
  readonly trace?: Readonly<Record<string, unknown>>;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly callDepth?: number;
  readonly config?: unknown;
  readonly workspaceDir?: string;
  readonly getCron?: () => unknown;
  /** Aborts with the run, and at the handler's timeout. */
  readonly abortSignal?: AbortSignal;
  readonly [field: string]: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: each hook's event has fields of its own, which handlers read without casts.
export type HookHandler = (event: any, ctx: HookContext) => unknown;

export interface HookOptions {
  /** Handlers with a higher number are asked first, then those that registered earlier. Default: 0. */
  readonly priority?: number;
  readonly timeoutMs?: number;
  /** Ids of the tools that a tool hook is for. Default: all. */
  readonly matcher?: readonly string[];
  /**
   * The triggers that may have started the run, for `before_agent_reply`. A list with an unknown word is ignored.
   * Default: any.
   */
  readonly eligibleTriggers?: readonly string[];
  /** `agent`, `acp` or both, for `reply_dispatch`. A list with an unknown word is ignored. Default: both. */
  readonly eligibleDispatchKinds?: readonly string[];
}

/** Writes to the host's log. Each message becomes one line with the plugin's id. */
export interface PluginLogger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface PluginApi {
  readonly id: string;
  readonly name: string;
  readonly logger: PluginLogger;
  /** OpenClaw's settings, with `plugins.entries.<id>.config` for this plugin. */
  readonly config: unknown;
  readonly pluginConfig: unknown;
  /**
   * Registers a handler. Works only while `register` runs; later calls are ignored with a warning. An unknown hook is
   * kept with a warning, because the embedder may run it; a misspelt hook name is refused.
   */
  on(hook: HookName | (string & {}), handler: HookHandler, options?: HookOptions): void;
}

export interface PluginEntry {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  register(api: PluginApi): void;
}

/** Returns the entry unchanged. Use this function for its types. */
export function definePluginEntry<Entry extends PluginEntry>(entry: Entry): Entry {
  return entry;
}
