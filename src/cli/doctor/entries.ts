import { existsSync } from "node:fs";
import { join } from "node:path";
import { callersEnvironment } from "../../caller.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { dialectNamed } from "../../dialects/registry.ts";
import { describeThrown } from "../../errors.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { accountHome, environmentHome } from "../../project-folder.ts";
import { type HooksFile, openHooksFile } from "../hooks/hooks-file.ts";
import type { Listed } from "../hooks/listed-hooks.ts";
import { AGENTS, type AgentSetup } from "../init/agents.ts";

/** Finds the hooks in agents' settings that start hookbox, by what is in the files. */

/** A settings file of an agent. */
export interface AgentSettings {
  readonly agent: string;
  readonly title: string;
  readonly file: string;
  readonly dialect: Dialect;
  /** `undefined`: the file cannot be read, and `error` says why. */
  readonly opened: HooksFile | undefined;
  readonly error?: string;
  readonly entries: readonly Entry[];
}

/** A hook that starts hookbox. */
export interface Entry {
  readonly agent: string;
  readonly file: HooksFile;
  readonly hook: Listed;
  /** The command line as words. */
  readonly words: readonly string[];
  /** The timeout in the file, in milliseconds. `undefined`: none is written. */
  readonly timeoutMs: number | undefined;
}

/** Returns the settings files of an agent, or of all agents, that exist. */
export async function agentSettings(name: string | undefined, cwd: string): Promise<readonly AgentSettings[]> {
  const wanted = Object.entries(AGENTS).filter(([one]) => name === undefined || one === name);
  const all = await Promise.all(wanted.map(([one, setup]) => settingsOf(one, setup, cwd)));
  return all.flat();
}

async function settingsOf(
  name: string,
  { title, dialect: format, user, project }: AgentSetup,
  cwd: string,
): Promise<AgentSettings[]> {
  const dialect = dialectNamed(format) as Dialect;
  const home = environmentHome() ?? accountHome() ?? cwd;
  const variables = callersEnvironment();
  const places = name === format ? ((await dialect.places?.({ cwd, home, variables })) ?? []) : [];
  const usual = [user(home, variables), project && join(cwd, project)].flatMap((file) => file ?? []);
  const paths = [...new Set([...places.map(({ file }) => file), ...usual])].filter((file) => existsSync(file));
  return Promise.all(
    paths.map(async (file) => {
      const found = { agent: name, title, file, dialect };
      try {
        const opened = await openHooksFile(`${format}:${file}`, undefined, { cwd });
        const entries = opened.hooks.flatMap((hook) => entryOf(name, opened, hook) ?? []);
        return { ...found, opened, entries };
      } catch (error) {
        return { ...found, opened: undefined, error: describeThrown(error), entries: [] };
      }
    }),
  );
}

/** A relay, or the command line with a verb that answers events. */
const STARTS_HOOKBOX = /(^|[/\\])(relay-linux-\w+|relay\.sh)$|(^|[/\\])hookbox(\.cjs)?$/;

function entryOf(agent: string, file: HooksFile, hook: Listed): Entry | undefined {
  const value = hook.entry === undefined ? undefined : valueAt(file.value, hook.entry.path);
  if (!isJsonObject(value) || typeof value["command"] !== "string") return undefined;
  const { command, args } = value as JsonObject & { command: string };
  const words = Array.isArray(args) ? [command, ...args.map(String)] : wordsOf(command);
  if (!words.some((word) => STARTS_HOOKBOX.test(word))) return undefined;
  const timeout = value["timeout"];
  const unitMs = file.dialect.name === "autohand" ? 1 : 1_000;
  return { agent, file, hook, words, timeoutMs: typeof timeout === "number" ? timeout * unitMs : undefined };
}

/** Splits a command line that `hookbox init` has written, with its quotes. */
function wordsOf(line: string): readonly string[] {
  const parts = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return parts.map((part) => part.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
}

/** Returns the value of an option in the command line. */
export function optionOf({ words }: Entry, name: string): string | undefined {
  const at = words.indexOf(name);
  return at === -1 ? words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) : words[at + 1];
}

/** The place of an entry in its file, for texts. */
export function placeOf({ hook }: Entry): string {
  return `${hook.event} ${hook.number}`;
}
