import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { NewHook } from "../../dialects/editing.ts";
import { describeThrown, HookError } from "../../errors.ts";
import { type JsonObject, parseJsonObject } from "../../json.ts";
import { cleanLine } from "../../text.ts";
import { asciiJson } from "../ascii-json.ts";
import { configFiles } from "../config-files.ts";
import { EXIT } from "../exit-codes.ts";
import { HOOK_FILE_FORMATS } from "../format-names.ts";
import { addShipped } from "../hooks/add-shipped.ts";
import { addHook, type Change, eventOf, hookAt, removeHook, switchAll, switchHook } from "../hooks/changes.ts";
import { type HooksFile, openHooksFile, saveHooksFile } from "../hooks/hooks-file.ts";
import { hooksData, hooksText } from "../hooks/report.ts";
import { trialText } from "../hooks/trial-text.ts";
import { tryHook } from "../hooks/try-hook.ts";
import { readPayload } from "../payload.ts";
import { type Console, parseVerbArgs, unknownWord, usageError, type Verb } from "../verb.ts";

export const hooks: Verb = {
  summary: "list, add, switch, remove and try the hooks of a file",
  usage: `Usage: hookbox hooks [FILE]                        a menu on a terminal, otherwise the list
       hookbox hooks list [FILE]
       hookbox hooks add FILE EVENT --command CMD [--matcher M] [--description D] [--timeout SECONDS]
                     [--on-failure block|continue|ignore]
       hookbox hooks add FILE EVENT --type wasm --module MODULE [--matcher M] …
       hookbox hooks enable|disable|remove FILE EVENT N
       hookbox hooks try FILE EVENT N [--payload FILE|-]
       hookbox hooks fire EVENT [--tool NAME] [--input JSON] [--dialect NAME]
       hookbox hooks on|off FILE
       hookbox hooks defaults FILE                 adds the hooks that ship with the agent (Autohand), switched off

  FILE              default for list and the menu: the project's hookbox.json (.jsonc, .yaml), or the user's
  EVENT             the agent's own name of the event, or hookbox's
  N                 the hook's number within its event, as list shows it
  --format NAME     ${HOOK_FILE_FORMATS}.
                    Default: decided by the file's name and content
  --type wasm       a guard instead of a command; only in files of the format hookbox
  --timeout SECONDS the hook's timeout; written in the unit of the file
  --on-failure WORD what a failure of the hook means: block (the call is refused), continue (a warning, and the
                    call goes on) or ignore. Default: the agent's own rule; for Claude Code it is continue
  --payload FILE    the event to try a hook with; - for standard input. Default: a sample that matches the hook
  fire              sends a sample event through the entry in the agent's settings that starts hookbox, and shows the
                    answer; --input is the tool's input
  -i, --interactive show the menu
  --json            print JSON

  All other text in the file stays unchanged, including comments. A change that would add an error to the file is
  refused. If an agent cannot switch a hook off, the hooks that are off are kept in FILE.hooks-off.json.

Exit codes: 0 done   1 try, fire: the hook failed
            2 the file cannot be used or changed, there is no such hook, or a mistake on the command line`,
  get actions() {
    return Object.keys(ACTIONS);
  },
  options: () => OPTIONS,
  run: hooksVerb,
};

const OPTIONS = {
  format: { type: "string" },
  json: { type: "boolean", default: false },
  interactive: { type: "boolean", short: "i", default: false },
  command: { type: "string" },
  type: { type: "string" },
  module: { type: "string" },
  matcher: { type: "string" },
  description: { type: "string" },
  timeout: { type: "string" },
  "on-failure": { type: "string" },
  payload: { type: "string" },
  tool: { type: "string" },
  input: { type: "string" },
  dialect: { type: "string" },
} as const;

type Values = ReturnType<typeof parseVerbArgs<typeof OPTIONS>>["values"];

interface Call {
  readonly values: Values;
  readonly args: readonly string[];
  readonly console: Console;
}

interface Action {
  /** The names of the action's arguments. */
  readonly takes: readonly string[];
  readonly options: readonly (keyof typeof OPTIONS)[];
  run(call: Call): Promise<number>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  list: { takes: [], options: ["interactive"], run: list },
  add: {
    takes: ["FILE", "EVENT"],
    options: ["command", "type", "module", "matcher", "description", "timeout", "on-failure"],
    run: add,
  },
  enable: { takes: ["FILE", "EVENT", "N"], options: [], run: (call) => one(call, (...to) => switchHook(...to, true)) },
  disable: {
    takes: ["FILE", "EVENT", "N"],
    options: [],
    run: (call) => one(call, (...to) => switchHook(...to, false)),
  },
  remove: { takes: ["FILE", "EVENT", "N"], options: [], run: (call) => one(call, removeHook) },
  try: { takes: ["FILE", "EVENT", "N"], options: ["payload"], run: tryOne },
  fire: {
    takes: ["EVENT"],
    options: ["tool", "input", "dialect"],
    run: async ({ values, args, console }) =>
      (await import("../hooks/fire.ts")).fireEvent(args[0] as string, values, console),
  },
  defaults: { takes: ["FILE"], options: [], run: defaults },
  on: { takes: ["FILE"], options: [], run: (call) => all(call, true) },
  off: { takes: ["FILE"], options: [], run: (call) => all(call, false) },
};

const ALWAYS = ["format", "json"];

async function hooksVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [first] = positionals;
  const isNamed = first !== undefined && Object.hasOwn(ACTIONS, first);
  const name = isNamed ? first : "list";
  const { takes, options, run } = ACTIONS[name] as Action;
  const rest = isNamed ? positionals.slice(1) : positionals;
  const stray = Object.keys(values).find(
    (key) =>
      !ALWAYS.includes(key) && !(options as readonly string[]).includes(key) && values[key as keyof Values] !== false,
  );
  if (stray !== undefined) throw usageError(`hooks ${name} takes no --${stray}`);
  const most = name === "list" ? 1 : takes.length;
  if (rest.length < takes.length) throw usageError(`hooks ${name} needs ${takes.slice(rest.length).join(" ")}`);
  if (rest.length > most) {
    if (isNamed) throw usageError(`hooks ${name} takes no "${rest[most]}"`);
    throw unknownWord(`unknown "${first}"`, first as string, Object.keys(ACTIONS));
  }
  const wantsMenu = values.interactive || (!isNamed && !values.json && console.hasTerminal === true);
  if (!wantsMenu) return run({ values, args: rest, console });
  if (console.hasTerminal !== true) throw usageError("the menu needs a terminal");
  const { hooksMenu } = await import("../hooks/menu.ts");
  return hooksMenu(rest[0] ?? (await defaultFile(values.format, console.cwd)), values.format, console);
}

async function list({ values, args, console }: Call): Promise<number> {
  const file = await open(args[0] ?? (await defaultFile(values.format, console.cwd)), { values, args, console });
  console.write(values.json ? `${asciiJson(hooksData(file))}\n` : hooksText(file, console.colour));
  return EXIT.done;
}

/** Returns the project's file of hooks that other verbs would read. If there is none, returns the user's file. */
async function defaultFile(format: string | undefined, cwd: string): Promise<string> {
  const files = await configFiles([], format, cwd, { onlyMeant: true });
  const file = files.at(-1)?.file as string;
  const name = relative(cwd, file);
  return name.startsWith("..") ? file : name;
}

function open(name: string, { values, console }: Call, mayBeNew = false): Promise<HooksFile> {
  return openHooksFile(name, values.format, { cwd: console.cwd, mayBeNew });
}

async function add(call: Call): Promise<number> {
  const { values, args } = call;
  const [name, event] = args as [string, string];
  const hook = newHook(values);
  const file = await open(name, call, true);
  return save(file, await addHook(file, eventOf(file, event), hook), call);
}

async function defaults(call: Call): Promise<number> {
  const file = await open(call.args[0] as string, call, true);
  return save(file, await addShipped(file), call);
}

const FAILURE_WORDS = ["block", "continue", "ignore"] as const;

function newHook({
  type = "command",
  command,
  module,
  matcher,
  description,
  timeout,
  "on-failure": failure,
}: Values): NewHook {
  if (type !== "command" && type !== "wasm") throw usageError(`--type is command or wasm, not "${type}"`);
  const [wanted, run, other] = type === "wasm" ? ["module", module, command] : ["command", command, module];
  if (other !== undefined) throw usageError(`a ${type} hook takes --${wanted} and nothing else to run`);
  if (run === undefined || run.trim() === "") throw usageError(`hooks add needs --${wanted}`);
  const timeoutSeconds = timeout === undefined ? undefined : Number(timeout);
  if (timeoutSeconds !== undefined && !(Number.isFinite(timeoutSeconds) && timeoutSeconds > 0))
    throw usageError(`--timeout is a number of seconds, not "${timeout}"`);
  const onFailure = FAILURE_WORDS.find((word) => word === failure);
  if (failure !== undefined && onFailure === undefined)
    throw unknownWord(
      `--on-failure must be one of ${FAILURE_WORDS.join(", ")}, not "${failure}"`,
      failure,
      FAILURE_WORDS,
    );
  return { type, run, matcher, description, timeoutSeconds, onFailure };
}

async function one(
  call: Call,
  change: (file: HooksFile, hook: ReturnType<typeof hookAt>) => Promise<Change>,
): Promise<number> {
  const { file, hook } = await chosen(call);
  return save(file, await change(file, hook), call);
}

async function chosen(call: Call): Promise<{ readonly file: HooksFile; readonly hook: ReturnType<typeof hookAt> }> {
  const [name, event, number] = call.args as [string, string, string];
  if (!/^[1-9]\d*$/.test(number)) throw usageError(`N is the hook's number, not "${number}"`);
  const file = await open(name, call);
  return { file, hook: hookAt(file, event, Number(number)) };
}

async function all(call: Call, on: boolean): Promise<number> {
  const file = await open(call.args[0] as string, call);
  return save(file, await switchAll(file, on), call);
}

async function save(file: HooksFile, { text, aside, done }: Change, { values, console }: Call): Promise<number> {
  await saveHooksFile(file, text, aside);
  const changed = text !== file.text || aside !== file.aside;
  if (!values.json) console.write(`${cleanLine(done)}\n`);
  else
    console.write(
      `${asciiJson({ changed, done, ...hooksData(await openHooksFile(file.name, file.dialect.name, console)) })}\n`,
    );
  return EXIT.done;
}

async function tryOne(call: Call): Promise<number> {
  const { values, console } = call;
  const { file, hook } = await chosen(call);
  const payload = values.payload === undefined ? undefined : await payloadFrom(values.payload, console);
  const printLine = (line: string): void => console.writeError(`${line}\n`);
  const trial = await tryHook(file, hook, { payload, cwd: console.cwd, printLine });
  console.write(values.json ? `${asciiJson(trial)}\n` : trialText(trial, console.colour));
  return trial.failure === null ? EXIT.done : EXIT.problems;
}

async function payloadFrom(name: string, console: Console): Promise<JsonObject> {
  if (name === "-") return readPayload(console);
  let text: string;
  try {
    text = await readFile(resolve(console.cwd, name), "utf8");
  } catch (error) {
    throw new HookError("HOOK_PAYLOAD_INVALID", `the event cannot be read: ${describeThrown(error)}`);
  }
  const payload = parseJsonObject(text);
  if (payload === undefined) throw new HookError("HOOK_PAYLOAD_INVALID", `${name} is not one JSON object`);
  return payload;
}
