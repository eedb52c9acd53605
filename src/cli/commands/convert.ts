import { access } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Dialect } from "../../dialects/dialect.ts";
import { DIALECT_NAMES, dialectNamed } from "../../dialects/registry.ts";
import { describeThrown, HookError } from "../../errors.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { asciiJson } from "../ascii-json.ts";
import type { FileConversion } from "../convert/convert-file.ts";
import { EXIT } from "../exit-codes.ts";
import { HOOK_FILE_FORMATS } from "../format-names.ts";
import { type Console, parseVerbArgs, unknownWord, usageError, type Verb } from "../verb.ts";

export const convert: Verb = {
  summary: "convert the hooks of one agent's file to another agent's format, and report what is lost",
  usage: `Usage: hookbox convert --from NAME --to NAME FILE [--out FILE] [--settings FILE] [--force] [--json]

  FILE              the configuration to read; it is not changed
  --from NAME       the format of FILE: ${HOOK_FILE_FORMATS}
  --to NAME         the format to write: one of these, or openclaw for a plugin that asks hookbox
  --out FILE        the file to write; for openclaw a folder. Default: standard output
  --settings FILE   OpenClaw's settings, to find out what the plugin may do
  --force           overwrite an existing file
  --json            print one JSON object: the losses, and without --out the result

The result goes to standard output, the report to standard error.

Exit codes: 0 no gate is looser   1 a gate lets more through than before: see the report
            2 the file or the command line cannot be used; nothing is written`,
  options: () => OPTIONS,
  run: convertVerb,
};

const OPTIONS = {
  from: { type: "string" },
  to: { type: "string" },
  out: { type: "string" },
  settings: { type: "string" },
  force: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

async function convertVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw usageError("convert takes one file");
  const from = dialectOf("--from", values.from);
  const to = dialectOf("--to", values.to);
  if (from.name === "openclaw")
    throw new HookError("HOOK_CLI_USAGE", "OpenClaw's hooks cannot be read, because they are functions of plugins", {
      hint: "converting to OpenClaw is possible: hookbox convert --from … --to openclaw",
    });
  const out = values.out === undefined ? undefined : resolve(console.cwd, values.out);
  if (out !== undefined && out === resolve(console.cwd, file))
    throw usageError("--out names the file that is read: name another file");
  const isPlugin = to.name === "openclaw";
  if (isPlugin && /\.[cm]?[jt]s$/.test(values.out ?? ""))
    throw new HookError("HOOK_CLI_USAGE", "--out names a file, and an OpenClaw plugin is a folder", {
      hint: `name a folder with --out: ${dirname(values.out as string)}`,
    });
  if (values.settings !== undefined && !isPlugin) throw usageError("--settings goes with --to openclaw");

  const [{ readFileRules, readSettings }, { convertFile }, { reportOn, reportAsData }] = await Promise.all([
    import("../convert/read-rules.ts"),
    import("../convert/convert-file.ts"),
    import("../convert/report.ts"),
  ]);
  const source = await readFileRules(file, from, console.cwd);
  const settings =
    values.settings === undefined
      ? undefined
      : await readSettings(resolve(console.cwd, values.settings), values.settings);
  const result = await convertFile(source, { file: resolve(console.cwd, file), from, to, out, settings });
  if (out !== undefined) await writeAll(out, result, values.out as string, values.force);
  const task = { file, from: from.name, to: to.name, out: values.out };
  if (values.json) console.write(`${asciiJson(reportAsData(task, source, result))}\n`);
  else {
    if (out === undefined) console.write(result.text);
    console.writeError(reportOn(task, source, result, console.colour));
  }
  return result.losses.some(({ consequence }) => consequence === "looser") ? EXIT.problems : EXIT.done;
}

function dialectOf(option: string, name: string | undefined): Dialect {
  const dialect = name === undefined ? undefined : dialectNamed(name);
  if (dialect !== undefined) return dialect;
  const what = name === undefined ? `${option} is needed` : `${option}: unknown dialect "${name}"`;
  throw unknownWord(`${what}; known: ${DIALECT_NAMES.join(", ")}`, name ?? "", DIALECT_NAMES);
}

/** Writes the result: one file, or for a plugin several files in one folder. */
async function writeAll(out: string, { text, plugin }: FileConversion, shown: string, force: boolean): Promise<void> {
  const files: readonly (readonly [path: string, shown: string, text: string])[] =
    plugin === undefined
      ? [[out, shown, text]]
      : Object.entries(plugin.files).map(([name, content]) => [join(out, name), join(shown, name), content]);
  for (const [path, name] of files)
    if (!force && (await exists(path)))
      throw new HookError("HOOK_CLI_USAGE", `${name} already exists`, { hint: "--force overwrites it" });
  for (const [path, name, content] of files) await write(path, content, name, force);
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

/** Writes a temporary file first and then renames it, so that no process reads half of the file. */
async function write(path: string, text: string, shown: string, force: boolean): Promise<void> {
  const { link, rename, rm, writeFile } = await import("node:fs/promises");
  const beside = `${path}.${process.pid}.part`;
  try {
    await makeFolder(dirname(path));
    await writeFile(beside, text, { flag: "wx" });
    try {
      // Unlike a rename, a link does not replace a file that another process has just created.
      await (force ? rename(beside, path) : link(beside, path));
    } finally {
      await rm(beside, { force: true });
    }
  } catch (error) {
    throw new HookError("HOOK_CLI_USAGE", `${shown} cannot be written: ${describeThrown(error)}`);
  }
}
