import { dirname, isAbsolute, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { editText } from "../../config/edit-keeping-comments.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { createEngine, type Engine } from "../../engine.ts";
import { HookError } from "../../errors.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { leadsIntoProject } from "../../project-folder.ts";
import type { Rule } from "../../rule.ts";
import { readTextRules } from "../convert/read-rules.ts";
import { removeHook } from "../hooks/changes.ts";
import type { HooksFile } from "../hooks/hooks-file.ts";
import { samplesOf, variantsFor } from "../hooks/sample-events.ts";
import { isOwn, withText } from "./own-entries.ts";
import { usersFile } from "./users-file.ts";

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
  readonly events: readonly string[];
  /** How long the agent has to wait at an event, in seconds, so that the hooks keep their timeouts. */
  readonly patienceS: Readonly<Record<string, number>>;
  /** Variables of the agent that the hooks may read. */
  readonly variables: readonly string[];
}

/** Settings that decide about web hooks. */
const SETTINGS = ["allowedHttpHookUrls", "httpHookAllowedEnvVars"];

/** Variables that scripts expect. */
const VARIABLES = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "SSH_AUTH_SOCK"];

export async function absorb(
  file: HooksFile,
  { agent, cwd, project }: { readonly agent: string; readonly cwd: string; readonly project: boolean },
): Promise<Absorbed> {
  if (agent !== "claude-code") throw refusal("only hooks of Claude Code can move", "leave out --absorb");
  // A file of a project has less trust than the user's configuration.
  if (project || leadsIntoProject(file.path, cwd))
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
  const target = join(dirname(usersFile()), `absorbed.${agent}.json`);
  const text = `${JSON.stringify(configOf(file.value, moved), null, 2)}\n`;
  const rules = await provenEqual({ before: file, after: now, target, text });
  return {
    file: now,
    moved,
    stayed,
    target,
    text,
    events: [...new Set(moved.map(({ event }) => event))],
    patienceS: patienceOf(rules),
    variables: variablesOf(file.value, moved),
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

/** Returns why a hook stays in the agent's settings. */
function whyStays(hook: unknown, event: string | null): string | undefined {
  if (!isJsonObject(hook) || event === null) return "hookbox does not know it";
  if (isOwn(hook)) return "it is hookbox's own";
  const { type = "command" } = hook;
  if (type !== "command" && type !== "http") return "the agent has its model or server";
  if (hook["async"] === true || hook["asyncRewake"] === true) return "no call waits for it";
  if (hook["once"] !== undefined) return "the agent counts its runs";
  if (
    Array.isArray(hook["args"]) &&
    /^[^/\\~$][^/\\]*[/\\]/.test(String(hook["command"])) &&
    !isAbsolute(String(hook["command"]))
  )
    return "it names a program by a path that depends on the folder of the file";
  return event === "WorktreeCreate" ? "it prints the path of a folder" : undefined;
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
function variablesOf(settings: unknown, moved: readonly Moved[]): readonly string[] {
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

/** Puts hooks back at the end of their events. */
export async function putBack(file: HooksFile, moved: readonly Moved[]): Promise<HooksFile> {
  let now = file;
  for (const { event, group } of moved) {
    const groups = valueAt(now.value, ["hooks", event]);
    const path = ["hooks", event, Array.isArray(groups) ? groups.length : 0];
    const text = now.text.trim() === "" ? "{}\n" : now.text;
    now = await withText(now, await editText(text, now.name, { op: "insert", path, value: group }));
  }
  return now;
}

/**
 * Compares the rules before and after the move: the same rules, in the same order, selected for the same sample events.
 * No hook runs. Throws if there is a difference. Returns the rules that move.
 */
async function provenEqual({
  before,
  after,
  target,
  text,
}: {
  readonly before: HooksFile;
  readonly after: HooksFile;
  readonly target: string;
  readonly text: string;
}): Promise<readonly Rule[]> {
  const { dialect, path } = before;
  const read = async (content: string, file: string): Promise<readonly Rule[]> =>
    content.trim() === "" ? [] : (await readTextRules(content, file, dialect, dirname(path))).rules;
  const [all, stay, move] = [await read(before.text, path), await read(after.text, path), await read(text, target)];
  for (const event of new Set(all.map((rule) => rule.event))) {
    const of = (rules: readonly Rule[]): string[] => rules.filter((rule) => rule.event === event).map(signatureOf);
    if (!isMerge(of(all), of(stay), of(move)))
      throw refusal(`the hooks at ${event} would not be the same rules`, "leave out --absorb");
  }
  const [whole, split] = await Promise.all([
    engineOf([{ file: path, text: before.text }], dialect.name),
    engineOf(
      [
        { file: path, text: after.text },
        { file: target, text },
      ],
      dialect.name,
    ),
  ]);
  try {
    for (const rule of all) {
      const samples = samplesOf(dialect, rule.event, dirname(path));
      for (const payload of variantsFor(samples, rule, dialect.name))
        if (!isDeepStrictEqual(selected(whole, rule.event, payload), selected(split, rule.event, payload)))
          throw refusal(`other hooks would run at ${rule.event}`, "leave out --absorb");
    }
  } finally {
    await Promise.all([whole.close(), split.close()]);
  }
  return move;
}

function engineOf(
  files: readonly { readonly file: string; readonly text: string }[],
  dialect: string,
): Promise<Engine> {
  return createEngine({
    configFiles: files.map((one) => ({ ...one, dialect, layer: "command-line" as const })),
    sandbox: { threads: 1 },
    askServers: "none",
  });
}

function selected(engine: Engine, event: string, payload: JsonObject): readonly string[] {
  const matched = engine.explain(event, payload).filter(({ applies }) => applies);
  return matched.map(({ rule }) => signatureOf(rule)).sort();
}

/** Whether the rules in `left` and `right` are those in `all`, in their order. */
function isMerge(all: readonly string[], left: readonly string[], right: readonly string[]): boolean {
  const rest = [[...left], [...right]];
  return all.every((one) => rest.find(([first]) => first === one)?.shift() !== undefined) && rest.flat().length === 0;
}

/** Everything that decides what a command hook or a web hook does, without its name and place. */
function signatureOf({
  id: _,
  name: _name,
  place: _place,
  codec: _codec,
  identity: _identity,
  baseDir: _folder,
  ...rule
}: Rule): string {
  // The problem of a rule that cannot be loaded names a line, and such a hook stays in the settings.
  return JSON.stringify(rule.handler.type === "broken" ? { ...rule, handler: "broken" } : rule);
}

function refusal(message: string, hint: string): HookError {
  return new HookError("HOOK_INIT_ABSORB", message, { hint });
}
