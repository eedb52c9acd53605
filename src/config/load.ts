import { constants, open } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { brokenRule } from "../dialects/broken-rule.ts";
import type { ConfigDocument, Dialect, RuleDefaults } from "../dialects/dialect.ts";
import { DIALECT_NAMES, DIALECTS, dialectNamed } from "../dialects/registry.ts";
import { describeThrown, HookError, type Problem } from "../errors.ts";
import { isJsonObject } from "../event.ts";
import { LAYERS, type Layer, type Rule } from "../rule.ts";
import { pointerOf, readDocument } from "./document.ts";
import { holdToLock } from "./hold-to-lock.ts";
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
  readonly isFile: boolean;
  readonly document: ConfigDocument | undefined;
  /** What kept the file from being read. */
  readonly problems: readonly Problem[];
}

/** `locks`: whether modules are held to the lock files beside the configuration. Only who writes those ignores them. */
export async function loadConfig(
  files: readonly ConfigFile[],
  inline: readonly InlineConfig[],
  cwd: string,
  { locks = "enforce" }: { readonly locks?: "enforce" | "ignore" } = {},
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
    const held =
      source.isFile && locks === "enforce"
        ? await holdToLock(parsed.rules, source.baseDir)
        : { ...parsed, problems: [] };
    rules.push(...held.rules.map((rule) => ({ ...rule, compat: effective.compatOf(rule.layer) })));
    problems.push(...parsed.problems, ...held.problems);
  }
  const active = orderRules(rules).filter((rule) => effective.activeLayers.has(rule.layer));
  const limited = active.map((rule) => freezeDeep(underCeilings(withId(rule), effective.ceilings)));
  return { rules: Object.freeze(limited), problems: Object.freeze(problems) };
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
  const source = { dialect, layer, baseDir: dirname(path), isFile: true };
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await readRegularFile(path));
  } catch (error) {
    return { ...source, document: undefined, problems: [unreadable(file, error)] };
  }
  const result = await readDocument(text, file);
  return { ...source, document: result.ok ? result.document : undefined, problems: result.problems };
}

/** Neither a pipe nor a device: those answer late, endlessly or never, and an engine that waits is an open gate. */
async function readRegularFile(path: string): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > MAX_FILE_BYTES) throw new Error(`it is longer than ${MAX_FILE_BYTES} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

const MAX_FILE_BYTES = 4 * 1_048_576;

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
  const locate: ConfigDocument["locate"] = (path) => ({ file: name, pointer: pointerOf(path) });
  const source = { dialect: DIALECTS["hookbox"] as Dialect, layer, baseDir, isFile: false };
  try {
    return { ...source, document: { file: name, value: plainCopy(value), locate }, problems: [] };
  } catch (error) {
    const message = describeThrown(error);
    return {
      ...source,
      document: undefined,
      problems: [{ severity: "error", code: "HOOK_CONFIG_TYPE", message, place: { file: name } }],
    };
  }
}

/** The caller keeps its object, and we what we have checked. */
function plainCopy(value: unknown, depth = 0): unknown {
  if (depth > 64) throw new TypeError("the configuration is nested deeper than 64 levels, or contains itself");
  if (Array.isArray(value)) return value.map((item) => plainCopy(item, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainCopy(item, depth + 1)]));
}

const withId = (rule: Rule): Rule => ({ ...rule, id: `${rule.layer}:${rule.id}` });

/** A managed default is a ceiling for what the rules of other layers say themselves, too. */
function underCeilings(rule: Rule, ceilings: Partial<RuleDefaults>): Rule {
  if (rule.layer === "managed") return rule;
  const { handler } = rule;
  const most = handler.type === "wasm" ? ceilings.wasmTimeoutMs : ceilings.commandTimeoutMs;
  const timeoutMs = Math.min(rule.timeoutMs, most ?? Number.POSITIVE_INFINITY);
  if (handler.type !== "wasm") return { ...rule, timeoutMs };
  const limits = {
    ...handler.limits,
    memoryBytes: Math.min(handler.limits.memoryBytes, ceilings.wasmMemoryBytes ?? Number.POSITIVE_INFINITY),
    fuel: Math.min(handler.limits.fuel, ceilings.wasmFuel ?? Number.POSITIVE_INFINITY),
    fuelPerInputByte: Math.min(
      handler.limits.fuelPerInputByte,
      ceilings.wasmFuelPerInputByte ?? Number.POSITIVE_INFINITY,
    ),
  };
  return { ...rule, timeoutMs, handler: { ...handler, limits } };
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeDeep(item);
  return value;
}
