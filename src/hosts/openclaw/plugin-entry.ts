import type { HookName } from "./catalogue.ts";

/** What a plugin is made of, and what it is given to register its hooks with. */

export type HookEventData = Readonly<Record<string, unknown>>;

/** What is known of the run, besides the event itself. The embedder fills it in. */
export interface HookContext {
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  /** Of the scheduled job that the run belongs to. */
  readonly jobId?: string;
  /** What started the run. Anything but `user` has nobody to ask. */
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
  /** Aborted when the run is, and when the handler has had its time. */
  readonly abortSignal?: AbortSignal;
  readonly [field: string]: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: each hook's event has fields of its own, which handlers read without casts.
export type HookHandler = (event: any, ctx: HookContext) => unknown;

export interface HookOptions {
  /** Higher is asked first. Default 0; of two with the same, the one that was registered first. */
  readonly priority?: number;
  readonly timeoutMs?: number;
  /** Ids of the tools that a tool hook is for. Default: all. */
  readonly matcher?: readonly string[];
  /** Of `before_agent_reply`: what may have started the run. A list with another word in it is none. Default: anything. */
  readonly eligibleTriggers?: readonly string[];
  /** Of `reply_dispatch`: `agent`, `acp` or both. A list with another word in it is none. Default: both. */
  readonly eligibleDispatchKinds?: readonly string[];
}

/** Each line goes to the host's log, on one line and with the plugin's id. */
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
  /** OpenClaw's settings, and what they say of this plugin in `plugins.entries.<id>.config`. */
  readonly config: unknown;
  readonly pluginConfig: unknown;
  /**
   * Only while `register` runs; later calls are ignored with a warning. A hook that this host does not know is kept, with a
   * warning, for an embedder who runs it; a misspelt one is refused.
   */
  on(hook: HookName | (string & {}), handler: HookHandler, options?: HookOptions): void;
}

export interface PluginEntry {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  register(api: PluginApi): void;
}

/** Gives the entry back as it is; it is there for its types. */
export function definePluginEntry<Entry extends PluginEntry>(entry: Entry): Entry {
  return entry;
}
