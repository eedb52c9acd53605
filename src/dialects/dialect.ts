import type { Codec } from "../codec.ts";
import type { Place, Problem } from "../errors.ts";
import type { HookEvent, JsonObject } from "../event.ts";
import type { EventName } from "../events/table.ts";
import type { ProviderSettings } from "../models/providers.ts";
import type { AgentContract, Compat, Layer, McpServer, Rule } from "../rule.ts";
import type { Verdict } from "../verdict.ts";
import type { FileQuota } from "./file-quota.ts";

/** A parsed configuration file that still knows where each of its values stands. */
export interface ConfigDocument {
  readonly file: string;
  readonly value: unknown;
  /** Where a value stands, or its key. A path that does not exist gives the nearest parent that does. */
  locate(path: readonly (string | number)[], part?: "key" | "value"): Place;
}

export interface ParseContext {
  readonly layer: Layer;
  /** Relative paths in the file are resolved against this folder. */
  readonly baseDir: string;
  /** The file itself, as its user calls it. */
  readonly file?: string;
  readonly defaults: RuleDefaults;
  /** Whose rules are meant, in files with several agents. Default: as the dialect says. */
  readonly agent?: string | undefined;
  /** For what a file means as the agent's page has it, and otherwise as its code has it. Default `safer`. */
  readonly compat?: Compat;
  /** Default: any number of rules. */
  readonly quota?: FileQuota | undefined;
  /** The codec of each agent in whose words a hook of our own format may speak. */
  readonly speakers?: Readonly<Record<string, Codec>>;
}

/** Limits for rules that do not say. */
export interface RuleDefaults {
  readonly commandTimeoutMs: number;
  readonly modelTimeoutMs: number;
  readonly agentTimeoutMs: number;
  readonly wasmTimeoutMs: number;
  readonly wasmMemoryBytes: number;
  readonly wasmFuel: number;
  readonly wasmFuelPerInputByte: number;
  /** How long the agent waits for a whole event. */
  readonly eventPatienceMs?: number;
}

/** Settings of a file that concern more than its own rules. `undefined` where the file does not say. */
export interface ConfigSettings {
  /** Something of them has an error, so that what the file means to say is not known. */
  readonly unread?: true;
  readonly defaults?: Partial<RuleDefaults>;
  readonly disableAllHooks?: boolean;
  readonly allowManagedHooksOnly?: boolean;
  /** Of managed settings: hooks of the user's and of projects' settings files do not count. */
  readonly pluginHooksOnly?: boolean;
  readonly compat?: Compat;
  /** Of hooks that were written for Claude Code. */
  readonly claudeContract?: AgentContract;
  /** Patterns of URLs that web hooks may send to. Lists of several files add up. */
  readonly allowedHttpHookUrls?: readonly string[];
  /** What rules are asked by that name no model: `PROVIDER/MODEL`. */
  readonly defaultModel?: string;
  readonly modelProviders?: Readonly<Record<string, ProviderSettings>>;
  /** Servers that rules of this file's layer, and of less trusted ones, may name. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /** Variables that headers of web hooks may stand for, if the hook says so, too. Lists of several files add up. */
  readonly httpHookAllowedEnvVars?: readonly string[];
}

export interface ParsedConfig {
  readonly rules: readonly Rule[];
  readonly problems: readonly Problem[];
}

export type DecodedEvent =
  | { readonly ok: true; readonly name: string; readonly payload: JsonObject }
  | { readonly ok: false; readonly message: string };

/** What a reply may have to go by besides its verdict. */
export type DecidedEvent = Pick<HookEvent, "name" | "payload">;

/** What an agent reads from a hook process. */
export interface AgentReply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** What a dialect's configuration files look like. */
export interface ConfigFormat {
  /** Settings are read of all files first: the most specific layer's defaults hold for every layer. */
  parseSettings(
    document: ConfigDocument,
    file: Pick<ParseContext, "layer" | "baseDir">,
  ): { readonly settings: ConfigSettings; readonly problems: readonly Problem[] };
  parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig;
}

/** Where an agent keeps its own configuration. */
export interface AgentPlaces {
  readonly cwd: string;
  readonly home: string;
  /** The environment, in which an agent may look for a place of its own. Default: nothing. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

export interface AgentFile {
  readonly file: string;
  readonly layer: Layer;
  /** The layer among whose rules its own are counted, where the agent's order is not that of trust. */
  readonly ranksAs?: Layer;
}

/** One agent family's spelling of configuration, events and replies. */
export interface Dialect {
  readonly name: string;
  readonly codec: Codec;
  /** The agent's name of each event that it has -> the canonical one. */
  readonly eventNames: Readonly<Record<string, EventName>>;
  /** Files that the agent itself reads its hooks from, whether they exist or not, in its own order. */
  places?(where: AgentPlaces): Promise<readonly AgentFile[]>;
  /** Whether the agent goes on without a file of this folder when it is malformed. */
  isDropInFolder?(folder: string): boolean;
  /** Files of this family may have several agents, of which one is meant. */
  readonly hasAgents?: boolean;
  /** Flags of the agent's that add hooks for one run: by name, what their values would be in a file. */
  readonly hookFlags?: Readonly<Record<string, (values: readonly string[]) => JsonObject>>;
  /** Whether a payload is this family's, by what no other family's has. */
  recognises(payload: JsonObject): boolean;
  /**
   * How long the agent waits for a hook process if its own entry says nothing. `eventName` is canonical; `undefined`
   * where it is not known yet. Default: a minute.
   */
  patienceMs?(eventName: string | undefined): number;
  /** Variables of our own environment that its configuration files are read by. */
  readonly configVariables?: readonly string[];
  /** Loaded on use: schemas take longer to load than a process that serves one event has to answer. */
  configFormat(): Promise<ConfigFormat>;
  /** `eventName` is what the command line says, for agents whose payload does not say. */
  decodeEvent(payload: JsonObject, eventName: string | undefined): DecodedEvent;
  /** `event` is the one that the verdict is about, in canonical words. `compat` defaults to `safer`. */
  encodeReply(verdict: Verdict, event: DecidedEvent, compat?: Compat): AgentReply;
  /**
   * Of an agent that takes no exit code for a "no": what to print where an event at a gate could not be judged.
   * `event` is canonical; `undefined` where it cannot be told.
   */
  refusal?(event: string | undefined, reason: string): JsonObject;
  /** Where its client has many events answered line by line, and takes something else than what a process would say. */
  readonly lineForm?: "json-rpc" | "result";
}
