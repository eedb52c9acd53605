import type { AgentContract, Compat } from "../codec.ts";
import type { ConfigSettings, RuleDefaults } from "../dialects/dialect.ts";
import type { Place } from "../errors.ts";
import type { RuleException } from "../exception.ts";
import { LAYERS, type Layer, mayComeWithRepository, trustOf } from "../layer-trust.ts";
import type { ProviderSettings } from "../models/providers.ts";
import type { McpServer, Rule } from "../rule.ts";

/**
 * Combines the files of several layers. Rules of all files run. Each setting is chosen from one file: the setting holds
 * for rules that are at most as trusted as its file. Therefore no file weakens the settings of a more trusted file.
 */

export const BUILTIN_DEFAULTS: RuleDefaults = {
  commandTimeoutMs: 30_000,
  modelTimeoutMs: 30_000,
  agentTimeoutMs: 60_000,
  wasmTimeoutMs: 10_000,
  wasmMemoryBytes: 16 * 1_048_576,
  wasmFuel: 100_000_000,
  wasmFuelPerInputByte: 1_000,
};

export interface LayeredSettings {
  readonly layer: Layer;
  readonly settings: ConfigSettings;
  /** The format of the file. Default: hookbox's own. */
  readonly dialect?: string;
  /** The place of each setting in the file, by the setting's name: `defaults.wasm.fuel`. */
  readonly places?: Readonly<Record<string, Place>>;
}

export interface EffectiveSettings {
  defaultsOf(layer: Layer): RuleDefaults;
  /** How long the agent waits for all rules of one event, in milliseconds. Never taken from a file of a repository. */
  readonly eventPatienceMs: number | undefined;
  /** Returns `compat` for a layer. `said` is the caller's value for the file; only managed files override `said`. */
  compatOf(layer: Layer, said?: Compat): Compat;
  /** Returns the contract for a layer, chosen like `compat`, because older contracts let more actions through. */
  claudeContractOf(layer: Layer): AgentContract | undefined;
  /** Managed defaults. Rules of other layers cannot exceed these values. */
  readonly ceilings: Partial<RuleDefaults>;
  /** Whether the rules of files with this layer and format run. */
  isActive(layer: Layer, dialect: string): boolean;
  /** Returns the file whose `disableAllHooks` disables the rules of this layer and dialect. */
  disablingFile(layer: Layer, dialect: string): LayeredSettings | undefined;
  /** Returns the lists that restrict the web hooks of a layer. A list is `undefined` if no file has it. */
  httpListsOf(layer: Layer): HttpLists;
  /** Returns the model of rules in this layer that name no model. */
  defaultModelOf(layer: Layer): string | undefined;
  /**
   * Returns the definitions from the nearest files that are at least as trusted as the layer. A repository must not
   * decide about the user's own hooks.
   */
  providersOf(layer: Layer): Readonly<Record<string, ProviderSettings>>;
  /**
   * Returns the variables with API keys of all providers in files that apply to the layer. No rule of the layer may
   * read these variables.
   */
  keyVariablesFor(layer: Layer): readonly string[];
  mcpServersOf(layer: Layer): Readonly<Record<string, McpServer>>;
  /** Returns the exceptions from a rule. A file's exceptions never loosen a rule that is more trusted than the file. */
  exceptionsFor(rule: Pick<Rule, "layer" | "name" | "handler">): readonly RuleException[];
  /** Whether a file's settings have an error, so that models, providers and servers may be missing. */
  hasUnread(layer: Layer): boolean;
}

export interface HttpLists {
  /** One list for each level of trust that has a list. */
  readonly urls: readonly (readonly string[])[] | undefined;
  readonly variables: readonly string[] | undefined;
}

/**
 * Chooses the settings of each layer. A rule gets the setting of the most specific file that applies to it. Exceptions:
 * a managed default is an upper limit, and switches are taken from the most trusted file.
 */
export function resolveSettings(files: readonly LayeredSettings[]): EffectiveSettings {
  const ordered = inOrder(files);
  const managed = ordered.filter(({ layer }) => layer === "managed").map(({ settings }) => settings);

  const ceilings = Object.assign({}, ...managed.map(({ defaults }) => defaults)) as Partial<RuleDefaults>;
  const bearingOn = (layer: Layer): readonly LayeredSettings[] => ordered.filter((file) => bears(file.layer, layer));
  const defaultsOf = (layer: Layer): RuleDefaults => {
    const said = bearingOn(layer).map(({ settings }) => settings.defaults);
    const chosen: RuleDefaults = Object.assign({}, BUILTIN_DEFAULTS, ...said);
    return mapValues(chosen, (value, key) => Math.min(value, ceilings[key] ?? Number.POSITIVE_INFINITY));
  };
  const ownOrAbove = (layer: Layer): readonly ConfigSettings[] => {
    const isNear = (file: LayeredSettings): boolean => LAYERS.indexOf(file.layer) <= LAYERS.indexOf(layer);
    const bearing = bearingOn(layer);
    // Settings of a program or of the command line also apply to the files that the program or command line names.
    // Settings in these files and in the user's files override them.
    const far = bearing.filter((file) => !isNear(file) && !mayComeWithRepository(file.layer));
    return [...far, ...bearing.filter(isNear)].map(({ settings }) => settings);
  };
  const ofOwnOrAbove = <Key extends keyof ConfigSettings>(layer: Layer, key: Key): ConfigSettings[Key] | undefined =>
    lastOf(managed, key) ?? lastOf(ownOrAbove(layer), key);
  const allOfOwnOrAbove = <Key extends "modelProviders" | "mcpServers">(
    layer: Layer,
    key: Key,
  ): NonNullable<ConfigSettings[Key]> =>
    Object.assign({}, ...[...ownOrAbove(layer), ...managed].map((settings) => settings[key]));
  const hasUnread = (layer: Layer): boolean => [...ownOrAbove(layer), ...managed].some(({ unread }) => unread === true);
  return {
    defaultsOf,
    eventPatienceMs: defaultsOf("user").eventPatienceMs,
    ceilings,
    compatOf: (layer, said) => lastOf(managed, "compat") ?? said ?? lastOf(ownOrAbove(layer), "compat") ?? "safer",
    defaultModelOf: (layer) => ofOwnOrAbove(layer, "defaultModel"),
    providersOf: (layer) => allOfOwnOrAbove(layer, "modelProviders"),
    keyVariablesFor: (layer) => keyVariablesOf(bearingOn(layer)),
    mcpServersOf: (layer) => allOfOwnOrAbove(layer, "mcpServers"),
    exceptionsFor: (rule) =>
      bearingOn(rule.layer).flatMap(({ settings }) =>
        (settings.exceptions ?? []).filter((one) => namesRule(one, rule)),
      ),
    hasUnread,
    claudeContractOf: (layer) => ofOwnOrAbove(layer, "claudeContract"),
    isActive: (layer, dialect) => isActive(layer, bearingOn(layer).filter(isAbout(dialect))),
    disablingFile: (layer, dialect) => disablingFile(bearingOn(layer).filter(isAbout(dialect))),
    httpListsOf: (layer) => {
      const degrees = byTrust(bearingOn(layer)).map((files) => files.map(({ settings }) => settings));
      // The unread part of the file may have contained the list, so an empty list allows nothing.
      const unknown = hasUnread(layer) ? [[]] : [];
      const listed = (key: ListKey): readonly (readonly string[])[] => {
        const lists = degrees.flatMap((settings) => unionOf(settings, key));
        return lists.length > 0 ? lists : unknown;
      };
      return { urls: orNone(listed("allowedHttpHookUrls")), variables: commonTo(listed("httpHookAllowedEnvVars")) };
    },
  };
}

type ListKey = "allowedHttpHookUrls" | "httpHookAllowedEnvVars";

function bears(from: Layer, on: Layer): boolean {
  return trustOf(from) >= trustOf(on);
}

/** Returns a test for files whose switches apply to hooks of `dialect`. An agent's file applies to its own hooks. */
function isAbout(dialect: string): (file: LayeredSettings) => boolean {
  return ({ dialect: own = OWN_FORMAT }) => own === OWN_FORMAT || own === dialect;
}

/** Whether an exception is for a rule, by the rule's name or by its shipped guard. */
export function namesRule({ guard, rule }: RuleException, { name, handler }: Pick<Rule, "name" | "handler">): boolean {
  return guard === undefined ? rule === name : handler.type === "wasm" && handler.module === `builtin:${guard}`;
}

export const OWN_FORMAT = "hookbox";

/** Groups files by trust, the most trusted first. */
function byTrust(files: readonly LayeredSettings[]): readonly (readonly LayeredSettings[])[] {
  const degrees = [...new Set(files.map(({ layer }) => trustOf(layer)))].sort((a, b) => b - a);
  return degrees.map((degree) => files.filter(({ layer }) => trustOf(layer) === degree));
}

function disablingFile(files: readonly LayeredSettings[]): LayeredSettings | undefined {
  const deciding = byTrust(files)
    .map((equals) => equals.findLast(({ settings }) => settings.disableAllHooks !== undefined))
    .find((file) => file !== undefined);
  return deciding?.settings.disableAllHooks === true ? deciding : undefined;
}

function keyVariablesOf(files: readonly LayeredSettings[]): readonly string[] {
  const providers = files.flatMap(({ settings }) => Object.values(settings.modelProviders ?? {}));
  return [...new Set(providers.flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []))];
}

function mapValues(defaults: RuleDefaults, change: (value: number, key: keyof RuleDefaults) => number): RuleDefaults {
  const entries = Object.entries(defaults).map(([key, value]) => [key, change(value, key as keyof RuleDefaults)]);
  return Object.fromEntries(entries) as RuleDefaults;
}

/**
 * Whether the rules of a layer run. `files` are the files that apply to the rules. Only managed files can disable
 * managed rules.
 */
function isActive(layer: Layer, files: readonly LayeredSettings[]): boolean {
  if (disablingFile(files) !== undefined) return false;
  if (layer === "managed") return true;
  const managed = files.filter((file) => file.layer === "managed").map(({ settings }) => settings);
  // The embedding program is the administrator's choice, so the rules that it registers also run.
  if (managed.some(({ allowManagedHooksOnly }) => allowManagedHooksOnly === true)) return layer === "session";
  const pluginsOnly = managed.some(({ pluginHooksOnly }) => pluginHooksOnly === true);
  return !pluginsOnly || layer === "session" || layer === "command-line";
}

/** Returns the union of a list over equally trusted files. Returns an empty result if no file has the list. */
function unionOf(settings: readonly ConfigSettings[], key: ListKey): readonly (readonly string[])[] {
  return lastOf(settings, key) === undefined ? [] : [[...new Set(settings.flatMap((one) => one[key] ?? []))]];
}

function orNone<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** Returns the intersection of the lists. A less trusted list can narrow a more trusted list, never widen it. */
function commonTo(lists: readonly (readonly string[])[]): readonly string[] | undefined {
  const [first, ...others] = lists;
  return first?.filter((item) => others.every((list) => list.includes(item)));
}

function lastOf<Key extends keyof ConfigSettings>(
  all: readonly ConfigSettings[],
  key: Key,
): ConfigSettings[Key] | undefined {
  return all.findLast((settings) => settings[key] !== undefined)?.[key];
}

/** Sorts by layer, the most trusted first. Within a layer, files and entries keep their order. */
export function inOrder<Ranked extends { readonly layer: Layer }>(all: readonly Ranked[]): Ranked[] {
  return [...all].sort((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer));
}
