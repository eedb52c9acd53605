import type { ConfigSettings, RuleDefaults } from "../dialects/dialect.ts";
import type { ProviderSettings } from "../models/providers.ts";
import { type AgentContract, type Compat, LAYERS, type Layer, type McpServer } from "../rule.ts";

/** What files of several layers mean together. Rules add up; only settings are chosen between. */

export const BUILTIN_DEFAULTS: RuleDefaults = {
  commandTimeoutMs: 30_000,
  modelTimeoutMs: 30_000,
  agentTimeoutMs: 60_000,
  wasmTimeoutMs: 1_000,
  wasmMemoryBytes: 16 * 1_048_576,
  wasmFuel: 100_000_000,
  wasmFuelPerInputByte: 1_000,
};

export interface LayeredSettings {
  readonly layer: Layer;
  readonly settings: ConfigSettings;
}

export interface EffectiveSettings {
  /** Those of a file that may come with a repository count for no rule of a layer above it, nor for a whole event. */
  defaultsOf(layer: Layer): RuleDefaults;
  readonly eventBudgetMs: number | undefined;
  /** A layer may loosen its own rules, and never those of a more trusted one. */
  compatOf(layer: Layer): Compat;
  /** Chosen like `compat`: older contracts let more pass. */
  claudeContractOf(layer: Layer): AgentContract | undefined;
  /** Managed defaults: no rule of another layer may have more. */
  readonly ceilings: Partial<RuleDefaults>;
  /** Layers whose rules count. */
  readonly activeLayers: ReadonlySet<Layer>;
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
  readonly urls: readonly string[] | undefined;
  readonly variables: readonly string[] | undefined;
}

/**
 * The most specific layer's setting wins, but a managed default is a ceiling, and no other layer can switch managed
 * rules off (as with Claude Code's `disableAllHooks`, `allowManagedHooksOnly` and `strictPluginOnlyCustomization`).
 */
export function resolveSettings(files: readonly LayeredSettings[]): EffectiveSettings {
  const ordered = inOrder(files);
  const managed = ordered.filter(({ layer }) => layer === "managed").map(({ settings }) => settings);
  const all = ordered.map(({ settings }) => settings);

  const ceilings = Object.assign({}, ...managed.map(({ defaults }) => defaults)) as Partial<RuleDefaults>;
  const chosenFrom = (some: readonly LayeredSettings[]): RuleDefaults => {
    const chosen: RuleDefaults = Object.assign({}, BUILTIN_DEFAULTS, ...some.map(({ settings }) => settings.defaults));
    return mapValues(chosen, (value, key) => Math.min(value, ceilings[key] ?? Number.POSITIVE_INFINITY));
  };
  const ownOrAbove = (layer: Layer): readonly ConfigSettings[] => {
    const least = LAYERS.indexOf(layer);
    return ordered
      .filter((file) => LAYERS.indexOf(file.layer) <= least && bears(file.layer, layer))
      .map(({ settings }) => settings);
  };
  const ofOwnOrAbove = <Key extends keyof ConfigSettings>(layer: Layer, key: Key): ConfigSettings[Key] | undefined =>
    lastOf(managed, key) ?? lastOf(ownOrAbove(layer), key);
  const allOfOwnOrAbove = <Key extends "modelProviders" | "mcpServers">(
    layer: Layer,
    key: Key,
  ): NonNullable<ConfigSettings[Key]> =>
    Object.assign({}, ...[...ownOrAbove(layer), ...managed].map((settings) => settings[key]));
  const ofAll = chosenFrom(ordered);
  // A deadline of a millisecond would open every gate of the user's that goes on when its guard fails.
  const withoutProject = chosenFrom(ordered.filter(({ layer }) => layer !== "project"));
  const hasUnread = (layer: Layer): boolean => [...ownOrAbove(layer), ...managed].some(({ unread }) => unread === true);
  return {
    defaultsOf: (layer) => (layer === "project" ? ofAll : withoutProject),
    eventBudgetMs: withoutProject.eventBudgetMs,
    ceilings,
    compatOf: (layer) => ofOwnOrAbove(layer, "compat") ?? "safer",
    defaultModelOf: (layer) => ofOwnOrAbove(layer, "defaultModel"),
    providersOf: (layer) => allOfOwnOrAbove(layer, "modelProviders"),
    keyVariablesFor: (layer) => keyVariablesOf(ordered.filter((file) => bears(file.layer, layer))),
    mcpServersOf: (layer) => allOfOwnOrAbove(layer, "mcpServers"),
    hasUnread,
    claudeContractOf: (layer) => ofOwnOrAbove(layer, "claudeContract"),
    activeLayers: activeLayers(managed, all),
    httpListsOf: (layer) => {
      // What could not be read may have been the list.
      const unknown = hasUnread(layer) ? [] : undefined;
      return {
        urls: listFor(layer, "allowedHttpHookUrls", managed, all) ?? unknown,
        variables: listFor(layer, "httpHookAllowedEnvVars", managed, all) ?? unknown,
      };
    },
  };
}

/** A project's file may have come with a repository: it speaks for its own rules, and for nobody else's. */
function bears(from: Layer, on: Layer): boolean {
  return from !== "project" || on === "project";
}

function keyVariablesOf(files: readonly LayeredSettings[]): readonly string[] {
  const providers = files.flatMap(({ settings }) => Object.values(settings.modelProviders ?? {}));
  return [...new Set(providers.flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []))];
}

function mapValues(defaults: RuleDefaults, change: (value: number, key: keyof RuleDefaults) => number): RuleDefaults {
  const entries = Object.entries(defaults).map(([key, value]) => [key, change(value, key as keyof RuleDefaults)]);
  return Object.fromEntries(entries) as RuleDefaults;
}

function activeLayers(managed: readonly ConfigSettings[], all: readonly ConfigSettings[]): ReadonlySet<Layer> {
  if (lastOf(managed, "disableAllHooks") === true) return new Set();
  if ((lastOf(managed, "disableAllHooks") ?? lastOf(all, "disableAllHooks")) === true) return new Set(["managed"]);
  // What the embedding program registers is as much the administrator's choice as the program itself.
  if (managed.some((settings) => settings.allowManagedHooksOnly === true)) return new Set(["managed", "session"]);
  const pluginsOnly = managed.some((settings) => settings.pluginHooksOnly === true);
  return pluginsOnly ? new Set(["managed", "session", "command-line"]) : new Set(LAYERS);
}

/** As with Claude Code: lists add up, and bind managed hooks only where managed settings have one as well. */
function listFor(
  layer: Layer,
  key: "allowedHttpHookUrls" | "httpHookAllowedEnvVars",
  managed: readonly ConfigSettings[],
  all: readonly ConfigSettings[],
): readonly string[] | undefined {
  if (layer === "managed" && lastOf(managed, key) === undefined) return undefined;
  const lists = all.flatMap((settings) => settings[key] ?? []);
  return lastOf(all, key) === undefined ? undefined : [...new Set(lists)];
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
