import { timeKeyOf } from "../dialects/default-timeout.ts";
import type { ConfigDocument, ConfigSettings } from "../dialects/dialect.ts";
import { formatPlace, type Place, type Problem } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import { type Layer, mayComeWithRepository, trustOf } from "../layer-trust.ts";
import type { Handler, Rule } from "../rule.ts";
import { type LayeredSettings, namesRule, OWN_FORMAT } from "./layered-settings.ts";
import type { Lowering } from "./sources.ts";

/** Reports settings that do not apply to more trusted rules. */

/** A rule and the format of its file. */
export interface FiledRule {
  readonly rule: Pick<Rule, "handler" | "layer" | "name">;
  readonly dialect: string;
}

interface ScopedSetting {
  /** The path of the setting in the file. */
  readonly path: readonly string[];
  isSet(settings: ConfigSettings): boolean;
  /** Whether the setting would change a rule of this kind. */
  binds(handler: Handler, settings: ConfigSettings, name: string): boolean;
}

const always = (): boolean => true;
const asksDefaultModel = (handler: Handler): boolean =>
  handler.type === "model" || handler.type === "agent" ? handler.model === undefined : isAsked(handler);
const isAsked = (handler: Handler): boolean => "choice" in handler && handler.choice !== undefined;
const asksNamedServer = (handler: Handler, { mcpServers = {} }: ConfigSettings): boolean =>
  handler.type === "mcp_tool" && Object.hasOwn(mcpServers, handler.server);
const isExcepted: ScopedSetting["binds"] = (handler, { exceptions = [] }, name) =>
  exceptions.some((one) => namesRule(one, { name, handler }));
const isWebHook = ({ type }: Handler): boolean => type === "http";
const isGuard = ({ type }: Handler): boolean => type === "wasm";
const ofTime =
  (key: ReturnType<typeof timeKeyOf>) =>
  ({ type }: Handler): boolean =>
    timeKeyOf(type) === key;

const DEFAULTS: readonly (readonly [
  key: keyof NonNullable<ConfigSettings["defaults"]>,
  path: string,
  binds: ScopedSetting["binds"],
])[] = [
  ["commandTimeoutMs", "command.timeoutMs", ofTime("commandTimeoutMs")],
  ["modelTimeoutMs", "model.timeoutMs", ofTime("modelTimeoutMs")],
  ["agentTimeoutMs", "agent.timeoutMs", ofTime("agentTimeoutMs")],
  ["wasmTimeoutMs", "wasm.timeoutMs", isGuard],
  ["wasmMemoryBytes", "wasm.memoryMiB", isGuard],
  ["wasmFuel", "wasm.fuel", isGuard],
  ["wasmFuelPerInputByte", "wasm.fuelPerInputByte", isGuard],
  ["eventPatienceMs", "event.patienceMs", always],
];

const DISABLE: ScopedSetting = {
  path: ["disableAllHooks"],
  isSet: (said) => said.disableAllHooks === true,
  binds: always,
};

const SCOPED: readonly ScopedSetting[] = [
  DISABLE,
  { path: ["compat"], isSet: (said) => said.compat === "faithful", binds: always },
  { path: ["claudeContract"], isSet: (said) => said.claudeContract !== undefined, binds: always },
  { path: ["allowedHttpHookUrls"], isSet: (said) => said.allowedHttpHookUrls !== undefined, binds: isWebHook },
  { path: ["httpHookAllowedEnvVars"], isSet: (said) => said.httpHookAllowedEnvVars !== undefined, binds: isWebHook },
  { path: ["defaultModel"], isSet: (said) => said.defaultModel !== undefined, binds: asksDefaultModel },
  { path: ["modelProviders"], isSet: (said) => said.modelProviders !== undefined, binds: isAsked },
  { path: ["mcpServers"], isSet: (said) => said.mcpServers !== undefined, binds: asksNamedServer },
  { path: ["exceptions"], isSet: ({ exceptions = [] }) => exceptions.length > 0, binds: isExcepted },
  ...DEFAULTS.map(
    ([key, path, binds]): ScopedSetting => ({
      path: ["defaults", ...path.split(".")],
      isSet: ({ defaults }) => defaults?.[key] !== undefined,
      binds,
    }),
  ),
];

/** Settings that only managed files can have. */
const MANAGED_ONLY: readonly (readonly [keyof ConfigSettings, path: string])[] = [
  ["allowManagedHooksOnly", "allowManagedHooksOnly"],
  ["pluginHooksOnly", "strictPluginOnlyCustomization"],
];

const nameOf = ({ path }: Pick<ScopedSetting, "path">): string => path.join(".");

/** Returns the places of the settings that {@link reportScope} may report. */
export function placesOfSettings(settings: ConfigSettings, document: ConfigDocument): Readonly<Record<string, Place>> {
  const scoped = SCOPED.filter(({ isSet }) => isSet(settings)).map(({ path }) => path);
  if (settings.disableAllHooks === false) scoped.push(DISABLE.path);
  const managed = MANAGED_ONLY.filter(([key]) => settings[key] === true).map(([, path]) => [path]);
  return Object.fromEntries([...scoped, ...managed].map((path) => [path.join("."), document.locate(path, "key")]));
}

/**
 * Returns a warning for each setting that would change some of `rules` but does not apply to them. These rules are more
 * trusted than the setting's file, or belong to another agent.
 */
export function reportScope(files: readonly LayeredSettings[], rules: readonly FiledRule[]): readonly Problem[] {
  return files.flatMap((file) => [
    ...managedSwitches(file),
    ...overruledSwitch(file, files),
    ...SCOPED.flatMap((setting) => {
      const place = file.places?.[nameOf(setting)];
      if (place === undefined || !setting.isSet(file.settings)) return [];
      const above = rules.filter(
        ({ rule }) =>
          trustOf(rule.layer) > trustOf(file.layer) && setting.binds(rule.handler, file.settings, rule.name),
      );
      return above.length > 0 ? [warning(setting, place, scopeOf(file.layer), above.length)] : [];
    }),
    ...agentSwitch(file, rules),
  ]);
}

/** Warns of a `disableAllHooks: false` that cannot override a more trusted `true`. */
function overruledSwitch(file: LayeredSettings, files: readonly LayeredSettings[]): readonly Problem[] {
  const place = file.places?.["disableAllHooks"];
  const isOverruled = files.some(
    ({ layer, settings }) => trustOf(layer) > trustOf(file.layer) && settings.disableAllHooks === true,
  );
  if (file.settings.disableAllHooks !== false || place === undefined || !isOverruled) return [];
  const message = '"disableAllHooks" has no effect: a more trusted file switches these hooks off';
  return [{ severity: "warning", code: "HOOK_CONFIG_SCOPE", message, place, hint: "remove it" }];
}

/** Warns of switches that take effect, because nothing else shows that the disabled rules exist. */
export function reportDisabled(counts: ReadonlyMap<LayeredSettings, number>): readonly Problem[] {
  return [...counts].flatMap(([{ places }, count]): readonly Problem[] => {
    const place = places?.["disableAllHooks"];
    if (place === undefined || count === 0) return [];
    const what = count === 1 ? "1 rule off: it is not asked" : `${count} rules off: none of them is asked`;
    const message = `"disableAllHooks" switches ${what}`;
    return [
      { severity: "warning", code: "HOOK_CONFIG_DISABLED", message, place, hint: "remove it to have them asked" },
    ];
  });
}

/** Warns of an agent's own switch that does not apply to hooks of other agents. */
function agentSwitch(
  { layer, settings, dialect = OWN_FORMAT, places }: LayeredSettings,
  rules: readonly FiledRule[],
): readonly Problem[] {
  const place = places?.["disableAllHooks"];
  if (dialect === OWN_FORMAT || settings.disableAllHooks !== true || place === undefined) return [];
  // Switches that do not disable more trusted rules have already been reported.
  if (rules.some(({ rule }) => trustOf(rule.layer) > trustOf(layer))) return [];
  const others = rules.filter((one) => one.dialect !== dialect && trustOf(one.rule.layer) <= trustOf(layer));
  return others.length === 0 ? [] : [warning(DISABLE, place, `the hooks of ${dialect} files`, others.length)];
}

function managedSwitches({ layer, places }: LayeredSettings): readonly Problem[] {
  if (layer === "managed") return [];
  return MANAGED_ONLY.flatMap(([, path]): readonly Problem[] => {
    const place = places?.[path];
    if (place === undefined) return [];
    const message = `"${path}" counts in managed settings only, and has no effect here`;
    return [{ severity: "warning", code: "HOOK_CONFIG_SCOPE", message, place, hint: "remove it" }];
  });
}

function warning(setting: ScopedSetting, place: Place, scope: string, count: number): Problem {
  const rules = count === 1 ? "1 other rule keeps its own settings" : `${count} other rules keep their own settings`;
  return {
    severity: "warning",
    code: "HOOK_CONFIG_SCOPE",
    message: `"${nameOf(setting)}" applies only to ${scope}; ${rules}`,
    hint: "to apply it to your own rules, set it in your own configuration: ~/.config/hookbox/hookbox.json",
    place,
  };
}

function scopeOf(layer: Layer): string {
  return mayComeWithRepository(layer) ? "the rules of project files" : "rules that are not managed";
}

/** Keys of hookbox's format that no agent's format has. */
const OWN_KEYS = ["compat", "claudeContract", "defaults", "defaultModel", "modelProviders"];

/** Warns of hookbox's own settings in an agent's file, where these settings have no effect. */
export function reportOwnKeys({ value, locate }: ConfigDocument, format: string): readonly Problem[] {
  if (format === OWN_FORMAT || !isJsonObject(value)) return [];
  return OWN_KEYS.filter((key) => Object.hasOwn(value, key)).map((key) => ({
    severity: "warning",
    code: "HOOK_CONFIG_SCOPE",
    message: `"${key}" has no effect in a ${format} file`,
    hint: `write it in a hookbox.json, and name both files with --config${key === "compat" ? ", or give --compat" : ""}`,
    place: locate([key], "key"),
  }));
}

/** Warns of a file that an environment variable names and that is therefore less trusted. */
export function reportLowered(file: string, { variable, because }: Lowering): Problem {
  const { why, hint } = LOWERED[because];
  return {
    severity: "warning",
    code: "HOOK_CONFIG_SCOPE",
    message: `${variable} leads ${why}, so ${formatPlace({ file })} counts as a project's file`,
    hint,
    place: { file, line: 1, column: 1 },
  };
}

const LOWERED: Readonly<Record<Lowering["because"], { readonly why: string; readonly hint: string }>> = {
  project: {
    why: "into the project",
    hint: "keep your own configuration outside of the project, or in the home folder of your account",
  },
  account: {
    why: "away from the home folder of your account, which has its own configuration",
    hint: "keep all of your own configuration in the home folder of your account",
  },
};
