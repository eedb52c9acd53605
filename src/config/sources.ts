import { dirname, resolve } from "node:path";
import { callersEnvironment } from "../caller.ts";
import type { Compat } from "../codec.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { DIALECT_NAMES, DIALECTS, dialectNamed } from "../dialects/registry.ts";
import { HookError, type Problem } from "../errors.ts";
import { LAYERS, type Layer, mayComeWithRepository } from "../layer-trust.ts";
import type { Approval } from "../state/approvals.ts";
import { suggest } from "../suggest.ts";
import { formatOfFile } from "./file-format.ts";
import { type LockText, readLockText } from "./lockfile.ts";
import { describeFileError, FileTooLong, readRegularFile } from "./read-file.ts";

/** Opens the sources of configuration, before they are parsed. */

export interface ConfigFile {
  readonly file: string;
  /** The layer. Default: `project`. */
  readonly layer?: Layer;
  /** The format. Default: determined by the file's place, then by its content, otherwise `hookbox`. */
  readonly dialect?: string;
  /** Whether the file's rules follow the agent's documentation exactly. Default: the value in the settings. */
  readonly compat?: Compat;
  /** The agent whose rules are read from a file with several agents. The default depends on the format. */
  readonly agent?: string;
  /** The content of a source that is not a file, such as command-line flags. */
  readonly text?: string;
  /** The layer that decides the order of the rules. Default: `layer`. */
  readonly ranksAs?: Layer;
  /** Why a user's file counts as a project's file. A warning shows the reason. */
  readonly loweredBy?: Lowering;
}

/** The environment variable that led to a file, and why the file is less trusted. */
export interface Lowering {
  readonly variable: string;
  /** `project`: the file is in the project. `account`: the account has its own configuration in another folder. */
  readonly because: "project" | "account";
}

/** A configuration in memory. A place in a problem consists of `name` and a JSON pointer. */
export interface InlineConfig {
  readonly name: string;
  readonly value: unknown;
  readonly layer: Layer;
  readonly baseDir: string;
}

/** What decides about a file that may have come with a repository. */
export interface SourceTrust {
  /** The approved content, which is in force whatever the file on disk contains. `undefined`: the file is not approved. */
  readonly approval: Approval | undefined;
  /** How the files on disk differ from the approved content. */
  readonly changes: readonly string[];
  /** Returns the path of the copy of an approved module. */
  readonly moduleFile: (digest: string) => string;
  readonly cwd: string;
}

export interface Source {
  readonly dialect: Dialect;
  readonly layer: Layer;
  readonly ranksAs?: Layer | undefined;
  readonly loweredBy?: Lowering | undefined;
  readonly agent?: string | undefined;
  readonly compat?: Compat | undefined;
  readonly baseDir: string;
  /** The path of the file as the user wrote it, or the name of the configuration in memory. */
  readonly name: string;
  readonly content:
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "value"; readonly value: unknown }
    | { readonly kind: "unreadable"; readonly problem: Problem };
  /** The lock file next to the file. */
  readonly lock: LockText;
  /** Whether the content was read from disk. */
  readonly isFile?: boolean;
  /** Set for a file of a repository, if the caller requires the user's approval of these files. */
  readonly trust?: SourceTrust;
}

/** Whether the source was read from a file that may have come with a repository. */
export function isOfRepository({ layer, isFile }: Pick<Source, "layer" | "isFile">): boolean {
  return isFile === true && mayComeWithRepository(layer);
}

export function openSources(
  files: readonly ConfigFile[],
  inline: readonly InlineConfig[],
  cwd: string,
): Promise<readonly Source[]> {
  return Promise.all([...files.map((file) => openFile(file, cwd)), ...inline.map(openInline)]);
}

async function openFile(
  { file, layer = "project", dialect: name, agent, compat, text, ranksAs, loweredBy }: ConfigFile,
  cwd: string,
): Promise<Source> {
  const unknown = [layer, ranksAs ?? layer].find((one) => !LAYERS.includes(one));
  if (unknown !== undefined) {
    throw new HookError("HOOK_API_MISUSE", `unknown layer "${unknown}"`, { hint: `layers: ${LAYERS.join(", ")}` });
  }
  const path = resolve(cwd, file);
  const content = text === undefined ? await contentOf(path, file) : ({ kind: "text", text } as const);
  const format = name ?? (await formatOfFile(path, content.kind === "text" ? content.text : undefined));
  const dialect = dialectNamed(format);
  if (dialect === undefined) {
    throw new HookError("HOOK_API_MISUSE", `unknown dialect "${format}"`, {
      hint: suggest(format, DIALECT_NAMES) ?? `dialects: ${DIALECT_NAMES.join(", ")}`,
    });
  }
  const baseDir = dirname(path);
  const lock = await readLockText(baseDir);
  const isFile = text === undefined;
  return { dialect, layer, ranksAs, loweredBy, agent, compat, baseDir, name: file, content, lock, isFile };
}

async function contentOf(path: string, file: string): Promise<Source["content"]> {
  try {
    return { kind: "text", text: await readRegularFile(path) };
  } catch (error) {
    return { kind: "unreadable", problem: unreadable(file, error) };
  }
}

function unreadable(file: string, error: unknown): Problem {
  const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
  // True for `"$CLAUDE_PROJECT_DIR"/hookbox.json` with an unset variable.
  const isWithoutProject = dirname(file) === "/" && !callersEnvironment()["CLAUDE_PROJECT_DIR"];
  const hint = `CLAUDE_PROJECT_DIR is not set, as under Codex and Kimi Code: write "\${CLAUDE_PROJECT_DIR:-.}"${file}`;
  return missing
    ? {
        severity: "error",
        code: "HOOK_CONFIG_NOT_FOUND",
        message: "the configuration file does not exist",
        place: { file },
        ...(isWithoutProject ? { hint } : {}),
      }
    : {
        severity: "error",
        code: error instanceof FileTooLong ? "HOOK_CONFIG_LIMIT" : "HOOK_CONFIG_UNREADABLE",
        message: describeFileError(error),
        place: { file },
      };
}

async function openInline({ name, value, layer, baseDir }: InlineConfig): Promise<Source> {
  const dialect = DIALECTS["hookbox"] as Dialect;
  return { dialect, layer, baseDir, name, content: { kind: "value", value }, lock: { kind: "none" } };
}
