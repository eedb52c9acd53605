/** What model hooks and built-in hooks wait for, each as a phase in which a caller can cancel. */

/** What can be counted at the places where they wait. */
interface PhaseWorld {
  /** Number of requests to the server of models. */
  requests(model: string): number;
  /** Number of questions to a model of the embedder's. */
  questions(model: string): number;
  lines(word: string): number;
  connections(): number;
  results(): number;
  hangingUrl(): string;
}

export interface Phase {
  readonly event: string;
  readonly hook: () => Readonly<Record<string, unknown>>;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** The file with marks that show that the phase has started; none if the phase starts with the call. */
  readonly marks?: string;
  /** Counts the marks. */
  readonly count?: () => number;
  /** How many further marks there must be. Default: one. */
  readonly needs?: number;
  /** Too short for a deadline during it on any machine: the deadline would pass in a phase that is a separate case. */
  readonly isShort?: boolean;
  /** Ends before its deadline without an opinion, and gives the reason. */
  readonly givesUp?: boolean;
  /** Other calls that run at the same time. */
  readonly beside?: number;
}

type Marks = Required<Pick<Phase, "marks" | "count">>;

export function phasesOf(world: PhaseWorld): Readonly<Record<string, Phase>> {
  const requested = (model: string): Marks => ({
    marks: `requests for ${model}`,
    count: () => world.requests(model),
  });
  const askedFor = (model: string): Marks => ({
    marks: `questions to ${model}`,
    count: () => world.questions(model),
  });
  const logs = (word: string): Marks => ({ marks: `lines that say ${word}`, count: () => world.lines(word) });
  const prompt = (model: string): Phase => ({
    event: "PreToolUse",
    hook: () => ({ type: "prompt", model, prompt: "May it? $ARGUMENTS" }),
    ...requested(model),
  });
  const agent = (model: string): Phase => ({
    event: "PreToolUse",
    hook: () => ({ type: "agent", model, prompt: "May it?" }),
    ...askedFor(model),
  });
  const tool = (server: string, name: string, word: string, beside = 0): Phase => ({
    event: "PreToolUse",
    hook: () => ({ type: "mcp_tool", server, tool: name }),
    ...logs(word),
    needs: Math.max(1, beside),
    beside,
  });
  const builtin = (name: string, event: string, more: Partial<Phase>): Phase => ({
    event,
    hook: () => ({ type: "function", run: `builtin:${name}` }),
    ...more,
  });

  return {
    "a model, connecting": {
      ...prompt("mute/small"),
      marks: "connections to nobody",
      count: world.connections,
    },
    "a model, before the first byte": prompt("stub/hangs"),
    "a model, in its answer": prompt("stub/hangs-half-way"),
    "a model, in a stream": prompt("stream/drips-for-ever"),
    "a model, waiting for another try": prompt("stub/wants-a-long-wait"),
    "a model of the embedder's": {
      ...agent("own/hangs"),
      hook: () => ({ type: "prompt", model: "own/hangs", prompt: "?" }),
    },
    "an agent, asking": { ...prompt("stub/hangs"), hook: () => ({ type: "agent", model: "stub/hangs", prompt: "?" }) },
    "an agent, walking": { ...agent("own/globs"), isShort: true },
    "an agent, reading": agent("own/greps"),
    "a tool, starting its server": {
      event: "PreToolUse",
      hook: () => ({ type: "mcp_tool", server: "well", tool: "hangs" }),
      isShort: true,
    },
    "a tool, shaking hands": {
      ...tool("silent", "hangs", "started"),
      hook: () => ({ type: "mcp_tool", server: "silent", tool: "pid" }),
    },
    "a tool, waiting for its turn": tool("well", "hangs", "hangs", 8),
    "a tool, at work": tool("well", "hangs", "hangs"),
    "a tool, blocking its server": tool("well", "blocks", "blocks"),
    "a tool of a web server": {
      event: "PreToolUse",
      hook: () => ({ type: "mcp_tool", server: "web", tool: "any" }),
    },
    "a built-in, running git": builtin("add_git_status", "UserPromptSubmit", logs("git")),
    "a built-in, posting": builtin("http_post", "PreToolUse", {
      hook: () => ({ type: "function", run: "builtin:http_post", args: [world.hangingUrl(), "hello"] }),
    }),
    "a built-in, putting a result into a file": builtin("limit_large_tool_results", "PostToolUse", {
      payload: { tool_response: Array.from({ length: 200 }, () => "line\n".repeat(100_000)) },
      marks: "files of results",
      count: world.results,
      isShort: true,
    }),
    "a built-in, taking a snapshot": { ...builtin("snapshot", "PreToolUse", logs("git")), givesUp: true },
    "a built-in, asking for a message": builtin("smart-commit", "Stop", {
      givesUp: true,
      hook: () => ({ type: "function", run: "builtin:smart-commit", args: ["own/hangs"] }),
      ...askedFor("own/hangs"),
    }),
  };
}
