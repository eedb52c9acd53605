import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { HookError } from "../../errors.ts";
import { accountHome, environmentHome } from "../../project-folder.ts";
import { type HooksFile, openHooksFile } from "../hooks/hooks-file.ts";
import { defaultSocket } from "../serve/socket-file.ts";
import { usageError } from "../verb.ts";
import type { Absorbed } from "./absorb.ts";
import { type AgentSetup, agentNamed, type EntryCommand } from "./agents.ts";
import { type Installation, installation, serverPath } from "./installation.ts";
import { addEntries, hasEntries, removeEntries, withText } from "./own-entries.ts";
import { copiedHooks } from "./plugins.ts";
import { type InitRecord, readRecords } from "./record.ts";
import { starterText } from "./starter.ts";
import { usersFile } from "./users-file.ts";

/** What `hookbox init` is about to change. Nothing is written yet. */
export interface Plan {
  readonly agent: string;
  readonly setup: AgentSetup;
  readonly file: HooksFile;
  /** The text of the settings afterwards; `undefined` if the file is removed. */
  readonly after: string | undefined;
  readonly record: InitRecord | undefined;
  /** Set if `init` adds the entries; not set if it removes them. */
  readonly adds?: {
    readonly base: string | undefined;
    readonly installed: Installation;
    readonly config: string;
    /** Files of hookbox's own that do not exist yet. */
    readonly creates: Readonly<Record<string, string>>;
    readonly absorbed?: Absorbed;
  };
}

export interface Wish {
  readonly agent: string;
  readonly cwd: string;
  readonly project: boolean;
  readonly file?: string | undefined;
  readonly absorb: boolean;
  readonly monitor: boolean;
  /** Whether the hooks of plugins move too, which switches the plugins off. */
  readonly plugins: boolean;
  /** Whether hooks run on samples before they move. */
  readonly tries: boolean;
}

/** How long the agent waits for an answer, in seconds. The guards need milliseconds; the rest is for a busy machine. */
const PATIENCE_S = 60;
/** Claude Code ends at this time at `SessionEnd`, whatever the entry says. */
const MAX_SESSION_END_S = 60;
const MAX_RELAY_SOCKET_BYTES = 103;
const NEW_FILE = "{}\n";

/** Returns the path of an agent's settings file, without links. `undefined`: the user has to name the file. */
export function settingsFile({ user, project }: AgentSetup, wish: Omit<Wish, "agent">): string | undefined {
  if (wish.project && wish.file !== undefined) throw usageError("init takes --project or --file, not both");
  const home = environmentHome() ?? wish.cwd;
  const file = wish.file ?? (wish.project ? project && join(wish.cwd, project) : user(home, process.env));
  if (file === undefined) return undefined;
  const path = resolve(wish.cwd, file);
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export async function openSettings(wish: Wish): Promise<Pick<Plan, "setup" | "file" | "record">> {
  const setup = agentNamed(wish.agent);
  const path = settingsFile(setup, wish);
  if (path === undefined)
    throw new HookError(
      "HOOK_INIT_AGENT",
      wish.project
        ? `${setup.title} reads no hooks from a file of the project`
        : `${setup.title} has no settings file with hooks for all projects`,
      { hint: `name the file that has the hooks with --file FILE${wish.project ? ", or leave out --project" : ""}` },
    );
  const file = await openHooksFile(path, setup.dialect, { cwd: wish.cwd, mayBeNew: true });
  if (setup.needsFile && file.before === undefined)
    throw new HookError("HOOK_INIT_AGENT", `${path} does not exist`, {
      hint: `start ${setup.title} once, which writes the file, and repeat the command`,
    });
  return { setup, file, record: (await readRecords())[path] };
}

/** Returns the settings without the entries of `hookbox init`: the bytes from before, if the file has not changed. */
async function withoutEntries(file: HooksFile, record: InitRecord | undefined): Promise<HooksFile> {
  const isAsWritten = record !== undefined && file.before === record.after;
  return isAsWritten ? withText(file, record.before ?? "") : givenBack(await removeEntries(file), record);
}

/** Puts hooks back that `--absorb` has moved, if the file was changed in the meantime. */
async function givenBack(file: HooksFile, record: InitRecord | undefined): Promise<HooksFile> {
  if (record?.absorbed === undefined || file.before === record.before) return file;
  const { putBack } = await import("./absorb.ts");
  return putBack(file, record.absorbed, record.plugins ?? []);
}

export async function planAdding(wish: Wish): Promise<Plan> {
  const { setup, file, record } = await openSettings(wish);
  const plain = await withoutEntries(file, record);
  const base = isEmpty(plain) && !/\.ya?ml$/i.test(plain.path) ? await withText(plain, NEW_FILE) : plain;
  const installed = installation();
  const config = usersFile();
  const creates: Record<string, string> = existsSync(config) ? {} : { [config]: starterText(wish.monitor) };
  const absorbs = wish.absorb || record?.absorbed !== undefined;
  const absorbed = absorbs
    ? await (await import("./absorb.ts")).absorb(base, {
        ...wish,
        plugins: wish.plugins || record?.plugins !== undefined,
      })
    : undefined;
  if (absorbed !== undefined) creates[absorbed.target] = absorbed.text;
  const command = commandOf({ setup, installed, config, absorbed });
  const events = [...new Set([...setup.events, ...(absorbed?.events ?? [])])];
  const { text } = await addEntries(
    absorbed?.file ?? base,
    { ...setup, events, projectKeys: wish.project ? (setup.projectKeys ?? {}) : {} },
    command,
  );
  return {
    agent: wish.agent,
    setup,
    file,
    record,
    after: text,
    adds: {
      base: beforeOf(file, plain, record),
      installed,
      config,
      creates,
      ...(absorbed === undefined ? {} : { absorbed }),
    },
  };
}

/** Returns the text of the settings file that `--remove` restores. */
function beforeOf(file: HooksFile, plain: HooksFile, record: InitRecord | undefined): string | undefined {
  if (file.before === undefined) return undefined;
  if (record !== undefined && file.before === record.after) return record.before ?? undefined;
  return plain.text;
}

function isEmpty({ text }: HooksFile): boolean {
  return text.trim() === "";
}

export async function planRemoving(wish: Wish): Promise<Plan> {
  const { setup, file, record } = await openSettings(wish);
  if (record === undefined && !hasEntries(file))
    throw new HookError("HOOK_INIT_AGENT", `${file.path} has no entry of hookbox init`, {
      hint: "hookbox init lists the settings that have one",
    });
  const { text } = await withoutEntries(file, record);
  const isGone = record?.before === null && (file.before === record.after || /^\s*(\{\s*\})?\s*$/.test(text));
  return { agent: wish.agent, setup, file, record, after: isGone ? undefined : text };
}

function commandOf({
  setup,
  installed,
  config,
  absorbed,
}: {
  readonly setup: AgentSetup;
  readonly installed: Installation;
  readonly config: string;
  readonly absorbed: Absorbed | undefined;
}): (event: string) => EntryCommand {
  const socket = defaultSocket();
  if (Buffer.byteLength(socket) > MAX_RELAY_SOCKET_BYTES)
    throw new HookError("HOOK_SERVER_SOCKET", `${socket} is too long for a socket`, {
      hint: `set XDG_STATE_HOME to a folder with a shorter path: at most ${MAX_RELAY_SOCKET_BYTES} bytes for the socket`,
    });
  const [file, ...first] = installed.relay;
  // The server has the home of the account, and adds nothing else from the environment of the agent.
  const variables = new Set([...(environmentHome() === accountHome() ? [] : ["HOME"]), ...(absorbed?.variables ?? [])]);
  const configs = [
    config,
    ...(absorbed === undefined
      ? []
      : [absorbed.target, ...absorbed.plugins.map(copiedHooks)].map((file) => `${setup.dialect}:${file}`)),
  ];
  return (event) => {
    const least = Math.max(PATIENCE_S, absorbed?.patienceS[event] ?? 0);
    const timeoutSeconds = event === "SessionEnd" ? Math.min(least, MAX_SESSION_END_S) : least;
    return {
      file,
      timeoutSeconds,
      args: [
        ...[...first, setup.dialect, "--socket", socket, "--main", installed.main],
        ...["--node", realpathSync(process.execPath), "--path", serverPath()],
        ...[...variables].flatMap((name) => ["--env", name]),
        ...["--event", event, "--patience", String(timeoutSeconds)],
        ...[...configs.flatMap((one) => ["--config", one]), "--with-project"],
      ],
    };
  };
}
