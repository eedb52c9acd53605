import { resolve } from "node:path";
import type { z } from "zod";
import type { Problem } from "../../errors.ts";
import type { RuleException } from "../../exception.ts";
import { isJsonObject } from "../../json.ts";
import { mayComeWithRepository } from "../../layer-trust.ts";
import { KNOWN_PROVIDERS } from "../../models/providers.ts";
import type { McpServer } from "../../rule.ts";
import { kindOf } from "../../schema-issue.ts";
import { fits, problemAt, schemaProblems } from "../config-problems.ts";
import type { ConfigDocument, ConfigFormat, ConfigSettings } from "../dialect.ts";
import { type FileOrigin, isHttpServer, toServer } from "../mcp-servers.ts";
import { expandHome } from "./grants/expand-home.ts";
import { withFormatHints } from "./hint-at-format.ts";
import { HTTP, SettingsSchema, STDIO } from "./settings-schema.ts";

/** Reads the settings of a `hookbox.json` other than hooks. */

const MIB = 1_048_576;

type Settings = z.infer<typeof SettingsSchema>;

export function parseSettings(document: ConfigDocument, file: FileOrigin): ReturnType<ConfigFormat["parseSettings"]> {
  const { value: said } = document;
  if (!isJsonObject(document.value)) {
    const message = `the configuration must be an object, not ${kindOf(document.value)}`;
    return { settings: {}, problems: [problemAt(document, "HOOK_CONFIG_TYPE", [], message)] };
  }
  if (!fits(SettingsSchema, said)) {
    const malformed = schemaProblems(document, SettingsSchema, said, []);
    return { settings: {}, problems: withFormatHints(document, malformed) };
  }
  const { $schema, version, description, hooks, mcpServers, modelProviders: _, defaults, exceptions, ...kept } = said;
  const { servers, problems: ofServers } = readServers(document, said.mcpServers, file);
  const problemsOfProviders = providerProblems(document, said.modelProviders, file);
  // A problem with a provider keeps the gates shut. The other settings are kept, because they restrict other hooks.
  const modelProviders = problemsOfProviders.length > 0 ? undefined : said.modelProviders;
  const excepted = readExceptions(document, exceptions, file);
  const problems = [...problemsOfProviders, ...ofServers, ...excepted.problems, ...renamedKeys(document, defaults)];
  const settings: ConfigSettings = {
    ...kept,
    ...(modelProviders === undefined ? {} : { modelProviders }),
    ...(servers === undefined ? {} : { mcpServers: servers }),
    ...(exceptions === undefined ? {} : { exceptions: excepted.exceptions }),
    defaults: defaultsOf(defaults),
  };
  return { settings, problems };
}

function defaultsOf({
  command,
  model,
  agent,
  event,
  wasm,
}: NonNullable<Settings["defaults"]> = {}): NonNullable<ConfigSettings["defaults"]> {
  const patienceMs = event?.patienceMs ?? event?.budgetMs;
  return {
    ...(command?.timeoutMs === undefined ? {} : { commandTimeoutMs: command.timeoutMs }),
    ...(model?.timeoutMs === undefined ? {} : { modelTimeoutMs: model.timeoutMs }),
    ...(agent?.timeoutMs === undefined ? {} : { agentTimeoutMs: agent.timeoutMs }),
    ...(patienceMs === undefined ? {} : { eventPatienceMs: patienceMs }),
    ...(wasm?.timeoutMs === undefined ? {} : { wasmTimeoutMs: wasm.timeoutMs }),
    ...(wasm?.memoryMiB === undefined ? {} : { wasmMemoryBytes: wasm.memoryMiB * MIB }),
    ...(wasm?.fuel === undefined ? {} : { wasmFuel: wasm.fuel }),
    ...(wasm?.fuelPerInputByte === undefined ? {} : { wasmFuelPerInputByte: wasm.fuelPerInputByte }),
  };
}

function renamedKeys(document: ConfigDocument, { event }: NonNullable<Settings["defaults"]> = {}): readonly Problem[] {
  if (event?.budgetMs === undefined) return [];
  const isIgnored = event.patienceMs !== undefined;
  const message = `"budgetMs" is the old name of "patienceMs"${isIgnored ? ' and is ignored, because "patienceMs" is set' : ""}`;
  const hint = isIgnored ? 'remove "budgetMs"' : `write "patienceMs": ${event.budgetMs}`;
  const options = { hint, severity: "warning", part: "key" } as const;
  return [problemAt(document, "HOOK_CONFIG_RENAMED", ["defaults", "event", "budgetMs"], message, options)];
}

/** Checks the model providers, because a provider receives the user's key and the event. */
function providerProblems(
  document: ConfigDocument,
  providers: Settings["modelProviders"],
  { layer }: FileOrigin,
): readonly Problem[] {
  if (providers === undefined) return [];
  if (mayComeWithRepository(layer)) {
    const message = "a file that may come with a repository cannot define model providers";
    const hint = "put modelProviders into your own configuration: ~/.config/hookbox/hookbox.json";
    return [problemAt(document, "HOOK_CONFIG_TRUST", ["modelProviders"], message, { hint, part: "key" })];
  }
  return Object.entries(providers).flatMap(([name, { type, baseUrl }]) => {
    if (Object.hasOwn(KNOWN_PROVIDERS, name) || (type !== undefined && baseUrl !== undefined)) return [];
    const lacks = [...(type === undefined ? ['"type"'] : []), ...(baseUrl === undefined ? ['"baseUrl"'] : [])];
    const message = `unknown provider "${name}", so it needs ${lacks.join(" and ")}`;
    const hint = `known: ${Object.keys(KNOWN_PROVIDERS).join(", ")}`;
    return [problemAt(document, "HOOK_CONFIG_TYPE", ["modelProviders", name], message, { hint })];
  });
}

function readExceptions(
  document: ConfigDocument,
  written: Settings["exceptions"] = [],
  { baseDir }: FileOrigin,
): { readonly exceptions: readonly RuleException[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const exceptions = written.flatMap((one, index): readonly RuleException[] => {
    const directory = expandHome(one.directory);
    const path = ["exceptions", index] as const;
    if (typeof directory === "string")
      return [{ ...one, directory: resolve(baseDir, directory), place: document.locate(path) }];
    const { message, hint } = directory;
    const hinted = hint === undefined ? {} : { hint };
    problems.push(problemAt(document, "HOOK_CONFIG_TYPE", [...path, "directory"], message, hinted));
    return [];
  });
  return { exceptions, problems };
}

function readServers(
  document: ConfigDocument,
  written: Settings["mcpServers"],
  file: FileOrigin,
): { readonly servers: Readonly<Record<string, McpServer>> | undefined; readonly problems: readonly Problem[] } {
  if (written === undefined) return { servers: undefined, problems: [] };
  const problems: Problem[] = [];
  const servers: [string, McpServer][] = [];
  for (const [name, value] of Object.entries(written)) {
    const path = ["mcpServers", name];
    const malformed = schemaProblems(document, isHttpServer(value) ? HTTP : STDIO, value, path);
    problems.push(...malformed);
    if (malformed.length > 0) continue;
    const server = toServer(value, file);
    if ("refused" in server) {
      const { code, key, message, hint } = server.refused;
      problems.push(problemAt(document, code, [...path, key], message, { hint }));
    } else servers.push([name, server]);
  }
  return { servers: Object.fromEntries(servers), problems };
}
