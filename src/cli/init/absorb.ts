import { dirname, join } from "node:path";
import { editText } from "../../config/edit-keeping-comments.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { belongsToProject } from "../../project-folder.ts";
import type { Rule } from "../../rule.ts";
import { removeHook } from "../hooks/changes.ts";
import type { HooksFile } from "../hooks/hooks-file.ts";
import { isOwn, withText } from "./own-entries.ts";
import { type Plugin, pluginsWithHooks } from "./plugins.ts";
import { provenEqual, refusal } from "./prove-equal.ts";
import { usersFile } from "./users-file.ts";
import { whyStays } from "./why-stays.ts";

/** Moves the hooks of the user's settings into a configuration of hookbox, in the agent's own format. */

export interface Moved {
  readonly event: string;
  /** The hook in a group of its own, with the keys of its former group. */
  readonly group: JsonObject;
}

export interface Absorbed {
  /** The settings without the hooks that move. */
  readonly file: HooksFile;
  readonly moved: readonly Moved[];
  readonly stayed: readonly { readonly label: string; readonly why: string }[];
  readonly target: string;
  readonly text: string;
  /** Plugins whose hooks move, and which are switched off. */
  readonly plugins: readonly Plugin[];
  readonly events: readonly string[];
  /** How long the agent has to wait at an event, in seconds, so that the hooks keep their timeouts. */
  readonly patienceS: Readonly<Record<string, number>>;
  /** Variables of the agent that the hooks may read. */
  readonly variables: readonly string[];
}

interface Absorption {
  readonly agent: string;
  readonly cwd: string;
  readonly project: boolean;
  /** Whether the hooks of plugins move too. */
  readonly plugins: boolean;
  /** Whether hooks run on samples first. */
  readonly tries: boolean;
}

/** Settings that decide about web hooks. */
const SETTINGS = ["allowedHttpHookUrls", "httpHookAllowedEnvVars"];

/** Variables that scripts expect. */
const VARIABLES = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "SSH_AUTH_SOCK"];

export async function absorb(
  file: HooksFile,
  { agent, cwd, project, plugins: alsoPlugins, tries }: Absorption,
): Promise<Absorbed> {
  if (agent !== "claude-code") throw refusal("only hooks of Claude Code can move", "leave out --absorb");
  // A file of a project has less trust than the user's configuration.
  if (project || belongsToProject(file.path, cwd))
    throw refusal(
      `${file.path} belongs to a project, and its hooks must not get the trust of your own`,
      "leave out --absorb",
    );
  if (file.isOff) throw refusal("the hooks of the file are switched off", "switch them on, or remove them");
  const moved: Moved[] = [];
  const stayed: { readonly label: string; readonly why: string }[] = [];
  const refused = new Set<unknown>();
  let now = file;
  for (;;) {
    const hook = now.hooks.find(({ entry }) => entry !== undefined && !refused.has(keyOf(now, entry)));
    if (hook?.entry === undefined) break;
    const { path, group, event } = hook.entry;
    const value = valueAt(now.value, path);
    const why = whyStays(value, hook.canonicalEvent);
    if (why === undefined) {
      const head = group === null ? {} : Object.entries(valueAt(now.value, group) as JsonObject);
      const keys = Object.fromEntries((Array.isArray(head) ? head : []).filter(([key]) => key !== "hooks"));
      moved.push({ event, group: { ...keys, hooks: [value as JsonObject] } });
      now = await withText(now, (await removeHook(now, hook)).text);
    } else {
      refused.add(keyOf(now, hook.entry));
      if (!isOwn(value)) stayed.push({ label: `${event}: ${hook.summary}`, why });
    }
  }
  const { movable, staying } = await pluginsWithHooks(file, cwd);
  const plugins = alsoPlugins ? movable : [];
  stayed.push(...staying);
  if (!alsoPlugins)
    stayed.push(
      ...movable.map(({ name }) => ({
        label: `plugin ${name}`,
        why: "with --plugins its hooks move, and the plugin is switched off",
      })),
    );
  for (const { name } of plugins) {
    const path = ["enabledPlugins", name];
    now = await withText(now, await editText(now.text, now.name, { op: "set", path, value: false }));
  }
  const target = join(dirname(usersFile()), `absorbed.${agent}.json`);
  const text = `${JSON.stringify(configOf(file.value, moved), null, 2)}\n`;
  const move = { before: file, after: now, target, text, plugins };
  const rules = await provenEqual(move);
  const variables = variablesOf(file.value, [moved, plugins.map((plugin) => plugin.file.value)]);
  if (tries) await (await import("./try-hooks.ts")).tryHooks(move, rules, { variables, cwd });
  return {
    file: now,
    moved,
    stayed,
    target,
    text,
    plugins,
    events: [...new Set([...moved, ...plugins.flatMap((plugin) => plugin.file.hooks)].map(({ event }) => event))],
    patienceS: patienceOf(rules),
    variables,
  };
}

/** Identifies a hook by its content and by its number among the hooks that stay. */
function keyOf(
  file: HooksFile,
  entry: { readonly path: readonly (string | number)[]; readonly event: string },
): string {
  const same = file.hooks.filter((one) => one.entry?.event === entry.event);
  return `${entry.event} ${same.findIndex((one) => one.entry?.path === entry.path)} ${JSON.stringify(valueAt(file.value, entry.path))}`;
}

function configOf(settings: unknown, moved: readonly Moved[]): JsonObject {
  const kept = SETTINGS.flatMap((key) => {
    const value = valueAt(settings, [key]);
    return value === undefined ? [] : [[key, value as JsonObject]];
  });
  const hooks: Record<string, JsonObject[]> = {};
  for (const { event, group } of moved) hooks[event] = [...(hooks[event] ?? []), group];
  return { ...Object.fromEntries(kept), hooks };
}

/** Returns the variables that the hooks name, and those that the settings set for hooks. */
function variablesOf(settings: unknown, moved: readonly unknown[]): readonly string[] {
  const named = [...JSON.stringify(moved).matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name = ""]) => name);
  const set = valueAt(settings, ["env"]);
  return [...new Set([...VARIABLES, ...(isJsonObject(set) ? Object.keys(set) : []), ...named])];
}

/** hookbox answers when nine tenths of the patience are over, so the patience exceeds the longest timeout. */
function patienceOf(rules: readonly Rule[]): Readonly<Record<string, number>> {
  const seconds: Record<string, number> = {};
  for (const { event, timeoutMs } of rules)
    seconds[event] = Math.max(seconds[event] ?? 0, Math.ceil(timeoutMs / 900) + 1);
  return seconds;
}

/** Puts hooks back at the end of their events, and switches plugins on again. */
export async function putBack(
  file: HooksFile,
  moved: readonly Moved[],
  plugins: readonly string[],
): Promise<HooksFile> {
  let now = file;
  for (const name of plugins) {
    const path = ["enabledPlugins", name];
    if (valueAt(now.value, path) !== false) continue;
    now = await withText(now, await editText(now.text, now.name, { op: "set", path, value: true }));
  }
  for (const { event, group } of moved) {
    const groups = valueAt(now.value, ["hooks", event]);
    const path = ["hooks", event, Array.isArray(groups) ? groups.length : 0];
    const text = now.text.trim() === "" ? "{}\n" : now.text;
    now = await withText(now, await editText(text, now.name, { op: "insert", path, value: group }));
  }
  return now;
}
