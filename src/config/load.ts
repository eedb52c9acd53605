import type { CacheFolder } from "../cache/cache-folder.ts";
import type { Rule } from "../rule.ts";
import { cacheKeyOf, decodeRules, encodeRules } from "./cached-rules.ts";
import type { LayeredSettings } from "./layered-settings.ts";
import type { LoadedConfig } from "./parse.ts";
import { type ConfigFile, type InlineConfig, isOfRepository, openSources } from "./sources.ts";

/** Loads configuration files and returns ordered, frozen rules and all problems. */

export type { ConfigFile } from "./sources.ts";

interface LoadOptions {
  /**
   * Whether modules are checked against the lock files next to the configuration. Only the code that writes lock files
   * uses `ignore`.
   */
  readonly locks?: "enforce" | "ignore";
  /** The cache for the rules of files without errors. Parsing the files again takes longer than starting Node.js. */
  readonly cache?: CacheFolder | undefined;
  /**
   * When rules are prepared. With `all`, files are read even if their rules are cached. Approved modules that have changed
   * are reported, except with `on-demand`, the default.
   */
  readonly prepare?: "all" | "on-demand" | "later";
  /** The settings of files that were loaded before. These settings also apply to the files that are loaded now. */
  readonly settings?: readonly LayeredSettings[];
  /** Names of models that are functions of the embedding program. */
  readonly modelFunctions?: readonly string[];
  /** Whether files that may come with a repository need the user's approval. Default: `none`. */
  readonly approvals?: "required" | "none" | undefined;
}

export async function loadConfig(
  files: readonly ConfigFile[],
  inline: readonly InlineConfig[],
  cwd: string,
  { locks = "enforce", cache, prepare = "on-demand", settings = [], modelFunctions = [], approvals }: LoadOptions = {},
): Promise<LoadedConfig> {
  const found = await openSources(files, inline, cwd);
  const needsApproval = approvals === "required" && found.some(isOfRepository);
  const opened = needsApproval
    ? await (await import("./approved-contents.ts")).underApprovals(found, cwd, prepare !== "on-demand")
    : found;
  const sources =
    locks === "enforce" ? opened : opened.map((source) => ({ ...source, lock: { kind: "none" } as const }));
  const key = cache === undefined ? undefined : cacheKeyOf(sources, settings, modelFunctions);
  const kept = key === undefined || prepare === "all" ? undefined : await cache?.get(key);
  const known = kept === undefined ? undefined : decodeRules(kept);
  if (known !== undefined) return frozen(known);
  const { parseSources } = await import("./parse.ts");
  const loaded = await parseSources(sources, settings, modelFunctions);
  const inOrder = loaded.problems.every(({ severity }) => severity !== "error");
  const encoded = key !== undefined && inOrder && !loaded.rules.some(dependsOnLinks) ? encodeRules(loaded) : undefined;
  if (encoded !== undefined) void cache?.put(key, encoded);
  return frozen(loaded);
}

/** Whether links were followed to check a grant. The links may lead elsewhere when the next process starts. */
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
