// command-policy: decides by lists of permission rules, so that a team writes a policy without code.

import { type Action, ask, defineGuard, deny } from "hookbox/guest";
import type { JsonObject } from "../../src/json.ts";
import { withoutMarks } from "../../src/shell/marks.ts";
import { visitCommand } from "../files/command-files.ts";
import type { Path } from "../shell-guard/paths/path.ts";
import { show } from "../shell-guard/paths/protected.ts";
import { normalized } from "./file-pattern.ts";
import { commandsIn, type Deed, type PolicyRule, policyRule } from "./rule.ts";

const RULES = { type: "array", items: { type: "string", minLength: 1 }, default: [] } as const;

export default defineGuard({
  name: "command-policy",
  version: "0.1.0",
  description: "Decides about calls by lists of permission rules, such as Bash(git push *) and Edit(src/**).",
  events: ["PreToolUse", "PermissionRequest"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      deny: { ...RULES, description: "Calls that are denied. `deny` outranks `ask`, and `ask` outranks `allow`." },
      ask: { ...RULES, description: "Calls about which the user is asked." },
      allow: { ...RULES, description: "Calls to which `otherwise` does not apply." },
      otherwise: {
        enum: ["pass", "ask", "deny"],
        default: "pass",
        description: "The decision about calls that no list has.",
      },
    },
  },
  handle(event, { config }) {
    const { actions, tool_name: tool } = event;
    const cwd = typeof event.cwd === "string" ? withoutMarks(event.cwd) : "";
    const deeds = actions.flatMap((action) => deedsOf(action, tool, cwd));
    const call: Deed = { kind: "tool", names: [tool], input: event.tool_input as JsonObject };
    const all = [call, ...deeds];
    let doubt: string | undefined;
    for (const rule of config.deny.map(policyRule)) {
      for (const deed of all) {
        const match = rule.match(deed);
        if (match === "yes") return deny(`the policy denies ${rule.text}`);
        if (match === "doubt") doubt ??= `the policy denies ${rule.text}, and this call may be such a call`;
      }
    }
    for (const rule of config.ask.map(policyRule)) {
      if (all.some((deed) => rule.match(deed) !== "no")) doubt ??= `the policy asks about ${rule.text}`;
    }
    if (doubt !== undefined) return ask(doubt);
    const { otherwise } = config;
    if (otherwise === "pass") return undefined;
    const allow = config.allow.map(policyRule);
    // A rule for the tool itself allows all that the tool does. Files of commands belong to their command.
    if (allow.some((rule) => rule.match(call) === "yes")) return undefined;
    const done = actions.flatMap((action) => deedsOf(action, tool, cwd).slice(0, action.kind === "move" ? 2 : 1));
    const isAllowed = done.length === actions.length && done.length > 0 && done.every((deed) => allows(allow, deed));
    if (isAllowed) return undefined;
    const reason = `the policy allows no call like this: ${show(describe(deeds[0] ?? call))}`;
    return otherwise === "deny" ? deny(reason) : ask(reason);
  },
});

function allows(rules: readonly PolicyRule[], deed: Deed): boolean {
  if (deed.kind !== "command") return rules.some((rule) => rule.match(deed) === "yes");
  const concerned = rules.filter((rule) => rule.match(deed) !== "no");
  const commands = deed.isUnreadable ? undefined : commandsIn(deed.command);
  return commands?.every((command) => concerned.some((rule) => rule.commands?.(command))) === true;
}

function describe(deed: Deed): string {
  if (deed.kind === "command") return deed.command;
  if (deed.kind === "file") return `${deed.names[0]}(${deed.path})`;
  return deed.kind === "request" ? deed.url : (deed.names[0] ?? "");
}

const READ = ["Read"];
const WRITE = ["Edit", "Write"];

/** Returns what an action does: the action itself first, then the files of a command. */
function deedsOf(action: Action, tool: string, cwd: string): readonly Deed[] {
  const file = (names: readonly string[], path: string): Deed => ({ kind: "file", names, path: normalized(path), cwd });
  switch (action.kind) {
    case "read":
      return [file(READ, action.path)];
    case "write":
    case "delete":
      return [file(WRITE, action.path)];
    case "move":
      return [file(WRITE, action.path), file(WRITE, action.to)];
    case "request":
      return [{ kind: "request", names: ["WebFetch"], url: action.url }];
    case "command": {
      const { command, shell } = action;
      const text = typeof command === "string" ? command : command.map(quoted).join(" ");
      const names = shell === "powershell" ? ["Bash", "PowerShell", tool] : ["Bash", tool];
      const files: Deed[] = [];
      visitCommand(action, cwd, {
        file: (use, path) => void files.push(file(use === "read" ? READ : WRITE, textOf(path, cwd))),
      });
      return [{ kind: "command", names, command: text, isUnreadable: shell !== undefined }, ...files];
    }
    default:
      return [];
  }
}

function textOf({ base, user, segments }: Path, cwd: string): string {
  const homes = cwd.startsWith("/Users/") ? "/Users" : "/home";
  const home = user === "" ? "~" : user === "root" ? "/root" : `${homes}/${user}`;
  const start = base === "home" ? home : base === "root" ? "" : ".";
  return [start, ...segments].join("/");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
