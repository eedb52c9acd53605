import { isAbsolute, join } from "node:path";
import type { Placement } from "../../dialects/editing.ts";
import { isPlaced } from "../../dialects/editing.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import { dialectNamed } from "../../dialects/registry.ts";
import { HookError } from "../../errors.ts";
import { contractOf } from "../../events/lookup.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";

/** The agents whose settings `hookbox init` can write, and how each one names the command of a hook. */

/** A process that an agent starts for one event. */
export interface EntryCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly timeoutSeconds: number;
}

export interface AgentSetup {
  readonly title: string;
  /** The format of the settings file, and of the payloads. */
  readonly dialect: string;
  /** The user's settings, and the project's settings that are not part of the repository, if the agent reads such. */
  user(home: string, variables: Readonly<Record<string, string | undefined>>): string | undefined;
  readonly project?: string;
  /** The agent's own names of the events for which `hookbox init` writes a hook. */
  readonly events: readonly string[];
  place(value: unknown, event: string, command: EntryCommand): Promise<Placement>;
  /** Keys that are set in the project's settings too. */
  readonly projectKeys?: JsonObject;
  /** Whether the agent itself has to write its file first. */
  readonly needsFile?: true;
  /** The step that the user must take after `hookbox init`, as a sentence. */
  readonly next?: string;
}

/**
 * Claude Code's gates, and the events that follow a call or a session. Left out: events for each piece of text
 * (`MessageDisplay`), events that only report, and `WorktreeCreate`, whose hook has to print the path of a folder.
 */
const CLAUDE_EVENTS = [
  ...["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch"],
  ...["UserPromptSubmit", "UserPromptExpansion", "Stop", "SubagentStart", "SubagentStop"],
  ...["SessionStart", "SessionEnd", "PreCompact", "ConfigChange", "TaskCreated", "TaskCompleted", "TeammateIdle"],
  ...["PreModelSwitch", "Elicitation", "ElicitationResult"],
];

/** The events that Codex and Qwen Code were seen to send. */
const FEW_EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];

export const AGENTS: Readonly<Record<string, AgentSetup>> = {
  "claude-code": {
    title: "Claude Code",
    dialect: "claude-code",
    user: (home, { CLAUDE_CONFIG_DIR: folder }) =>
      join(folder !== undefined && isAbsolute(folder) ? folder : join(home, ".claude"), "settings.json"),
    project: ".claude/settings.local.json",
    events: CLAUDE_EVENTS,
    // Undoes `disableAllHooks: true` in the settings of the repository.
    projectKeys: { disableAllHooks: false },
    place: async (value, event, { file, args, timeoutSeconds }) => {
      const contract = contractOf(event, "claude-code");
      const closes = contract?.onFailure === "deny" ? { onFailure: "block" } : {};
      return inGroup(value, event, contract?.subject === null ? {} : { matcher: "*" }, {
        type: "command",
        command: file,
        args,
        timeout: timeoutSeconds,
        ...closes,
      });
    },
  },
  codex: {
    title: "Codex",
    dialect: "claude-code",
    user: (home) => join(home, ".codex/hooks.json"),
    project: ".codex/hooks.json",
    events: [...FEW_EVENTS, "SessionEnd"],
    place: shellHook({}),
    next: "Codex runs a hook only after you have reviewed it: type /hooks in Codex",
  },
  qwen: {
    title: "Qwen Code",
    dialect: "claude-code",
    user: (home) => join(home, ".qwen/settings.json"),
    project: ".qwen/settings.json",
    events: FEW_EVENTS,
    place: shellHook({ name: "hookbox" }),
  },
  "docker-agent": {
    title: "docker-agent",
    dialect: "docker-agent",
    user: (home) => join(home, ".config/cagent/hooks.d/call-hookbox.yaml"),
    events: [
      ...["pre_tool_use", "tool_guard", "permission_request", "post_tool_use", "user_prompt_submit"],
      ...["session_start", "session_end", "stop", "subagent_stop"],
    ],
    place: byEditor("docker-agent"),
  },
  autohand: {
    title: "Autohand",
    dialect: "autohand",
    user: (home) => join(home, ".autohand/config.json"),
    events: ["pre-tool", "permission-request", "post-tool", "pre-prompt", "session-start", "session-end", "stop"],
    place: byEditor("autohand"),
    needsFile: true,
  },
  agentao: {
    title: "Agentao",
    dialect: "agentao",
    // Only plugins have hooks, so the user names the file with --file.
    user: () => undefined,
    events: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop"],
    place: byEditor("agentao"),
  },
};

/** Why hookbox does not write the settings of these agents, and what the user can do. */
const OTHERS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  openclaw: {
    why: "OpenClaw's hooks are functions of plugins in code; no settings file lists them",
    hint: "hookbox convert --from hookbox --to openclaw hookbox.json --out openclaw-plugin writes a plugin",
  },
  gemini: {
    why: "Gemini CLI has its own events and replies, and hookbox has no dialect for them",
    hint: "docs/replies.md lists what Gemini CLI does with each reply",
  },
  kimi: {
    why: "Kimi Code's hooks are in a TOML file, which hookbox cannot edit",
    hint: 'add the entry by hand: "Other agents with this entry" in docs/claude-code.md',
  },
  copilot: {
    why: "Copilot CLI reads hooks only from files of the repository, which must not name paths of one user's machine",
    hint: 'add the entry by hand: "Other agents with this entry" in docs/claude-code.md',
  },
};

export const AGENT_NAMES: readonly string[] = Object.keys(AGENTS);

export function agentNamed(name: string): AgentSetup {
  if (Object.hasOwn(AGENTS, name)) return AGENTS[name] as AgentSetup;
  const other = Object.hasOwn(OTHERS, name) ? OTHERS[name] : undefined;
  const hint = other?.hint ?? `known: ${AGENT_NAMES.join(", ")}`;
  throw new HookError("HOOK_INIT_AGENT", other?.why ?? `there is no agent "${name}"`, { hint });
}

function inGroup(value: unknown, event: string, head: JsonObject, hook: JsonObject): Placement {
  const groups = valueAt(value, ["hooks", event]);
  return {
    path: ["hooks", event, Array.isArray(groups) ? groups.length : isJsonObject(groups) ? 1 : 0],
    value: { ...head, hooks: [hook] },
  };
}

/** Writes a hook for agents that start their hooks with a shell. */
function shellHook(more: JsonObject): AgentSetup["place"] {
  return async (value, event, command) =>
    inGroup(
      value,
      event,
      {},
      {
        ...more,
        type: "command",
        command: shellLine(command),
        timeout: command.timeoutSeconds,
      },
    );
}

function byEditor(dialect: string): AgentSetup["place"] {
  return async (value, event, command) => {
    const editing = await dialectNamed(dialect)?.editing();
    if (editing === undefined || "reason" in editing) throw new TypeError(`hooks of ${dialect} cannot be edited`);
    const { timeoutSeconds } = command;
    const placed = editing.place(value, event, { type: "command", run: shellLine(command), timeoutSeconds });
    if (isPlaced(placed)) return placed;
    throw new HookError("HOOK_EDIT_HOOK", placed.whyNot, placed.hint === undefined ? {} : { hint: placed.hint });
  };
}

function shellLine({ file, args }: EntryCommand): string {
  const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
  return [file, ...args].map(quote).join(" ");
}
