import { resolve } from "node:path";
import { LANGUAGE_NAMES, scaffoldGuard } from "../../authoring/scaffold.ts";
import { asciiJson } from "../ascii-json.ts";
import { EXIT } from "../exit-codes.ts";
import { columns, painter } from "../paint.ts";
import { shownPath } from "../problem-lines.ts";
import { type Console, parseVerbArgs, unknownWord, usageError, type Verb } from "../verb.ts";

export const newGuard: Verb = {
  summary: "create a folder with a new guard, in TypeScript, Rust or C",
  usage: `Usage: hookbox new NAME [--lang ts|rust|c] [--json]

  Creates the folder NAME with a small guard that builds and passes its tests. Edit it to make your own guard.

  NAME              the guard's name: lower-case letters, digits and dashes. Folders may come before it:
                    guards/NAME
  --lang LANGUAGE   ts (TypeScript), rust or c. Default: ts
  --json            print JSON

Exit codes: 0 created   2 the folder already exists or cannot be created, or a mistake on the command line`,
  options: () => OPTIONS,
  run: newVerb,
};

const OPTIONS = {
  lang: { type: "string", default: "ts" },
  json: { type: "boolean", default: false },
} as const;

async function newVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [name, another] = positionals;
  if (name === undefined || another !== undefined) throw usageError("new takes one name: hookbox new my-guard");
  const language = LANGUAGE_NAMES.find((one) => one === values.lang);
  if (language === undefined)
    throw unknownWord(
      `--lang must be one of ${LANGUAGE_NAMES.join(", ")}, not "${values.lang}"`,
      values.lang,
      LANGUAGE_NAMES,
    );
  const made = await scaffoldGuard(resolve(console.cwd, name), language);
  if (values.json) {
    console.write(`${asciiJson(made)}\n`);
    return EXIT.done;
  }
  const paint = painter(console.colour);
  const folder = shownPath(made.folder, console.cwd);
  const steps = [
    ...made.needs.map(({ command, why }) => [command, why]),
    [`npx hookbox test ${folder} --watch`, "while you edit"],
    [`npx hookbox build ${folder}`, `writes ${folder}/guard.wasm`],
  ];
  const dim = (text: string, _: number, column: number): string => (column === 1 ? paint("dim", text) : text);
  const lines = [
    `Created ${paint("bold", folder)}:`,
    ...columns(
      made.files.map(({ name: file, what }) => [file, what]),
      dim,
    ).map((line) => `  ${line}`),
    "",
    "Next:",
    ...columns(steps, dim).map((line) => `  ${line}`),
  ];
  console.write(`${lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n")}\n`);
  return EXIT.done;
}
