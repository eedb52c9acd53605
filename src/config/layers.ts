import type { ConfigSettings, RuleDefaults } from "../dialects/dialect.ts";
import type { Place } from "../errors.ts";
import type { ProviderSettings } from "../models/providers.ts";
import {
  type AgentContract,
  type Compat,
  LAYERS,
  type Layer,
  type McpServer,
  mayComeWithRepository,
  trustOf,
} from "../rule.ts";

/**
 * What files of several layers mean together. Rules add up; only settings are chosen between. A setting counts for rules
 * that are at most as trusted as its file, so that no file weakens what a more trusted one says.
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
  /** Whose format the file is in. Default: our own. */
  readonly dialect?: string;
  /** Where the file says what, by the names of the settings: `defaults.wasm.fuel`. */
  readonly places?: Readonly<Record<string, Place>>;
}

export interface EffectiveSettings {
  defaultsOf(layer: Layer): RuleDefaults;
  /** How long the agent waits for all rules of an event together, so that no file of a repository says it. */
  readonly eventPatienceMs: number | undefined;
  /** `said`: by whoever names the file, which only a managed file overrules. */
  compatOf(layer: Layer, said?: Compat): Compat;
  /** Chosen like `compat`: older contracts let more pass. */
  claudeContractOf(layer: Layer): AgentContract | undefined;
  /** Managed defaults: no rule of another layer may have more. */
  readonly ceilings: Partial<RuleDefaults>;
  /** Whether rules count that a file of this layer and format has. */
  isActive(layer: Layer, dialect: string): boolean;
  /** The file whose `disableAllHooks` keeps those rules from counting. */
  disablingFile(layer: Layer, dialect: string): LayeredSettings | undefined;
  /** The lists that bind web hooks of a layer. `undefined`: none does. */
  httpListsOf(layer: Layer): HttpLists;
  /** What rules of a layer are asked by that name no model. */
  defaultModelOf(layer: Layer): string | undefined;
  /** The nearest that is at least as trusted as the layer: a repository decides nothing about the user's own hooks. */
  providersOf(layer: Layer): Readonly<Record<string, ProviderSettings>>;
  /** Of whichever provider, as far as the layer's rules are bound by who names it: none of them may have these. */
  keyVariablesFor(layer: Layer): readonly string[];
  mcpServersOf(layer: Layer): Readonly<Record<string, McpServer>>;
  /** A file whose settings have an error, so that the three above are not all that its author meant. */
  hasUnread(layer: Layer): boolean;
}

export interface HttpLists {
  /** One list for each degree of trust that has any. */
  readonly urls: readonly (readonly string[])[] | undefined;
  readonly variables: readonly string[] | undefined;
}

/**
 * Of files that bear on a rule the most specific one's setting counts, but a managed default is a ceiling, and switches
 * count as the most trusted file says.
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
    // What a program or a command line says counts for the files that it names, unless these or the user's say it.
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
    hasUnread,
    claudeContractOf: (layer) => ofOwnOrAbove(layer, "claudeContract"),
    isActive: (layer, dialect) => isActive(layer, bearingOn(layer).filter(isAbout(dialect))),
    disablingFile: (layer, dialect) => disablingFile(bearingOn(layer).filter(isAbout(dialect))),
    httpListsOf: (layer) => {
      const degrees = byTrust(bearingOn(layer)).map((files) => files.map(({ settings }) => settings));
      // What could not be read may have been the list.
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

/** The switches of an agent's own file are for that agent's hooks. */
function isAbout(dialect: string): (file: LayeredSettings) => boolean {
  return ({ dialect: own = OWN_FORMAT }) => own === OWN_FORMAT || own === dialect;
}

export const OWN_FORMAT = "hookbox";

/** The most trusted first. */
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

/** `files` bear on the rules of the layer. Nobody but managed files switches managed rules off. */
function isActive(layer: Layer, files: readonly LayeredSettings[]): boolean {
  if (disablingFile(files) !== undefined) return false;
  if (layer === "managed") return true;
  const managed = files.filter((file) => file.layer === "managed").map(({ settings }) => settings);
  // What the embedding program registers is as much the administrator's choice as the program itself.
  if (managed.some(({ allowManagedHooksOnly }) => allowManagedHooksOnly === true)) return layer === "session";
  const pluginsOnly = managed.some(({ pluginHooksOnly }) => pluginHooksOnly === true);
  return !pluginsOnly || layer === "session" || layer === "command-line";
}

/** Lists of equally trusted files add up. Empty if none has the list. */
function unionOf(settings: readonly ConfigSettings[], key: ListKey): readonly (readonly string[])[] {
  return lastOf(settings, key) === undefined ? [] : [[...new Set(settings.flatMap((one) => one[key] ?? []))]];
}

function orNone<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** A less trusted list narrows a more trusted one, and never widens it. */
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

/** Most trusted layer first; within a layer, files and entries in their own order. */
export function inOrder<Ranked extends { readonly layer: Layer }>(all: readonly Ranked[]): Ranked[] {
  return [...all].sort((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer));
}
