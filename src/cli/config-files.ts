import { realpathSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { isAbsolute, join, resolve, sep } from "node:path";
import { callersEnvironment } from "../caller.ts";
import { formatOfFile, formatOfPlace, splitFormat } from "../config/file-format.ts";
import type { ConfigFile } from "../config/load.ts";
import { readRegularFile } from "../config/read-file.ts";
import type { AgentFile, Dialect } from "../dialects/dialect.ts";
import { dialectNamed } from "../dialects/registry.ts";
import { HookError } from "../errors.ts";
import { trustOf } from "../layer-trust.ts";
import { accountHome, belongsToProject, environmentHome, projectFolders } from "../project-folder.ts";
import { isApproved } from "../state/approval-place.ts";
import { checkAgent } from "./agent-options.ts";
import { ALL_FORMATS, FORMATS_WITH_PLACES } from "./format-names.ts";
import { unknownWord } from "./verb.ts";

export const CONFIG_OPTIONS = {
  config: { type: "string", multiple: true, default: [] as string[] },
  format: { type: "string" },
  compat: { type: "string" },
} as const;

export const PROJECT_FILES = ["hookbox.json", "hookbox.jsonc", "hookbox.yaml", "hookbox.yml"];
/** The file that a hint suggests. hookbox reads it only with `--config`, because the user decides about its trust. */
const CLAUDE_FILE = ".claude/settings.json";

/** The help of the options for the configuration, for every verb that reads one. */
export const CONFIG_HELP = `  --config FILE     a file with rules, in addition to the user's own hookbox.json. Can be repeated. A file in
                    the project has the trust of the project. Default: hookbox.json (.jsonc, .yaml) in the
                    working directory and in the folders above it in the project; with --format
                    ${FORMATS_WITH_PLACES}, the files that the agent itself reads
  --format NAME     ${ALL_FORMATS}.
                    Default: decided by each file's place and content. A hookbox.json always has the format
                    hookbox. FORMAT:FILE sets the format of a single file
  --compat NAME     faithful: the rules of these files follow their agent's documentation exactly, even if a
                    gate stays open. Default: "compat" in a hookbox.json, otherwise safer`;

/** Further parameters for reading a configuration. */
interface MoreConfig {
  /** The agent whose rules are selected from files with several agents. */
  readonly agent?: string | undefined;
  /** The `compat` of the files of the command line and of the agent, but not of the user's own `hookbox.json`. */
  readonly compat?: string | undefined;
  /** Files whose rules come after the other files' rules. */
  readonly added?: readonly ConfigFile[];
  /**
   * Whether to leave out the user's own `hookbox.json` if the command line names other files. For verbs that write next
   * to the files that they read.
   */
  readonly onlyMeant?: boolean;
  /** Whether to read the project's own `hookbox.json` in addition to the files that the command line names. */
  readonly withProject?: boolean;
}

/**
 * Returns the user's own `hookbox.json` and the files of `--config`. Without `--config`, returns the files that the
 * agent of the format reads, in the agent's order. The format `hookbox` has the project's files.
 *
 * A file's place decides its trust. The project may contain the command line and set the environment. Therefore the
 * command line and the environment cannot give a project's file the user's trust, and cannot remove the user's own
 * file.
 */
export async function configFiles(
  named: readonly string[],
  format: string | undefined,
  cwd: string,
  { agent, compat, added = [], onlyMeant = false, withProject = false }: MoreConfig = {},
): Promise<readonly ConfigFile[]> {
  const files = await Promise.all(named.map((file) => meant(file, format, cwd)));
  checkAgent(agent, [...files.map(({ dialect }) => dialect), ...(named.length === 0 ? [format] : [])]);
  const fromFlags = { ...(agent === undefined ? {} : { agent }), ...compatOf(compat) };
  const agents = format === undefined ? undefined : dialectNamed(format);
  const isByAgent = named.length === 0 && agents?.places !== undefined;
  const own = onlyMeant && (named.length > 0 || isByAgent) ? [] : await usersOwn();
  if (named.length > 0) {
    const more = withProject ? await projectsOwn(cwd, files, projectFolders(cwd)) : [];
    return unique([...own, ...files.map((file) => ({ ...file, ...fromFlags })), ...more, ...added], cwd);
  }
  if (!isByAgent)
    return unique([...own, ...(await projectsOwn(cwd, own, onlyMeant ? [cwd] : projectFolders(cwd))), ...added], cwd);
  const found = await filesOf(agents, cwd, agent);
  if (found.files.length === 0 && added.length === 0) {
    throw new HookError("HOOK_CONFIG_NOT_FOUND", `no configuration of ${agents.name} was found`, {
      hint: `looked at ${found.places.join(", ")}; name another file with --config FILE`,
    });
  }
  const dialect = agents.name;
  return unique([...own, ...found.files.map((file) => ({ ...file, dialect, ...fromFlags })), ...added], cwd);
}

/** Returns a file of the command line with its format; see {@link splitFormat}. */
async function meant(text: string, format: string | undefined, cwd: string): Promise<ConfigFile> {
  const { file, format: own } = splitFormat(text);
  const path = resolve(cwd, file);
  const named = own ?? formatOfPlace(path) ?? format;
  return {
    ...placed(file, cwd),
    dialect: named ?? (await formatOfFile(path, await readRegularFile(path).catch(() => undefined))),
  };
}

/** Returns the format of the events: `--format`, or the one `FORMAT:` prefix of the files. */
export function formatOfEvents({
  config,
  format,
}: {
  readonly config: readonly string[];
  readonly format?: string | undefined;
}): string | undefined {
  const named = new Set(config.map((text) => splitFormat(text).format).filter((one) => one !== "hookbox"));
  named.delete(undefined);
  const [only] = named.size === 1 ? named : [];
  return format ?? only;
}

function compatOf(said: string | undefined): Pick<ConfigFile, "compat"> {
  if (said === undefined) return {};
  if (said !== "safer" && said !== "faithful")
    throw unknownWord(`unknown --compat "${said}"; known: safer, faithful`, said, ["safer", "faithful"]);
  return { compat: said };
}

/**
 * Returns the layer of a file that the command line names. The agent must not change the layer by `cd`: the user's own
 * folder is never the project's, also below the home folder. A file stays the project's outside of the project.
 */
export function placed(file: string, cwd: string): Pick<ConfigFile, "file" | "layer"> {
  const path = resolve(cwd, file);
  const own = configFolder(accountHome());
  if (own !== undefined && path.startsWith(own + sep)) return { file, layer: "command-line" };
  return { file, layer: belongsToProject(path, cwd) || isApproved(path, null) ? "project" : "command-line" };
}

const configFolder = (home: string | undefined): string | undefined => home && join(home, ".config", "hookbox");

/** Keeps one entry for each file: the most trusted entry, at the position of the first entry. */
function unique(files: readonly FoundFile[], cwd: string): readonly ConfigFile[] {
  const kept = new Map<unknown, ConfigFile>();
  for (const one of lowered(files, cwd)) {
    // An entry with a text comes from a flag and has no file.
    const key = one.text === undefined ? realPath(resolve(cwd, one.file)) : one;
    const before = kept.get(key);
    if (before === undefined || trustOf(layerOf(one)) > trustOf(layerOf(before))) kept.set(key, one);
  }
  return [...kept.values()];
}

const layerOf = ({ layer = "project" }: ConfigFile): NonNullable<ConfigFile["layer"]> => layer;

async function filesOf(
  { places }: Dialect,
  cwd: string,
  agent: string | undefined,
): Promise<{ readonly files: readonly FoundFile[]; readonly places: readonly string[] }> {
  const home = accountHome();
  const variable = callersEnvironment()["CLAUDE_CONFIG_DIR"] === undefined ? "HOME" : "HOME or CLAUDE_CONFIG_DIR";
  const sure = home === undefined ? [] : ((await places?.({ cwd, home, variables: {} })) ?? []);
  const listed =
    (await places?.({ cwd, home: environmentHome() ?? home ?? cwd, variables: callersEnvironment() })) ?? [];
  const isIn = (files: readonly AgentFile[], { file }: AgentFile): boolean => files.some((one) => one.file === file);
  const all = [
    ...listed.map((one) => (one.layer === "user" && !isIn(sure, one) ? { ...one, variable } : one)),
    // The files in the account's home are always included, even if the environment names another home.
    ...sure.filter((one) => one.layer === "user" && !isIn(listed, one)),
  ];
  return { files: await existing(all, agent), places: all.map(({ file }) => file) };
}

/** A file, with the name of the environment variable that led to the file, if any. */
type FoundFile = ConfigFile & { readonly variable?: string };

/**
 * Lowers the trust of files that an environment variable led to, because a project may set the environment. Such a file
 * counts as the project's if it is in the project, or if the account's home has a file too. Rules of a lowered file
 * run, but its settings do not affect the rules in the account's home.
 */
function lowered(files: readonly FoundFile[], cwd: string): readonly ConfigFile[] {
  const hasAccountsOwn = files.some(({ layer, variable }) => layer === "user" && variable === undefined);
  return files.map(({ variable, ...one }) => {
    if (variable === undefined) return one;
    const isInProject = belongsToProject(one.file, cwd);
    if (!isInProject && !hasAccountsOwn) return one;
    return { ...one, layer: "project", loweredBy: { variable, because: isInProject ? "project" : "account" } };
  });
}

/**
 * Returns the files in all folders that may be the user's: in the account's home, and in the folders that HOME and
 * XDG_CONFIG_HOME name. A variable only adds a folder, because a replaced folder could remove the user's guards.
 */
async function usersOwn(): Promise<readonly FoundFile[]> {
  const configured = absolute(callersEnvironment()["XDG_CONFIG_HOME"]);
  const sure = configFolder(accountHome());
  const folders: readonly (readonly [string, string | undefined])[] = [
    ["HOME", configFolder(environmentHome())],
    ["XDG_CONFIG_HOME", configured && join(configured, "hookbox")],
  ];
  const filesIn = (folder: string | undefined): FoundFile[] =>
    folder === undefined ? [] : PROJECT_FILES.map((name) => ({ file: join(folder, name), layer: "user" }));
  const others = folders.filter(
    ([, folder], index) => folder !== sure && !folders.slice(0, index).some(([, one]) => one === folder),
  );
  const listed = others.flatMap(([variable, folder]) => filesIn(folder).map((one) => ({ ...one, variable })));
  return existing([...filesIn(sure), ...listed]);
}

/** Returns the user's configuration folder according to the environment. */
export function configuredFolder(): string | undefined {
  // The XDG specification ignores empty and relative values. A relative path would be inside of the project.
  const configured = absolute(callersEnvironment()["XDG_CONFIG_HOME"]);
  return configured === undefined ? configFolder(environmentHome()) : join(configured, "hookbox");
}

async function projectsOwn(
  cwd: string,
  own: readonly ConfigFile[],
  folders: readonly string[],
): Promise<readonly ConfigFile[]> {
  const places = folders.flatMap((folder) => PROJECT_FILES.map((name) => join(folder, name)));
  const files = await existing(places.map((file) => ({ file, layer: "project" as const })));
  if (files.length > 0 || own.length > 0) return files;
  const user = configuredFolder() ?? "the user's configuration folder";
  throw new HookError("HOOK_CONFIG_NOT_FOUND", `there is no ${PROJECT_FILES[0]} in ${cwd} or ${user}`, {
    hint: (await exists(join(cwd, CLAUDE_FILE)))
      ? `there is a ${CLAUDE_FILE}: name it with --config ${CLAUDE_FILE}`
      : "name one with --config FILE",
  });
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** Resolves links. Returns `file` unchanged on an error, because reading the file reports the error. */
function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}

/** Keeps the files that exist, and the files of a repository that are approved: their approved content is in force. */
async function existing<File extends ConfigFile>(candidates: readonly File[], agent?: string): Promise<File[]> {
  const found = await Promise.all(candidates.map(({ file }) => exists(file)));
  return candidates.filter(({ file }, index) => found[index] === true || isApproved(file, agent ?? null));
}

/** Errors for a file that does not exist. A path that is too long cannot exist. */
const NOT_THERE: readonly (string | undefined)[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/** Whether the path exists. Returns `true` for unreadable files and broken links, because hookbox must report them. */
async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    return !NOT_THERE.includes((error as NodeJS.ErrnoException).code);
  }
}
