import { dirname, resolve } from "node:path";
import { readDocument } from "../../config/document.ts";
import { BUILTIN_DEFAULTS } from "../../config/layered-settings.ts";
import { describeFileError, readRegularFile } from "../../config/read-file.ts";
import type { ConfigSettings, Dialect } from "../../dialects/dialect.ts";
import { SPEAKERS } from "../../dialects/registry.ts";
import { HookError, type Problem } from "../../errors.ts";
import type { Rule } from "../../rule.ts";

/** The rules of one file, without the effects of other files and layers. */
export interface FileRules {
  readonly rules: readonly Rule[];
  /** Rules for agents other than the file's default agent. */
  readonly otherAgents: readonly Rule[];
  readonly settings: ConfigSettings;
  readonly problems: readonly Problem[];
}

export async function readFileRules(file: string, dialect: Dialect, cwd: string): Promise<FileRules> {
  const path = resolve(cwd, file);
  return readTextRules(await textOf(path, file), file, dialect, dirname(path));
}

/** Reads an agent's settings without validating them. */
export async function readSettings(path: string, file: string): Promise<unknown> {
  const read = await readDocument(await textOf(path, file), file);
  if (!read.ok) throw asError(read.problems[0]);
  return read.document.value;
}

async function textOf(path: string, file: string): Promise<string> {
  try {
    return await readRegularFile(path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const code = isMissing ? "HOOK_CONFIG_NOT_FOUND" : "HOOK_CONFIG_UNREADABLE";
    throw new HookError(code, isMissing ? "the file does not exist" : describeFileError(error), { place: { file } });
  }
}

/** Reads the rules of a text. Throws if the text is not a configuration at all. */
export async function readTextRules(text: string, file: string, dialect: Dialect, baseDir: string): Promise<FileRules> {
  const format = await dialect.configFormat();
  const read = await readDocument(text, file);
  if (!read.ok) throw asError(read.problems[0]);
  const { settings, problems } = format.parseSettings(read.document, { layer: "command-line", baseDir });
  const fatal = problems.find(({ severity }) => severity === "error");
  if (fatal !== undefined) throw asError(fatal);
  const defaults = { ...BUILTIN_DEFAULTS, ...settings.defaults };
  const context = { layer: "command-line", baseDir, defaults, speakers: SPEAKERS } as const;
  const parsed = format.parseRules(read.document, context);
  // Rules that the agent adds to every file are not part of the file.
  const written = parsed.rules.filter(({ implied }) => implied !== true);
  const rules = written.filter(({ agent }) => agent?.isDefault !== false);
  const otherAgents = written.filter((rule) => !rules.includes(rule));
  return { rules, otherAgents, settings, problems: [...problems, ...parsed.problems] };
}

function asError(problem: Problem | undefined): HookError {
  if (problem === undefined) return new HookError("HOOK_CONFIG_SYNTAX", "the file cannot be read");
  const { code, message, hint, place } = problem;
  const options = { ...(hint === undefined ? {} : { hint }), ...(place === undefined ? {} : { place }) };
  return new HookError(code, message, options);
}
