// shell-guard: denies shell commands that destroy data which cannot be restored, and writes to protected paths.

import { ask, defineGuard, deny, type Reply } from "hookbox/guest";
import { newCommand, newPipeline } from "../../src/shell/command.ts";
import { hasMarks, withoutMarks } from "../../src/shell/marks.ts";
import { Directories } from "./paths/directory.ts";
import { doubtOf, Protected, show, withHome } from "./paths/protected.ts";
import { judge } from "./rules/judge.ts";
import { Finding, Shell } from "./shell.ts";

const SHELL_TOOLS: ReadonlySet<unknown> = new Set(["Bash", "bash", "run_shell_command", "shell", "exec"]);
/** Fields in which agents' tools name the directory of one call. */
const DIRECTORY_FIELDS: ReadonlySet<string> = new Set(["cwd", "workdir", "directory", "working_directory", "dir_path"]);
/** Agents whose tools always appear with `cwd`, whatever the agent's own field is. Their other fields are not read. */
const DIALECTS_WITH_CWD: ReadonlySet<unknown> = new Set(["docker-agent", "agentao", "autohand", "openclaw"]);
const FILE_TOOLS: ReadonlySet<unknown> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
const MAX_COMMAND_LENGTH = 65_536;
/** The maximum length of a text with characters to replace, which costs more than reading. */
const MAX_MARKED_LENGTH = 4_096;

type Verdict = Reply<"ask" | "deny", never> | undefined;

export default defineGuard({
  name: "shell-guard",
  version: "0.2.0",
  description: "Denies shell commands that destroy data which cannot be restored, and writes to protected paths.",
  events: ["PreToolUse", "PermissionRequest"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      protectedPaths: {
        type: "array",
        items: { type: "string", minLength: 1 },
        default: [],
        description:
          "More paths that must not be removed or written, with everything below them. `~/` is the home directory; a relative path is below the working directory.",
      },
      gitHistory: {
        type: "boolean",
        default: true,
        description: "Whether to deny git commands that lose commits or uncommitted work.",
      },
    },
  },
  handle(event, context) {
    const isShell = SHELL_TOOLS.has(event.tool_name);
    if (!isShell && !FILE_TOOLS.has(event.tool_name)) return undefined;
    // The host does not check the form of a tool's input.
    const input: unknown = event.tool_input;
    if (!isObject(input)) return undefined;
    const { protectedPaths, gitHistory } = context.config;
    const cwd = typeof event.cwd === "string" ? withoutMarks(event.cwd) : "";
    const judge = (directory?: string): Verdict => {
      const places = new Protected(new Directories(cwd), protectedPaths.map(withoutMarks));
      if (directory !== undefined) places.directories.change(directory, true);
      return isShell ? judgeCommand(input["command"], places, gitHistory) : judgeFiles(input, places);
    };
    const directories = directoriesOf(input, event.dialect);
    return directories === undefined ? judge() : judgeIn(directories, judge);
  },
});

const ONTO = { onto: true };

type Fields = Readonly<Record<string, unknown>>;

/** Returns the directories that a call's input names. Most calls name none and run in the agent's directory. */
function directoriesOf(input: Fields, dialect: unknown): unknown[] | undefined {
  let named: unknown[] | undefined;
  for (const key in input) {
    if (!DIRECTORY_FIELDS.has(key) || (key !== "cwd" && DIALECTS_WITH_CWD.has(dialect))) continue;
    const value = input[key];
    if (value === null || value === "" || value === ".") continue;
    named ??= [];
    named.push(value);
  }
  return named;
}

/** Returns the strictest verdict, because it is unknown which of several directories the tool uses. */
function judgeIn(directories: readonly unknown[], judge: (directory: string) => Verdict): Verdict {
  let asked: Verdict;
  for (const directory of directories) {
    // A shell could expand other directories, or the tool could read them differently.
    const isPlain = typeof directory === "string" && !/[$`\n]/.test(directory);
    const verdict = isPlain
      ? judge(directory === "-" ? "./-" : withHome(withoutMarks(directory)))
      : ask(`this call could not be checked: its directory cannot be read: ${show(String(directory))}`);
    if (verdict?.kind === "deny") return verdict;
    asked ??= verdict;
  }
  return asked;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function judgeCommand(command: unknown, places: Protected, gitHistory: boolean): Verdict {
  if (command === undefined) return undefined;
  try {
    if (typeof command === "string") return judgeText(command, places, gitHistory);
    // Some agents send a list of arguments, which no shell parses again.
    if (!isListOfTexts(command)) return ask("this command could not be checked: it is not text");
    const words = command.map(withoutMarks);
    const shell = new Shell(places, gitHistory, words.join("").length, judge);
    shell.take(newCommand(words), newPipeline());
    return answerOf(shell);
  } catch (finding) {
    if (!(finding instanceof Finding)) throw finding;
    return finding.decision === "deny" ? deny(finding.reason) : ask(finding.reason);
  }
}

function judgeText(command: string, places: Protected, gitHistory: boolean): Verdict {
  const isLong = command.length > (hasMarks(command) ? MAX_MARKED_LENGTH : MAX_COMMAND_LENGTH);
  if (isLong) return ask("this command could not be checked: it is too long");
  const shell = new Shell(places, gitHistory, command.length, judge);
  shell.runScript(withoutMarks(command));
  if (shell.evaluates) shell.runValues();
  return answerOf(shell);
}

function answerOf({ asked }: Shell): Verdict {
  return asked === undefined ? undefined : ask(asked);
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function judgeFiles(input: Fields, places: Protected): Verdict {
  if (!places.hasConfigured) return undefined;
  let doubt = false;
  let adrift: string | undefined;
  for (const key of ["file_path", "notebook_path"]) {
    const path = input[key];
    if (path === undefined) continue;
    if (typeof path !== "string") doubt = true;
    else {
      const target = withHome(withoutMarks(path));
      if (places.protection(target, ONTO) !== undefined) return deny(`writing to a protected path: ${show(path)}`);
      if (places.mayProtect(target, ONTO)) adrift ??= path;
    }
  }
  if (adrift !== undefined) return ask(doubtOf(adrift));
  return doubt ? ask("this path could not be checked: it is not text") : undefined;
}
