import type { AgentContract, Codec, Compat } from "../codec.ts";
import type { Place, Problem } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { EventName } from "../events/table.ts";
import type { RuleException } from "../exception.ts";
import type { JsonObject } from "../json.ts";
import type { Layer } from "../layer-trust.ts";
import type { ProviderSettings } from "../models/providers.ts";
import type { McpServer, Rule } from "../rule.ts";
import type { Verdict } from "../verdict.ts";
import type { HookEditing, NoEditing } from "./editing.ts";
import type { FileQuota } from "./file-quota.ts";
import type { Fate } from "./writing.ts";

/** A parsed configuration file that knows the place of each of its values. */
export interface ConfigDocument {
  readonly file: string;
  readonly value: unknown;
  /**
   * Returns the place of a value or of its key. For a path that does not exist, returns the place of its nearest
   * existing parent.
   */
  locate(path: readonly (string | number)[], part?: "key" | "value"): Place;
}

export interface ParseContext {
  readonly layer: Layer;
  /** The folder against which relative paths in the file are resolved. */
  readonly baseDir: string;
  /** The path of the file, as the user wrote it. */
  readonly file?: string;
  readonly defaults: RuleDefaults;
  /** The agent whose rules are read, in files with several agents. The default depends on the dialect. */
  readonly agent?: string | undefined;
  /** How to read settings for which the agent's documentation and its code differ. Default: `safer`. */
  readonly compat?: Compat;
  /** The limits of the file. Default: no limit on the number of rules. */
  readonly quota?: FileQuota | undefined;
  /** The codec of each agent whose format a hook of hookbox's own format may use. */
  readonly speakers?: Readonly<Record<string, Codec>>;
}

/** Default limits of rules. */
export interface RuleDefaults {
  readonly commandTimeoutMs: number;
  readonly modelTimeoutMs: number;
  readonly agentTimeoutMs: number;
  readonly wasmTimeoutMs: number;
  readonly wasmMemoryBytes: number;
  readonly wasmFuel: number;
  readonly wasmFuelPerInputByte: number;
  /** How long the agent waits for all hooks of one event, in milliseconds. */
  readonly eventPatienceMs?: number;
}

/** Settings of a file that concern more than its own rules. `undefined`: the file does not contain the setting. */
export interface ConfigSettings {
  /** Set if the settings contain an error, so that the intention of the file is unknown. */
  readonly unread?: true;
  readonly defaults?: Partial<RuleDefaults>;
  readonly disableAllHooks?: boolean;
  readonly allowManagedHooksOnly?: boolean;
  /** Whether hooks of user and project settings files are ignored. Read from managed settings only. */
  readonly pluginHooksOnly?: boolean;
  readonly compat?: Compat;
  /** The contract for hooks that were written for Claude Code. */
  readonly claudeContract?: AgentContract;
  /** Patterns of URLs that web hooks may send to. The lists of several files are combined. */
  readonly allowedHttpHookUrls?: readonly string[];
  /** The default model of rules, as `PROVIDER/MODEL`. */
  readonly defaultModel?: string;
  readonly modelProviders?: Readonly<Record<string, ProviderSettings>>;
  /** Exceptions from rules of this file's layer and of less trusted layers. */
  readonly exceptions?: readonly RuleException[];
  /** Servers that rules of this file's layer and of less trusted layers may name. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /**
   * Variables that headers of web hooks may contain, if the hook lists the variable too. The lists of several files are
   * combined.
   */
  readonly httpHookAllowedEnvVars?: readonly string[];
}

export interface ParsedConfig {
  readonly rules: readonly Rule[];
  readonly problems: readonly Problem[];
}

export type DecodedEvent =
  | { readonly ok: true; readonly name: string; readonly payload: JsonObject }
  | { readonly ok: false; readonly message: string };

/** The event that a reply may depend on, in addition to the verdict. */
export type DecidedEvent = Pick<HookEvent, "name" | "payload">;

/** What an agent reads from a hook process. */
export interface AgentReply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Reads a dialect's configuration files. */
export interface ConfigFormat {
  /**
   * Parses the settings of a file. Called for all files before the first `parseRules`, because the defaults of the most
   * specific layer apply to every layer.
   */
  parseSettings(
    document: ConfigDocument,
    file: Pick<ParseContext, "layer" | "baseDir">,
  ): { readonly settings: ConfigSettings; readonly problems: readonly Problem[] };
  parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig;
}

interface WrittenConfig {
  readonly value: JsonObject;
  /** The result for each rule, in the order of the rules. */
  readonly fates: readonly Fate[];
}

export interface WriteContext {
  /** Settings of the whole file. A setting that the format cannot express is left out. */
  readonly settings: ConfigSettings;
  /** The defaults of the format's reader for rules. */
  readonly defaults: RuleDefaults;
  /** The folder of the new file. */
  readonly baseDir?: string;
}

export interface ConfigWriter {
  /**
   * Whether rules of different priority may be written in any order. If not, the caller passes the rules in the order
   * in which they apply.
   */
  readonly keepsPriority: boolean;
  /** Writes the parts that the format can express. The caller finds the losses by reading the result again. */
  write(rules: readonly Rule[], context: WriteContext): WrittenConfig;
}

/** The folders and variables that determine where an agent keeps its configuration. */
export interface AgentPlaces {
  readonly cwd: string;
  readonly home: string;
  /** The environment, which may name the folder of an agent's configuration. Default: empty. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

export interface AgentFile {
  readonly file: string;
  readonly layer: Layer;
  /** The layer that decides the order of the file's rules, if the agent's order differs from the order of trust. */
  readonly ranksAs?: Layer;
}

/** Configuration, events and replies of one family of agents. */
export interface Dialect {
  readonly name: string;
  readonly codec: Codec;
  /** Maps the agent's name of each of its events to the canonical name. */
  readonly eventNames: Readonly<Record<string, EventName>>;
  /** Returns the files from which the agent reads its hooks, in the agent's order, whether they exist or not. */
  places?(where: AgentPlaces): Promise<readonly AgentFile[]>;
  /** Whether the agent ignores a malformed file in this folder and continues. */
  isDropInFolder?(folder: string): boolean;
  /** Whether a file can define several agents, of which the caller selects one. */
  readonly hasAgents?: boolean;
  /**
   * The agent's command-line flags that add hooks for one run. Each flag has a function that returns its values as a
   * configuration file.
   */
  readonly hookFlags?: Readonly<Record<string, (values: readonly string[]) => JsonObject>>;
  /** Whether a payload comes from this family, by fields that no other family sends. */
  recognises(payload: JsonObject): boolean;
  /**
   * Returns how long the agent waits for a hook process whose entry has no timeout, in milliseconds. `eventName` is
   * canonical; `undefined` if unknown. Default: one minute.
   */
  patienceMs?(eventName: string | undefined): number;
  /** Environment variables that change how the configuration files are read. */
  readonly configVariables?: readonly string[];
  /** Returns the reader of the dialect's files. Loaded on use, because loading the schemas is slow. */
  configFormat(): Promise<ConfigFormat>;
  /** Returns the writer of the dialect's files. Absent: hookbox writes no file of this dialect. */
  writer?(): Promise<ConfigWriter>;
  /** Returns how to change hooks in the dialect's files, or why hookbox cannot change them. */
  editing(): Promise<HookEditing | NoEditing>;
  /** Decodes an event. `eventName` comes from the command line, for agents whose payload does not name the event. */
  decodeEvent(payload: JsonObject, eventName: string | undefined): DecodedEvent;
  /** Encodes a verdict. `event` is the event of the verdict, with canonical names. `compat` defaults to `safer`. */
  encodeReply(verdict: Verdict, event: DecidedEvent, compat?: Compat): AgentReply;
  /**
   * Returns what to print if an event at a gate could not be judged. For agents that do not treat an exit code as a
   * refusal. `event` is canonical; `undefined` if unknown.
   */
  refusal?(event: string | undefined, reason: string): JsonObject;
  /**
   * Set if the agent's client sends many events as lines to one process, and expects another form than the output of a
   * hook process.
   */
  readonly lineForm?: "json-rpc" | "result";
}
