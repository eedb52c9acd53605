import type { CacheFolder } from "../cache/cache-folder.ts";
import type { Problem } from "../errors.ts";
import type { Rule } from "../rule.ts";
import { cacheKeyOf, decodeRules, encodeRules } from "./cached-rules.ts";
import type { LayeredSettings } from "./layers.ts";
import { type ConfigFile, type InlineConfig, openSources } from "./sources.ts";

/** Configuration files -> ordered, frozen rules, and everything that is wrong with them. */

export type { ConfigFile } from "./sources.ts";

export interface LoadedConfig {
  readonly rules: readonly Rule[];
  readonly problems: readonly Problem[];
  /** Of the files, for what is added to them later. */
  readonly settings?: readonly LayeredSettings[];
  /** Configured bound on a whole event. */
  readonly eventPatienceMs?: number;
}

export interface LoadOptions {
  /** Whether modules are held to the lock files beside the configuration. Only who writes those ignores them. */
  readonly locks?: "enforce" | "ignore";
  /** Where rules of files that are in order are kept: to read them again takes longer than to start Node. */
  readonly cache?: CacheFolder | undefined;
  /** Reads the files whatever is kept of them, and keeps what comes of it. For whoever is to hear what is wrong with them. */
  readonly readsAnew?: boolean;
  /** Of files that have been loaded before: they hold for what is loaded now. */
  readonly settings?: readonly LayeredSettings[];
  /** Names of models that are functions of the embedder's. */
  readonly modelFunctions?: readonly string[];
}

export async function loadConfig(
  files: readonly ConfigFile[],
  inline: readonly InlineConfig[],
  cwd: string,
  { locks = "enforce", cache, readsAnew = false, settings = [], modelFunctions = [] }: LoadOptions = {},
): Promise<LoadedConfig> {
  const opened = await openSources(files, inline, cwd);
  const sources =
    locks === "enforce" ? opened : opened.map((source) => ({ ...source, lock: { kind: "none" } as const }));
  const key = cache === undefined ? undefined : cacheKeyOf(sources, settings, modelFunctions);
  const kept = key === undefined || readsAnew ? undefined : await cache?.get(key);
  const known = kept === undefined ? undefined : decodeRules(kept);
  if (known !== undefined) return frozen(known);
  const { parseSources } = await import("./parse.ts");
  const loaded = await parseSources(sources, settings, modelFunctions);
  const inOrder = loaded.problems.every(({ severity }) => severity !== "error");
  const encoded = key !== undefined && inOrder && !loaded.rules.some(dependsOnLinks) ? encodeRules(loaded) : undefined;
  if (encoded !== undefined) void cache?.put(key, encoded);
  return frozen(loaded);
}

/** Grants that were judged by where links led: they may lead elsewhere by the time of the next process. */
function dependsOnLinks({ handler }: Rule): boolean {
  const paths = (handler.type === "wasm" && handler.grants?.paths) || [];
  return paths.some(({ access, within }) => access === "write" || within !== undefined);
}

function frozen({ rules, problems, ...rest }: LoadedConfig): LoadedConfig {
  return { ...freezeDeep(rest), rules: Object.freeze(rules.map(freezeDeep)), problems: Object.freeze(problems) };
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeDeep(item);
  return value;
}
