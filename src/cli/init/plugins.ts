import { cpSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { valueAt } from "../../dialects/hook-sections.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../json.ts";
import { belongsToProject } from "../../project-folder.ts";
import { type HooksFile, openHooksFile } from "../hooks/hooks-file.ts";
import { usersFile } from "./users-file.ts";
import { whyStays } from "./why-stays.ts";

/**
 * The user's plugins of Claude Code that have hooks. Claude Code can only switch off a whole plugin, so hooks of a plugin
 * move only if the user agrees to lose the plugin's other parts.
 */
export interface Plugin {
  /** The name in `enabledPlugins`. */
  readonly name: string;
  readonly root: string;
  readonly file: HooksFile;
}

export interface Plugins {
  readonly movable: readonly Plugin[];
  readonly staying: readonly { readonly label: string; readonly why: string }[];
}

const HOOKS = "hooks/hooks.json";

/** Returns the plugins that the settings switch on, and why the hooks of a plugin cannot move. */
export async function pluginsWithHooks({ path, value, dialect }: HooksFile, cwd: string): Promise<Plugins> {
  const folder = join(dirname(path), "plugins");
  const [installed, marketplaces] = ["installed_plugins.json", "known_marketplaces.json"].map((name) =>
    objectIn(join(folder, name)),
  ) as [JsonObject, JsonObject];
  const enabled = valueAt(value, ["enabledPlugins"]);
  const names = isJsonObject(enabled) ? Object.keys(enabled).filter((name) => enabled[name] === true) : [];
  const movable: Plugin[] = [];
  const staying: { label: string; why: string }[] = [];
  for (const name of names) {
    const root = rootOf(installed, name);
    if (root === undefined) continue;
    const manifest = objectIn(join(root, ".claude-plugin/plugin.json"));
    const file = await openHooksFile(join(root, HOOKS), dialect.name, { cwd, mayBeNew: true }).catch(() => undefined);
    if (file === undefined) {
      staying.push({ label: `plugin ${name}`, why: "its hooks cannot be read" });
      continue;
    }
    if (file.hooks.length === 0 && manifest["hooks"] === undefined) continue;
    const why = isFolder(marketplaces, name)
      ? "its marketplace is a folder"
      : belongsToProject(root, cwd)
        ? "it belongs to the project"
        : whyPluginStays(manifest, file, name);
    if (why === undefined) movable.push({ name, root, file });
    else staying.push({ label: `plugin ${name}`, why });
  }
  return { movable, staying };
}

function objectIn(file: string): JsonObject {
  try {
    return parseJsonObject(readFileSync(file, "utf8")) ?? {};
  } catch {
    return {};
  }
}

/** Returns the folder of a plugin that is installed for the user, and not for a project. */
function rootOf(installed: JsonObject, name: string): string | undefined {
  const places = valueAt(installed, ["plugins", name]);
  const own = Array.isArray(places) ? places.filter(isJsonObject).find(({ scope }) => scope === "user") : undefined;
  return typeof own?.["installPath"] === "string" ? own["installPath"] : undefined;
}

/** Claude Code runs a plugin of such a marketplace in that folder, and not in the folder where it is installed. */
function isFolder(marketplaces: JsonObject, name: string): boolean {
  const source = valueAt(marketplaces, [name.slice(name.lastIndexOf("@") + 1), "source", "source"]);
  return source === "directory" || source === "file";
}

function whyPluginStays(manifest: JsonObject, { hooks, value, text }: HooksFile, name: string): string | undefined {
  if (!/^[\w-][\w.-]*@[\w-][\w.-]*$/.test(name)) return "its name is no name of a folder";
  if (manifest["hooks"] !== undefined) return "its manifest has the hooks";
  if (manifest["userConfig"] !== undefined || /CLAUDE_PLUGIN_(DATA|OPTION)|\$\{user_config/.test(text))
    return "its hooks need values that only the agent has";
  for (const { entry, canonicalEvent } of hooks) {
    const why = entry === undefined ? undefined : whyStays(valueAt(value, entry.path), canonicalEvent);
    if (why !== undefined) return `a hook of it stays: ${why}`;
  }
  return undefined;
}

/** Returns the folder of a plugin's copy, which stays when Claude Code updates or removes the plugin. */
export function copyOf({ name }: Pick<Plugin, "name">): string {
  return join(dirname(usersFile()), "plugins", name);
}

export function copiedHooks(plugin: Plugin): string {
  return join(copyOf(plugin), HOOKS);
}

export function writeCopies(plugins: readonly Plugin[]): void {
  for (const plugin of plugins) {
    rmSync(copyOf(plugin), { recursive: true, force: true });
    cpSync(plugin.root, copyOf(plugin), { recursive: true, preserveTimestamps: true });
  }
}
