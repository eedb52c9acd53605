import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { callersProcess } from "../../caller.ts";
import { HookError } from "../../errors.ts";
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

/** Programs that run a script, whose name is not their own. */
const RUNTIMES = /^(node|nodejs|bun|deno|python[\d.]*)$/;

/** Scripts of the agents that npm installs. Their names do not say which agent they start. */
const AGENT_PACKAGES =
  /\/node_modules\/(@anthropic-ai\/claude-code|@github\/copilot|@google\/gemini-cli|@moonshot-ai\/kimi-code|@openai\/codex|@qwen-code\/qwen-code|openclaw)\//;

const SHELLS = ["sh", "dash", "bash", "zsh", "fish", "ksh", "busybox", "env", "timeout", "nice"];

/** Returns the variable that an agent has set, as a phrase. */
function agentVariable(names: Iterable<string> = Object.keys(process.env)): string | undefined {
  const set = new Set(names);
  const found = AGENT_VARIABLES.find((name) => set.has(name));
  return found && `the variable ${found}`;
}

interface Ancestor {
  readonly pid: number;
  /** The name of the program, or of its script. */
  readonly program: string;
  /** The program, and for a script also the arguments: options of the runtime may be before the script. */
  readonly words: readonly string[];
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
    found.push({ pid: at, ...commandOf(at), variables: new Map(entries) });
  }
  return found;
}

function commandOf(pid: number): Pick<Ancestor, "program" | "words"> {
  try {
    const [first = "", ...more] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const name = nameOf(first);
    if (!RUNTIMES.test(name)) return { program: name, words: [first] };
    const words = more.filter((word) => word !== "" && !word.startsWith("-"));
    return { program: words[0] === undefined ? name : nameOf(words[0]), words: [first, ...words] };
  } catch {
    return { program: "", words: [] };
  }
}

const nameOf = (path: string): string =>
  basename(path)
    .replace(/^-/, "")
    .replace(/\.([cm]?js|exe)$/, "");

const isAgent = ({ words, variables }: Ancestor): boolean =>
  words.some((word) => AGENT_PROGRAMS.includes(nameOf(word)) || AGENT_PACKAGES.test(word)) ||
  agentVariable(variables.keys()) !== undefined;

/** Returns the agent that has started this process, directly or not: its program, or the variable that it has set. */
export function agentAbove(): string | undefined {
  const variable = agentVariable();
  if (variable !== undefined) return variable;
  const pid = callersProcess();
  const agent = pid === undefined ? undefined : ancestorsOf(pid).find(isAgent);
  return agent && `process ${agent.pid}, ${agent.program}`;
}

/** Throws if an agent seems to have started this command, because the decision is a person's. */
export function refuseAgents(hint: string): void {
  const agent = agentAbove();
  if (agent === undefined) return;
  throw new HookError("HOOK_PERSON_NEEDED", `an agent seems to have started this command: ${agent}`, { hint });
}

/**
 * Returns why a variable has no effect for the hook process `pid`. `undefined`: the variable counts, because the agent
 * itself was started with this value, and no other agent has started that agent.
 */
export function whyVariableHasNoEffect(
  pid: number | undefined,
  [variable, value]: readonly [name: string, value: string] = [OFF_VARIABLE, "1"],
): string | undefined {
  if (pid === undefined) return "the relay does not say which process the agent has started";
  const above = ancestorsOf(pid);
  if (above.length === 0) return "this system does not show with which variables a process was started";
  const at = above.findIndex(
    ({ program, variables }) => agentVariable(variables.keys()) === undefined && !SHELLS.includes(program),
  );
  if (at === -1) return "no process above the hook is the agent that a user has started";
  const [agent, ...others] = above.slice(at) as [Ancestor, ...Ancestor[]];
  const unset = above.slice(0, at + 1).find(({ variables }) => variables.get(variable) !== value);
  if (unset !== undefined)
    return `process ${unset.pid}, ${unset.program}, was started without ${variable}=${value}; a variable that was set later may come from a repository`;
  // Some agents start themselves again, after they have read variables from a file of the project.
  const outer = others.find(
    (one) => isAgent(one) || (one.program === agent.program && one.variables.get(variable) !== value),
  );
  return outer && `process ${outer.pid}, ${outer.program}, is an agent too, and has started ${agent.program}`;
}
