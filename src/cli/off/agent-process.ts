import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { entryOf, ownEnvironmentOf } from "../../processes/process-table.ts";
import { OFF_VARIABLE } from "./off-file.ts";

/**
 * Tells a person's command from an agent's, by the processes above it. `/proc` shows the variables with which a process
 * was started. An agent that changes its own variables later, for example by a repository's settings, does not change
 * these.
 */

/** Variables that agents set for the commands and hooks that they start, and that users do not set. */
const AGENT_VARIABLES = [
  ...["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_PROJECT_DIR", "AI_AGENT"],
  ...["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "COPILOT_CLI", "CURSOR_AGENT"],
  ...["GEMINI_CLI", "GEMINI_SESSION_ID", "OPENCODE", "QWEN_CODE", "QWEN_CODE_SESSION_ID"],
];

const AGENT_PROGRAMS = [
  ...["agentao", "aider", "autohand", "cagent", "claude", "codex", "copilot", "cursor-agent", "docker-agent"],
  ...["gemini", "kimi", "openclaw", "opencode", "qwen"],
];

const SHELLS = ["sh", "dash", "bash", "zsh", "fish", "ksh", "busybox", "env", "timeout", "nice"];

/** Returns the variable that an agent has set, as a phrase. */
export function agentVariable(names: Iterable<string> = Object.keys(process.env)): string | undefined {
  const set = new Set(names);
  const found = AGENT_VARIABLES.find((name) => set.has(name));
  return found && `the variable ${found}`;
}

interface Ancestor {
  readonly pid: number;
  readonly program: string;
  /** The variables at the start of the process. Empty if the process belongs to another user. */
  readonly variables: ReadonlyMap<string, string>;
}

/** Returns the processes above `pid`, the parent first. Empty without `/proc`. */
function ancestorsOf(pid: number): readonly Ancestor[] {
  const found: Ancestor[] = [];
  for (let at = entryOf(pid)?.parent ?? 0; at > 0 && found.length < 64; at = entryOf(at)?.parent ?? 0) {
    const entries = ownEnvironmentOf(at)
      .split("\0")
      .map((text): [string, string] => {
        const cut = text.indexOf("=");
        return [text.slice(0, Math.max(0, cut)), text.slice(cut + 1)];
      });
    found.push({ pid: at, program: programOf(at), variables: new Map(entries) });
  }
  return found;
}

/** Returns the name of a process's program. For a script, the script's name. */
function programOf(pid: number): string {
  try {
    const [first = "", second = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const name = basename(first).replace(/^-/, "");
    return /^(node|nodejs|bun|python[\d.]*)$/.test(name) && second !== ""
      ? basename(second).replace(/\.[cm]?js$/, "")
      : name;
  } catch {
    return "";
  }
}

const isAgent = ({ program, variables }: Ancestor): boolean =>
  AGENT_PROGRAMS.includes(program) || agentVariable(variables.keys()) !== undefined;

/** Returns the agent that has started this process, directly or not: its program, or the variable that it has set. */
export function agentAbove(): string | undefined {
  const variable = agentVariable();
  if (variable !== undefined) return variable;
  const agent = ancestorsOf(process.pid).find(isAgent);
  return agent && `process ${agent.pid}, ${agent.program}`;
}

/**
 * Returns why `HOOKBOX_OFF` has no effect for the hook process `pid`. `undefined`: the variable counts, because the
 * agent itself was started with it, and no other agent has started that agent.
 */
export function whyVariableHasNoEffect(pid: number | undefined): string | undefined {
  if (pid === undefined) return "the relay does not say which process the agent has started";
  const above = ancestorsOf(pid);
  if (above.length === 0) return "this system does not show with which variables a process was started";
  const at = above.findIndex(
    ({ program, variables }) => agentVariable(variables.keys()) === undefined && !SHELLS.includes(program),
  );
  if (at === -1) return "no process above the hook is the agent that a user has started";
  const [agent, ...others] = above.slice(at) as [Ancestor, ...Ancestor[]];
  const unset = above.slice(0, at + 1).find(({ variables }) => variables.get(OFF_VARIABLE) !== "1");
  if (unset !== undefined)
    return `process ${unset.pid}, ${unset.program}, was started without ${OFF_VARIABLE}=1; a variable that was set later may come from a repository`;
  const outer = others.find(isAgent);
  return outer && `process ${outer.pid}, ${outer.program}, is an agent too, and has started ${agent.program}`;
}
