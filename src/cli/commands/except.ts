import { dirname, relative, resolve } from "node:path";
import { editText, fileValue } from "../../config/edit-keeping-comments.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { HookError } from "../../errors.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { type JsonObject, parseJsonObject } from "../../json.ts";
import { mayComeWithRepository } from "../../layer-trust.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";
import { refusedCalls } from "../../state/refused-calls.ts";
import { cleanLine, visibleText } from "../../text.ts";
import { placed } from "../config-files.ts";
import { exceptLine } from "../except-line.ts";
import { EXIT } from "../exit-codes.ts";
import { readForChange, replaceFile } from "../hooks/write-file.ts";
import { usersFile } from "../init/users-file.ts";
import { refuseAgents } from "../off/agent-process.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

export const except: Verb = {
  summary: "let exactly one call pass a rule until a day; only from a terminal",
  usage: `Usage: hookbox except --guard NAME --command TEXT --reason TEXT [--directory DIR] [--tool NAME]
                      [--expires DAY] [--config FILE]
       hookbox except --rule NAME --tool NAME --input JSON ...
       hookbox except --guard NAME --directory DIR ...
       hookbox except

  Adds an entry to "exceptions" of your own hookbox.json, after a question. Without options, lists the last calls that
  were refused or asked about, each with the command line that lets exactly this call pass.

  --guard NAME      the shipped guard that must not refuse the call, such as shell-guard
  --rule NAME       the rule, instead of --guard
  --command TEXT    the exact text of the command
  --input JSON      the exact input of the tool, instead of --command; needs --tool
  --directory DIR   the folder in which the command runs. Without --command and --input, all files of the call
                    are in this folder. Default: the working directory
  --tool NAME       the tool. Default: any tool
  --reason TEXT     why, for those who read the file later
  --expires DAY     the last day, such as 2026-12-31, or a number of days such as 7d; at most a year.
                    Default: 30d
  --config FILE     the file, instead of your own hookbox.json. A file in the project only loosens the project's
                    own rules, and waits for hookbox trust

Exit codes: 0 added   1 not confirmed   2 refused, or a mistake on the command line`,
  options: () => OPTIONS,
  run: exceptVerb,
};

const OPTIONS = {
  guard: { type: "string" },
  rule: { type: "string" },
  command: { type: "string" },
  input: { type: "string" },
  directory: { type: "string" },
  tool: { type: "string" },
  reason: { type: "string" },
  expires: { type: "string", default: "30d" },
  config: { type: "string" },
} as const;

const MS_OF_DAY = 86_400_000;
const MOST_DAYS = 366;
const DAY_LENGTH = "2026-12-31".length;

async function exceptVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  if (positionals.length > 0) throw usageError(`except takes no argument such as "${positionals[0]}"`);
  if (args.length === 0) return listRefused(console);
  const entry = entryOf(values, console.cwd);
  refuseAgents(BY_PERSON);
  const file = resolve(console.cwd, values.config ?? usersFile());
  const before = await readForChange(file);
  const text = before ?? '{\n  "version": 1\n}\n';
  const known = valueAt(await fileValue(text, file), ["exceptions"]);
  const end = Array.isArray(known) ? known.length : 0;
  const after = await editText(text, file, { op: "insert", path: ["exceptions", end], value: entry });
  console.write(`  ${visibleText(file)}\n${shown(entry)}\n`);
  const answer = await console.ask("  Let exactly these calls pass? [y/N] ");
  if (answer === undefined)
    throw new HookError("HOOK_PERSON_NEEDED", "hookbox except needs a terminal, so that a person confirms it", {
      hint: BY_PERSON,
    });
  if (!/^y(es)?$/i.test(answer.trim())) {
    console.write("  Nothing was changed.\n");
    return EXIT.problems;
  }
  await makeFolder(dirname(file));
  await replaceFile(file, before, after);
  console.write(`  Added. The exception ends after ${entry["expires"]}.\n`);
  const { layer = "project" } = placed(file, console.cwd);
  if (mayComeWithRepository(layer))
    console.write(`  It counts after: hookbox trust ${visibleText(relative(console.cwd, file) || file)}\n`);
  return EXIT.done;
}

/** Lists the last refused calls, each with the command line that adds its exception. The last call comes last. */
function listRefused(console: Console): number {
  const calls = refusedCalls(defaultStateFolder);
  if (calls.length === 0) console.write("  No refused call is recorded.\n");
  for (const { at, reason, exception } of calls) {
    const line = exceptLine(exception);
    if (line === undefined) continue;
    console.write(`  ${cleanLine(at)}  ${visibleText(reason)}\n    ${visibleText(line)}\n`);
  }
  return EXIT.done;
}

const BY_PERSON = "run it in a terminal of your own, or write the exception into the file by hand";

type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string>>>;

function entryOf(
  { guard, rule, tool, command, input, directory, reason, expires = "" }: Values,
  cwd: string,
): JsonObject {
  if ((guard === undefined) === (rule === undefined)) throw usageError("name the rule: --guard NAME or --rule NAME");
  if (reason === undefined || reason.trim() === "") throw usageError("--reason is missing");
  if (command !== undefined && input !== undefined) throw usageError("use --command or --input, not both");
  if (input !== undefined && tool === undefined) throw usageError("--input needs --tool");
  if (command === undefined && input === undefined && directory === undefined)
    throw usageError("name the calls: --command, --input or --directory");
  const parsed = input === undefined ? undefined : parseJsonObject(input);
  if (input !== undefined && parsed === undefined) throw usageError("--input is not a JSON object");
  return {
    ...(guard === undefined ? { rule: rule as string } : { guard }),
    ...(tool === undefined ? {} : { tool }),
    ...(command === undefined ? {} : { command }),
    ...(parsed === undefined ? {} : { input: parsed }),
    directory: resolve(cwd, directory ?? "."),
    reason,
    expires: dayOf(expires),
  };
}

function dayOf(text: string): string {
  const [, days] = /^(\d{1,3})d$/.exec(text) ?? [];
  const now = Date.now();
  const time = days === undefined ? Date.parse(`${text}T00:00:00Z`) : now + Number(days) * MS_OF_DAY;
  const day = Number.isNaN(time) ? "" : new Date(time).toISOString().slice(0, DAY_LENGTH);
  const isDay = days !== undefined || day === text;
  if (!isDay || time < now - MS_OF_DAY || time > now + MOST_DAYS * MS_OF_DAY)
    throw usageError(`--expires is ${JSON.stringify(text)}; expected a day within a year such as 2026-12-31, or 7d`);
  return day;
}

function shown(entry: JsonObject): string {
  return Object.entries(entry)
    .map(
      ([name, value]) =>
        `    ${name.padEnd(10)} ${visibleText(typeof value === "string" ? value : JSON.stringify(value))}`,
    )
    .join("\n");
}
