import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { ConfigDocument, Dialect } from "../dialects/dialect.ts";
import { brokenRule } from "../dialects/matcher-groups.ts";
import { DIALECT_NAMES, DIALECTS, dialectNamed } from "../dialects/registry.ts";
import { describeThrown, HookError, type Problem } from "../errors.ts";
import { LAYERS, type Layer, type Rule } from "../rule.ts";
import { readDocument } from "./document.ts";
import { orderRules, resolveSettings } from "./layers.ts";

/** Configuration files -> ordered, frozen rules, and everything that is wrong with them. */

export interface ConfigFile {
  readonly file: string;
  /** Default `project`. */
  readonly layer?: Layer;
  /** The format. Default: by the file's name, and `hookbox` where that says nothing. */
  readonly dialect?: string;
}

/** A configuration that is already in memory. Places in problems name `name` and a JSON pointer. */
export interface InlineConfig {
  readonly name: string;
  readonly value: unknown;
  readonly layer: Layer;
  readonly baseDir: string;
}

export interface LoadedConfig {
  readonly rules: readonly Rule[];
  readonly problems: readonly Problem[];
}

interface Source {
  readonly dialect: Dialect;
  readonly layer: Layer;
  readonly baseDir: string;
  readonly document: ConfigDocument | undefined;
  /** What kept the file from being read. */
  readonly problems: readonly Problem[];
}

export async function loadConfig(
  files: readonly ConfigFile[],
  inline: readonly InlineConfig[],
  cwd: string,
): Promise<LoadedConfig> {
  const sources = [...(await Promise.all(files.map((file) => openFile(file, cwd)))), ...inline.map(openInline)];
  const read = sources.map((source) => ({ source, ...settingsOf(source) }));
  const effective = resolveSettings(read.map(({ source, settings }) => ({ layer: source.layer, settings })));

  const rules: Rule[] = [];
  const problems: Problem[] = [];
  for (const { source, problems: fileProblems } of read) {
    problems.push(...fileProblems);
    const fatal = fileProblems.find((problem) => problem.severity === "error");
    // Which gates the unread part was for cannot be known, so it stands at all of them.
    if (fatal !== undefined)
      rules.push(
        brokenRule(
          { dialect: source.dialect.name, codec: source.dialect.codec },
          source,
          { event: "*", name: fatal.place?.file ?? "configuration" },
          fatal,
        ),
      );
    if (source.document === undefined) continue;
    const parsed = source.dialect.parseRules(source.document, {
      layer: source.layer,
      baseDir: source.baseDir,
      defaults: effective.defaults,
    });
    rules.push(...parsed.rules.map((rule) => ({ ...rule, compat: effective.compat })));
    problems.push(...parsed.problems);
  }
  const active = orderRules(rules).filter((rule) => effective.activeLayers.has(rule.layer));
  return { rules: Object.freeze(active.map((rule) => Object.freeze(rule))), problems: Object.freeze(problems) };
}

function settingsOf(source: Source): ReturnType<Dialect["parseSettings"]> {
  if (source.document === undefined) return { settings: {}, problems: source.problems };
  const { settings, problems } = source.dialect.parseSettings(source.document);
  return { settings, problems: [...source.problems, ...problems] };
}

async function openFile({ file, layer = "project", dialect: name }: ConfigFile, cwd: string): Promise<Source> {
  if (!LAYERS.includes(layer)) {
    throw new HookError("HOOK_API_MISUSE", `unknown layer "${layer}"`, { hint: `layers: ${LAYERS.join(", ")}` });
  }
  const dialect = dialectNamed(name ?? dialectOfFile(file));
  if (dialect === undefined) {
    throw new HookError("HOOK_API_MISUSE", `unknown dialect "${name}"`, {
      hint: `dialects: ${DIALECT_NAMES.join(", ")}`,
    });
  }
  const path = resolve(cwd, file);
  const source = { dialect, layer, baseDir: dirname(path) };
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (error) {
    return { ...source, document: undefined, problems: [unreadable(file, error)] };
  }
  const result = await readDocument(text, file);
  return { ...source, document: result.ok ? result.document : undefined, problems: result.problems };
}

function unreadable(file: string, error: unknown): Problem {
  const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
  return missing
    ? {
        severity: "error",
        code: "HOOK_CONFIG_NOT_FOUND",
        message: "the configuration file does not exist",
        place: { file },
      }
    : { severity: "error", code: "HOOK_CONFIG_UNREADABLE", message: describeThrown(error), place: { file } };
}

/** Claude Code's own file names. Everything else is ours unless the caller says otherwise. */
const CLAUDE_FILES = /^(?:settings(?:\.local)?|managed-settings|hooks)\.json$/;

function dialectOfFile(file: string): string {
  return CLAUDE_FILES.test(basename(file)) ? "claude-code" : "hookbox";
}

function openInline({ name, value, layer, baseDir }: InlineConfig): Source {
  const locate: ConfigDocument["locate"] = (path) => ({ file: name, pointer: path.map((part) => `/${part}`).join("") });
  return {
    dialect: DIALECTS["hookbox"] as Dialect,
    layer,
    baseDir,
    document: { file: name, value, locate },
    problems: [],
  };
}
