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
}

export interface PluginApi {
  readonly id: string;
  readonly name: string;
  /** Only while `register` runs; later calls are ignored with a warning. */
  on(hook: HookName, handler: HookHandler, options?: HookOptions): void;
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
