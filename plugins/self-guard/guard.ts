// self-guard: keeps an agent from switching hookbox off, and from changing the settings that start it.

import { type Action, ask, defineGuard, deny, type Reply } from "hookbox/guest";
import { withoutMarks } from "../../src/shell/marks.ts";
import { pathOf, Refusal, textsInCode, type Use, visitCommand } from "../files/command-files.ts";
import { named, Patterns } from "../files/patterns.ts";
import type { Path } from "../shell-guard/paths/path.ts";
import { show } from "../shell-guard/paths/protected.ts";
import { isOwnVariable, refusalOf } from "./commands.ts";
import { CHANGES, PROTECTED_FILES, WITH_FOLDER } from "./protected.ts";

type Verdict = Reply<"ask" | "deny", never> | undefined;

const FILES = new Patterns(PROTECTED_FILES);
const FOLDERS = new Patterns(WITH_FOLDER);
/** A text without one of these words changes nothing of hookbox's, unless it is built from parts. */
const NAMES: readonly string[] = [
  ...["hook", "claude", "codex", "qwen", "gemini", "copilot", "kimi", "cagent", "autohand", "agentao", "openclaw"],
  ...["opencode", ".pi", "relay", "settings"],
];

/** A search for each word, because a regular expression with all words costs forty times as much for a long text. */
function namesOurs(text: string): boolean {
  const lower = text.toLowerCase();
  return NAMES.some((name) => lower.includes(name));
}

export default defineGuard({
  name: "self-guard",
  version: "0.1.0",
  description: "Denies calls that switch hookbox off, change its files or the agent's settings, or end its processes.",
  events: ["PreToolUse", "PermissionRequest"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      files: {
        type: "array",
        items: { type: "string", minLength: 1 },
        default: [],
        description: "More files that decide how hookbox runs, such as a configuration with another name.",
      },
    },
  },
  handle(event, { config }) {
    const cwd = typeof event.cwd === "string" ? withoutMarks(event.cwd) : "";
    const own = new Patterns(config.files);
    const check = (use: Use, path: Path, word: string): void => {
      if (use === "read") return;
      const names = named(path);
      const takesFolder = use === "delete" || use === "move";
      if (own.verdict(names) ?? FILES.verdict(names) ?? (takesFolder && FOLDERS.isIn(names)))
        throw new Refusal(`${show(word)} decides how hookbox runs; only the user may change it`);
    };
    let asked: Verdict;
    try {
      for (const action of event.actions) asked ??= judge(action, cwd, check);
    } catch (found) {
      if (!(found instanceof Refusal)) throw found;
      return deny(found.reason);
    }
    return asked;
  },
});

function judge(action: Action, cwd: string, check: (use: Use, path: Path, word: string) => void): Verdict {
  switch (action.kind) {
    case "write":
    case "delete":
      check(action.kind, pathOf(action.path, cwd), action.path);
      return undefined;
    case "move":
      check("move", pathOf(action.path, cwd), action.path);
      check("write", pathOf(action.to, cwd), action.to);
      return undefined;
    case "unread":
      return action.of === "read" || action.of === "request"
        ? undefined
        : ask(`this call could not be checked: ${action.why}`);
    case "command": {
      const { command } = action;
      const text = typeof command === "string" ? command : command.join(" ");
      const doubt = visitCommand(action, cwd, {
        file: check,
        call: (call, words) => {
          const refusal = refusalOf(call, words, text);
          if (refusal !== undefined) throw new Refusal(refusal);
        },
        variable: (name) => {
          if (isOwnVariable(name))
            throw new Refusal(`${name} decides whether hookbox judges a call; only the user may set it`);
        },
        code: (program) => {
          if (CHANGES.test(program)) for (const one of textsInCode(program)) check("write", pathOf(one, cwd), one);
        },
      });
      // A text that cannot be read and does not mention hookbox or an agent is another guard's matter.
      return doubt !== undefined && namesOurs(text) ? ask(doubt) : undefined;
    }
    default:
      return undefined;
  }
}
