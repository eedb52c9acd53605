// shell-guard: denies shell commands that destroy data which cannot be restored, and writes to protected paths.

import { type Action, ask, defineGuard, deny, type Reply } from "hookbox/guest";
import { newCommand, newPipeline } from "../../src/shell/command.ts";
import { hasMarks, withoutMarks } from "../../src/shell/marks.ts";
import { Directories } from "./paths/directory.ts";
import { doubtOf, NAMES, Protected, type Scope, show, withHome } from "./paths/protected.ts";
import type { Decision } from "./rules/category.ts";
import { isJudged, judge } from "./rules/judge.ts";
import { MODES, Policy } from "./rules/policy.ts";
import { Finding, Shell, TOO_LONG } from "./shell.ts";

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
      workFolders: {
        type: "array",
        items: { type: "string", minLength: 1 },
        default: [],
        description: "Folders in which commands may remove files, in addition to the working directory.",
      },
      mode: {
        enum: MODES,
        default: "guarded",
        description:
          "`guarded` decides about commands with damage only. `balanced` asks about every command that is not known to only read, `strict` about every command; `restricted` denies what `balanced` asks about; `autonomous` permits everything.",
      },
      verdicts: {
        type: "object",
        additionalProperties: { enum: ["deny", "ask", "pass"] },
        default: {},
        description: "Decisions for packs and categories, such as `containers` and `git-clean`.",
      },
    },
  },
  handle(event, { config }) {
    const cwd = typeof event.cwd === "string" ? withoutMarks(event.cwd) : "";
    const policy = new Policy(config.mode, config.verdicts);
    let asked: Verdict;
    for (const action of event.actions) {
      let start = cwd;
      // If the agent sends no directory, the call's own absolute directory is the only known one.
      if (cwd === "" && action.kind === "command" && action.directory?.startsWith("/")) start = action.directory;
      const verdict = judgeAction(
        action,
        new Protected(new Directories(start), config.protectedPaths.map(withoutMarks), config.workFolders),
        start,
        policy,
      );
      if (verdict?.kind === "deny") return verdict;
      asked ??= verdict;
    }
    return asked;
  },
});

function judgeAction(action: Action, places: Protected, start: string, policy: Policy): Verdict {
  switch (action.kind) {
    case "command": {
      const { command, directory, shell } = action;
      if (directory !== undefined && directory !== start) places.directories.change(absolute(directory), true);
      const verdict = judgeCommand(command, places, policy);
      // The reader knows POSIX shells. What another shell reads in the same way is dangerous there too.
      return shell !== undefined && verdict?.kind === "ask" ? undefined : verdict;
    }
    case "write":
      return judgeFile("writing to", action.path, places, ONTO);
    case "delete":
      return judgeFile("deleting", action.path, places, TREE);
    case "move":
      return judgeFile("moving", action.path, places, WHOLE) ?? judgeFile("writing to", action.to, places, ONTO);
    case "unread": {
      const { of, at, why } = action;
      const matters = of === "command" || of === "delete" || of === "move" || (of === "write" && places.hasConfigured);
      return matters ? ask(`this call could not be checked: ${why}${at === "" ? "" : ` (${show(at)})`}`) : undefined;
    }
    default:
      return undefined;
  }
}

const ONTO: Scope = { onto: true };
const WHOLE: Scope = { system: true, work: true };
const TREE: Scope = { system: true, inside: true, work: true };

function absolute(directory: string): string {
  return directory === "-" ? "./-" : withHome(withoutMarks(directory));
}

function judgeFile(how: string, path: string, places: Protected, scope: Scope): Verdict {
  if (scope === ONTO && !places.hasConfigured) return undefined;
  const target = withHome(withoutMarks(path));
  const what = places.protection(target, scope);
  if (what !== undefined) return deny(`${how} ${NAMES[what]}: ${show(path)}`);
  return places.mayProtect(target, scope) ? ask(doubtOf(path)) : undefined;
}

function judgeCommand(command: string | readonly string[], places: Protected, policy: Policy): Verdict {
  try {
    if (typeof command === "string") return judgeText(command, places, policy);
    const words = command.map(withoutMarks);
    const shell = new Shell(places, policy, words.join("").length, judge, isJudged);
    shell.take(newCommand(words), newPipeline());
    return answerOf(shell);
  } catch (finding) {
    if (!(finding instanceof Finding)) throw finding;
    return replyOf(finding.decision, finding.reason);
  }
}

function judgeText(command: string, places: Protected, policy: Policy): Verdict {
  const isLong = command.length > (hasMarks(command) ? MAX_MARKED_LENGTH : MAX_COMMAND_LENGTH);
  if (isLong) return replyOf(policy.decide(TOO_LONG), `${TOO_LONG.because}: it is too long`);
  const shell = new Shell(places, policy, command.length, judge, isJudged);
  shell.judgeText(withoutMarks(command));
  return answerOf(shell);
}

function replyOf(decision: Decision, reason: string): Verdict {
  if (decision === "pass") return undefined;
  return decision === "deny" ? deny(reason) : ask(reason);
}

function answerOf(shell: Shell): Verdict {
  shell.endText();
  return shell.asked === undefined ? undefined : ask(shell.asked);
}
