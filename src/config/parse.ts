import { brokenRule } from "../dialects/broken-rule.ts";
import { firstProblems } from "../dialects/config-problems.ts";
import { timeKeyOf } from "../dialects/default-timeout.ts";
import type {
  ConfigDocument,
  ConfigFormat,
  ConfigSettings,
  ParseContext,
  ParsedConfig,
  RuleDefaults,
} from "../dialects/dialect.ts";
import { FileQuota } from "../dialects/file-quota.ts";
import { SPEAKERS } from "../dialects/registry.ts";
import { describeThrown, HookError, type Problem } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import { type Layer, mayComeWithRepository } from "../layer-trust.ts";
import type { Rule } from "../rule.ts";
import { applyLockFile } from "./attach-lock.ts";
import { PROJECT_BOUNDS, pointerOf, readDocument } from "./document.ts";
import { asDropIn } from "./drop-in.ts";
import { findModelsAndServers } from "./find-models-and-servers.ts";
import { type HttpLists, inOrder, type LayeredSettings, resolveSettings } from "./layered-settings.ts";

import {
  type FiledRule,
  placesOfSettings,
  reportDisabled,
  reportLowered,
  reportOwnKeys,
  reportScope,
} from "./scoped-settings.ts";
import type { Source } from "./sources.ts";
import { limitedByTrust } from "./trusted-rules.ts";
import { unmatchedTools } from "./unmatched-tools.ts";

/** Parses sources and returns ordered rules and all problems. */

export interface LoadedConfig {
  readonly rules: readonly Rule[];
  readonly problems: readonly Problem[];
  /** The settings of the files, for files that are loaded later. */
  readonly settings?: readonly LayeredSettings[];
  /** The configured patience for an event, in milliseconds. */
  readonly eventPatienceMs?: number;
}

interface ReadSource {
  readonly source: Source;
  readonly format: ConfigFormat;
  readonly document: ConfigDocument | undefined;
  /** Problems because of which the source could not be read. */
  readonly problems: readonly Problem[];
}

export async function parseSources(
  sources: readonly Source[],
  above: readonly LayeredSettings[] = [],
  modelFunctions: readonly string[] = [],
): Promise<LoadedConfig> {
  const sourcesRead = (await Promise.all(sources.map(readSource))).map((one) => ({ ...one, ...settingsOf(one) }));
  const settings = [...above, ...sourcesRead.map(layeredSettings)];
  const effective = resolveSettings(settings);

  const ranked: { readonly layer: Layer; readonly rules: readonly Rule[] }[] = [];
  const filed: FiledRule[] = [];
  /** The number of rules that each file disables. */
  const disabled = new Map<LayeredSettings, number>();
  const problems: Problem[] = [];
  for (const { source, format, document, problems: sourceProblems } of sourcesRead) {
    const rules: Rule[] = [];
    const reported = source.loweredBy === undefined ? [] : [reportLowered(source.name, source.loweredBy)];
    reported.push(...sourceProblems);
    const { layer, baseDir, agent } = source;
    const compat = effective.compatOf(layer, source.compat);
    const defaults = effective.defaultsOf(layer);
    const quota = mayComeWithRepository(layer) ? new FileQuota() : undefined;
    const context = { layer, baseDir, defaults, agent, compat, quota, speakers: SPEAKERS };
    const parsed = document === undefined ? undefined : parseRules(format, document, context);
    reported.push(...(parsed?.problems ?? []));
    const fatal = sourceProblems.find((problem) => problem.severity === "error") ?? parsed?.fatal;
    // The events of the unread rules are not known, so the broken rule runs at every event.
    if (fatal !== undefined)
      rules.push(
        brokenRule(
          { dialect: source.dialect.name, codec: source.dialect.codec },
          source,
          // The name does not repeat the place, because the problem contains the place.
          { event: "*", name: "configuration" },
          fatal,
        ),
      );
    if (document !== undefined && parsed !== undefined) {
      const held = await applyLockFile(parsed.rules, source.lock, baseDir);
      const contract = effective.claudeContractOf(layer);
      const keyVariables = effective.keyVariablesFor(layer);
      const fromFile = {
        compat,
        ...(contract === undefined ? {} : { contract }),
        ...(keyVariables.length === 0 ? {} : { keyVariables }),
      };
      const found = findModelsAndServers(held.rules, effective, modelFunctions);
      const httpLists = effective.httpListsOf(layer);
      for (const rule of found.rules) {
        const exceptions = effective.exceptionsFor(rule);
        const excepted = exceptions.length === 0 ? {} : { exceptions };
        rules.push({ ...underHttpLists(rule, httpLists), ...fromFile, ...excepted });
      }
      reported.push(...held.problems, ...found.problems, ...unmatchedTools(parsed.rules, document, source.dialect));
      reported.push(...reportOwnKeys(document, source.dialect.name));
    }
    const isSkipped = compat === "faithful" && source.dialect.isDropInFolder?.(source.baseDir) === true;
    const read = isSkipped ? asDropIn({ rules, problems: reported }, source.name) : { rules, problems: reported };
    const outcome = source.trust === undefined ? read : await limitedByTrust(read, source, source.trust);
    problems.push(...firstProblems(outcome.problems, source.name));
    const written = outcome.rules.filter(({ implied }) => implied !== true);
    filed.push(...written.map((rule) => ({ rule, dialect: source.dialect.name })));
    const disabling = effective.disablingFile(source.layer, source.dialect.name);
    if (disabling !== undefined) disabled.set(disabling, (disabled.get(disabling) ?? 0) + written.length);
    if (!effective.isActive(source.layer, source.dialect.name)) continue;
    ranked.push({ layer: source.ranksAs ?? source.layer, rules: outcome.rules });
  }
  const rules = inOrder(ranked).flatMap((one) => one.rules);
  const { eventPatienceMs } = effective;
  return {
    rules: rules.map((rule) => underCeilings(withId(rule), effective.ceilings)),
    problems: [...problems, ...reportScope(settings, filed), ...reportDisabled(disabled)],
    ...(settings.some((one) => Object.keys(one.settings).length > 0) ? { settings } : {}),
    ...(eventPatienceMs === undefined ? {} : { eventPatienceMs }),
  };
}

/** Parses the rules of a file. `fatal` is the problem because of which no rule of the file counts. */
function parseRules(
  format: ConfigFormat,
  document: ConfigDocument,
  context: ParseContext,
): ParsedConfig & { readonly fatal?: Problem } {
  try {
    return format.parseRules(document, context);
  } catch (error) {
    if (!(error instanceof HookError) || error.code !== "HOOK_CONFIG_LIMIT") throw error;
    const { code, message, hint = "", place = { file: document.file } } = error;
    const fatal: Problem = { severity: "error", code, message, hint, place };
    return { rules: [], problems: [fatal], fatal };
  }
}

function layeredSettings({
  source: { layer, dialect },
  settings,
  document,
}: ReadSource & { readonly settings: ConfigSettings }): LayeredSettings {
  const places = document === undefined ? {} : placesOfSettings(settings, document);
  const placed = Object.keys(places).length === 0 ? {} : { places };
  return { layer, settings, dialect: dialect.name, ...placed };
}

async function readSource(source: Source): Promise<ReadSource> {
  const format = await source.dialect.configFormat();
  const { name, content } = source;
  switch (content.kind) {
    case "unreadable":
      return { source, format, document: undefined, problems: [content.problem] };
    case "text": {
      const bounds = mayComeWithRepository(source.layer) ? PROJECT_BOUNDS : undefined;
      const result = await readDocument(content.text, name, bounds);
      return { source, format, document: result.ok ? result.document : undefined, problems: result.problems };
    }
    case "value":
      try {
        const locate: ConfigDocument["locate"] = (path) => ({ file: name, pointer: pointerOf(path) });
        const document = { file: name, value: plainCopy(content.value), locate };
        return { source, format, document, problems: [] };
      } catch (error) {
        const message = describeThrown(error);
        const problem: Problem = { severity: "error", code: "HOOK_CONFIG_TYPE", message, place: { file: name } };
        return { source, format, document: undefined, problems: [problem] };
      }
  }
}

function settingsOf({
  source,
  format,
  document,
  problems: found,
}: ReadSource): ReturnType<ConfigFormat["parseSettings"]> {
  const { settings, problems } =
    document === undefined ? { settings: {}, problems: [] } : format.parseSettings(document, source);
  const all = [...found, ...problems];
  // A repository that is not approved sets nothing, not even for its own rules.
  if (source.trust !== undefined && source.trust.approval === undefined) return { settings: {}, problems: all };
  const isUnread = all.some(({ severity }) => severity === "error");
  return { settings: isUnread ? { ...settings, unread: true } : settings, problems: all };
}

/** Copies the value, so that the caller cannot change the value after the check. */
function plainCopy(value: unknown, depth = 0): unknown {
  if (depth > 64) throw new TypeError("the configuration is nested deeper than 64 levels, or contains itself");
  if (Array.isArray(value)) return value.map((item) => plainCopy(item, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainCopy(item, depth + 1)]));
}

const withId = (rule: Rule): Rule => ({ ...rule, id: `${rule.layer}:${rule.id}` });

function underHttpLists(rule: Rule, { urls, variables }: HttpLists): Rule {
  const { handler } = rule;
  if (handler.type !== "http") return rule;
  const allowedEnvVars = handler.allowedEnvVars.filter((name) => variables === undefined || variables.includes(name));
  return { ...rule, handler: { ...handler, allowedEnvVars, ...(urls === undefined ? {} : { allowedUrls: urls }) } };
}

/** Limits a rule's values to the managed defaults. A managed default is an upper limit for rules of other layers. */
function underCeilings(rule: Rule, ceilings: Partial<RuleDefaults>): Rule {
  if (rule.layer === "managed") return rule;
  const { handler } = rule;
  const most = ceilings[timeKeyOf(handler.type)];
  const timeoutMs = Math.min(rule.timeoutMs, most ?? Number.POSITIVE_INFINITY);
  if (handler.type !== "wasm") return { ...rule, timeoutMs };
  const limits = {
    ...handler.limits,
    memoryBytes: Math.min(handler.limits.memoryBytes, ceilings.wasmMemoryBytes ?? Number.POSITIVE_INFINITY),
    fuel: Math.min(handler.limits.fuel, ceilings.wasmFuel ?? Number.POSITIVE_INFINITY),
    fuelPerInputByte: Math.min(
      handler.limits.fuelPerInputByte,
      ceilings.wasmFuelPerInputByte ?? Number.POSITIVE_INFINITY,
    ),
  };
  return { ...rule, timeoutMs, handler: { ...handler, limits } };
}
