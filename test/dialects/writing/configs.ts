import { EVENT_NAMES, isEventOf } from "../../../src/events/lookup.ts";
import type { EventName } from "../../../src/events/table.ts";
import fc from "../../helpers/fc.ts";

/** Configurations of each dialect, as rich as its format allows, in which every hook can be read. */

/** Dialects of these properties: those with hooks in a file. `openclaw` has none. */
export const WITH_READERS = [
  "hookbox",
  "claude-code",
  "docker-agent",
  "agentao",
  "autohand",
  "patterns",
] as const satisfies readonly Written[];
export type Written = "hookbox" | "claude-code" | "docker-agent" | "agentao" | "autohand" | "patterns";

const NAMES = [
  "Bash",
  "Edit",
  "Write",
  "WebFetch",
  "shell",
  "edit_file",
  "run_command",
  "write_file",
  "mcp__x__y",
  "Notebook-1",
];

/** Commands that `sh` can run and that print different texts. */
const COMMANDS = [
  "true",
  "exit 1",
  "echo no >&2; exit 2",
  `echo '{"decision":"block","reason":"blocked"}'`,
  `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"n"}}'`,
  `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`,
  `echo '{"hookSpecificOutput":{"hook_event_name":"pre_tool_use","permission_decision":"deny"}}'`,
  "echo plain",
] as const;

const command = fc.constantFrom(...COMMANDS);
const condition = fc.constantFrom(
  "Bash(git push *)",
  "Write(src/**)",
  "Edit",
  "mcp__x__*",
  "WebFetch(domain:a.example)",
);
const url = fc.constantFrom("http://localhost:9/a", "https://a.example/hook");
const env = fc.dictionary(fc.constantFrom("A", "B_C"), fc.constantFrom("1", "two words"), { maxKeys: 2 });
const headers = fc.dictionary(fc.constantFrom("x-a", "x-b"), fc.constantFrom("1", "$A"), { maxKeys: 2 });
const filter = fc.record(
  { tools: fc.subarray(["Bash", "Write"]), paths: fc.subarray(["src/**", "*.md"]) },
  { requiredKeys: [] },
);
const answers = fc.subarray(["deny", "ask", "allow", "rewrite", "context"]);

type Shape = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Returns a hook in which all but the needed fields may be missing. */
function hook(needed: Shape, rest: Shape): fc.Arbitrary<unknown> {
  return fc.record({ ...needed, ...rest }, { requiredKeys: Object.keys(needed) });
}

const wideMatcher = fc.constantFrom("Bash", "Edit|Write", "Bash, Edit", "mcp__.*", "^No", "*", "", "Edit.*", "a|^b$");
const wholeMatcher = fc.constantFrom("shell", "shell|edit_file", "Bash", "mcp_.*", "^shell$", "a|b.*", "sh(ell)?", "*");

function groupsOf(
  events: readonly string[],
  matcher: fc.Arbitrary<string>,
  hooks: (event: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  return fc.uniqueArray(fc.constantFrom(...events), { minLength: 1, maxLength: 3 }).chain((chosen) =>
    fc.record(
      Object.fromEntries(
        chosen.map((event) => {
          const group = fc.record(
            { matcher, hooks: fc.array(hooks(event), { minLength: 1, maxLength: 3 }) },
            { requiredKeys: ["hooks"] },
          );
          return [event, fc.array(group, { minLength: 1, maxLength: 2 })];
        }),
      ),
    ),
  );
}

const LOCAL_ONLY = ["SessionStart", "Setup"];
/** Tool events more often than others, because most of what can be lost concerns them. */
const eventsOf = (dialect: string): EventName[] => [
  ...EVENT_NAMES.filter((name) => isEventOf(name, dialect)),
  ...(["PreToolUse", "PreToolUse", "PostToolUse", "PermissionRequest"] as const),
];
const isTool = (event: string): boolean => /^(Pre|Post)Tool|^Permission/.test(event) && event !== "PostToolBatch";

const claudeSeconds = fc.constantFrom(1, 5, 30, 60, 600, 0.5);

function claudeHook(event: string): fc.Arbitrary<unknown> {
  const all = {
    timeout: claudeSeconds,
    onFailure: fc.constantFrom("block", "continue"),
    ...(isTool(event) ? { if: condition } : {}),
  };
  const commands = hook(
    { type: fc.constant("command"), command },
    {
      ...all,
      args: fc.constantFrom([], ["a b", "c"]),
      shell: fc.constant("bash"),
      async: fc.boolean(),
      asyncRewake: fc.boolean(),
    },
  );
  const web = hook({ type: fc.constant("http"), url }, { ...all, headers, allowedEnvVars: fc.subarray(["A", "B"]) });
  return LOCAL_ONLY.includes(event) ? commands : fc.oneof({ weight: 3, arbitrary: commands }, web);
}

const claude = fc.record(
  {
    hooks: groupsOf(eventsOf("claude-code"), wideMatcher, claudeHook),
    disableAllHooks: fc.boolean(),
    allowedHttpHookUrls: fc.constantFrom([], ["http://localhost:*"]),
  },
  { requiredKeys: ["hooks"] },
);

function patternHook(event: string): fc.Arbitrary<unknown> {
  const all = {
    name: fc.constantFrom("one", "two"),
    timeout: claudeSeconds,
    async: fc.boolean(),
    once: fc.boolean(),
    ...(isTool(event) ? { if: condition } : {}),
  };
  const commands = hook({ type: fc.constant("command"), command }, all);
  const web = hook({ type: fc.constant("http"), url }, { ...all, headers, allowedEnvVars: fc.subarray(["A", "B"]) });
  return fc.oneof({ weight: 3, arbitrary: commands }, web);
}

const patterns = fc.record({ hooks_config: groupsOf(eventsOf("patterns"), wideMatcher, patternHook) });

const OWN_TOOL_EVENTS = ["PreToolUse", "PostToolUse"];

function ownHook(event: string): fc.Arbitrary<unknown> {
  const all = {
    name: fc.constantFrom("one", "two"),
    timeoutMs: fc.constantFrom(500, 1_000, 1_500, 30_000, 60_000),
    onFailure: fc.constantFrom("block", "continue", "ignore"),
    mode: fc.constantFrom("enforce", "monitor"),
    priority: fc.integer({ min: -2, max: 2 }),
    once: fc.constantFrom(true, false, "session", "forever"),
    async: fc.boolean(),
    ...(isTool(event) ? { if: condition, filter } : {}),
  };
  const spoken = { speaks: fc.constantFrom("claude-code", "docker-agent", "patterns"), strict: fc.boolean() };
  const speaks = OWN_TOOL_EVENTS.includes(event) ? spoken : {};
  const commands = hook(
    { type: fc.constant("command"), command },
    {
      ...all,
      ...speaks,
      may: answers,
      args: fc.constantFrom([], ["a b", "c"]),
      shell: fc.constantFrom("sh", "bash", "powershell"),
      env,
      workingDir: fc.constant("sub"),
      asyncRewake: fc.boolean(),
      ...(event === "PreToolUse" ? { lane: fc.constant("preempt") } : {}),
    },
  );
  const web = hook(
    { type: fc.constant("http"), url },
    { ...all, ...speaks, headers, allowedEnvVars: fc.subarray(["A"]), allowPrivate: fc.boolean() },
  );
  const guard = hook(
    { type: fc.constant("wasm"), module: fc.constant("builtin:shell-guard") },
    { ...all, config: fc.constant({ protectedPaths: ["/srv"] }), limits: fc.constant({ fuel: 50_000, memoryMiB: 2 }) },
  );
  return OWN_TOOL_EVENTS.includes(event) ? fc.oneof({ weight: 3, arbitrary: commands }, web, guard) : commands;
}

const own = fc.record(
  {
    hooks: groupsOf(
      [...OWN_TOOL_EVENTS, "Stop", "UserPromptSubmit", "ToolGuard", "Notification"],
      wideMatcher,
      ownHook,
    ),
    compat: fc.constantFrom("safer", "faithful"),
    defaults: fc.constantFrom({}, { command: { timeoutMs: 4_000 } }, { event: { budgetMs: 9_000 } }),
  },
  { requiredKeys: ["hooks"] },
);

const dockerGroups = ["pre_tool_use", "pre_tool_use", "post_tool_use", "permission_request", "tool_guard"];
const dockerLists = ["session_start", "user_prompt_submit", "stop", "pre_compact", "notification", "turn_end"];

const dockerHook = fc.oneof({ weight: 3, arbitrary: dockerCommand() }, dockerModel());

function dockerModel(): fc.Arbitrary<unknown> {
  const asks = {
    type: fc.constant("model"),
    model: fc.constantFrom("openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"),
    prompt: fc.constantFrom("{{ .ToolName }}", "Mind $ARGUMENTS: {{ .ToolInput | toJSON }}"),
  };
  const schema = fc.constant("pre_tool_use_decision");
  return hook(asks, { schema, timeout: fc.integer({ min: 1, max: 90 }), on_error: fc.constantFrom("warn", "ignore") });
}

function dockerCommand(): fc.Arbitrary<unknown> {
  return hook(
    { type: fc.constant("command"), command },
    {
      name: fc.constantFrom("one", "two"),
      timeout: fc.integer({ min: 1, max: 90 }),
      env,
      working_dir: fc.constant("sub"),
      on_error: fc.constantFrom("warn", "ignore"),
      strict_output: fc.boolean(),
    },
  );
}

const docker = fc
  .tuple(
    groupsOf(dockerGroups, wholeMatcher, (event) =>
      event === "pre_tool_use" ? fc.oneof(dockerHook, blocking()) : dockerHook,
    ),
    fc.dictionary(fc.constantFrom(...dockerLists), fc.array(dockerHook, { minLength: 1, maxLength: 2 }), {
      maxKeys: 2,
    }),
    fc.boolean(),
  )
  .map(([groups, lists, preempts]) => ({
    hooks: {
      ...lists,
      ...groups,
      ...(preempts ? { pre_tool_use: [{ preempt_yolo: true, hooks: [{ type: "command", command: "true" }] }] } : {}),
    },
  }));

function blocking(): fc.Arbitrary<unknown> {
  return fc.record({ type: fc.constant("command"), command, on_error: fc.constant("block") });
}

const globMatcher = fc.constantFrom(
  "Bash",
  "run_shell_command",
  "B*",
  "mcp__*__x",
  "^Bash$",
  "^(?:Bash|Edit)$",
  "Ba?h",
);

const agentaoRule = (event: string): fc.Arbitrary<unknown> => {
  const timeout = fc.integer({ min: 1, max: 90 });
  const toolMatcher = globMatcher.map((toolName) => ({ toolName }));
  const triggers = fc.constantFrom("auto", "manual|auto", ".*").map((trigger) => ({ trigger }));
  const matcher = isTool(event) ? { matcher: toolMatcher } : event === "PreCompact" ? { matcher: triggers } : {};
  const commands = hook({ type: fc.constant("command"), command }, { timeout, ...matcher });
  const texts = hook(
    { type: fc.constant("prompt"), prompt: fc.constantFrom("mind it", "said: {userMessage}") },
    { timeout },
  );
  return event === "UserPromptSubmit" ? fc.oneof(commands, texts) : commands;
};
const AGENTAO = ["UserPromptSubmit", "SessionStart", "SessionEnd", "PreToolUse", "PostToolUse", "Stop", "PreCompact"];
const agentao = fc
  .uniqueArray(fc.constantFrom(...AGENTAO, "PreToolUse"), { minLength: 1, maxLength: 3 })
  .chain((events) =>
    fc.record({
      hooks: fc.record(
        Object.fromEntries(
          events.map((event) => [event, fc.array(agentaoRule(event), { minLength: 1, maxLength: 3 })]),
        ),
      ),
    }),
  );

const anywhere = fc.constantFrom("Bash", "^run_command$", "^(run_command|write_file)$", "write", "^mcp__", ".*");
const autohandHook = hook(
  {
    event: fc.constantFrom(
      "pre-tool",
      "pre-tool",
      "post-tool",
      "permission-request",
      "stop",
      "pre-prompt",
      "notification",
    ),
    command,
  },
  {
    description: fc.constantFrom("one", "two"),
    timeout: fc.constantFrom(500, 1_500, 5_000, 60_000),
    async: fc.boolean(),
    matcher: anywhere,
    filter: fc.record(
      { tool: fc.subarray(["run_command", "write_file"]), path: fc.subarray(["src/**", "*.md"]) },
      { requiredKeys: [] },
    ),
  },
);
const autohand = fc.record({ hooks: fc.record({ hooks: fc.array(autohandHook, { minLength: 1, maxLength: 4 }) }) });

export const CONFIGS: Readonly<Record<Written, fc.Arbitrary<object>>> = {
  hookbox: own,
  "claude-code": claude,
  "docker-agent": docker,
  agentao,
  autohand,
  patterns,
};

const TEXTS = ["startup", "auto", "manual", "general", "Bash", "a", "b", "x.md"];

/** Payloads that distinguish rules: by tool, by the fields that conditions, filters and other matchers test. */
export const payloads = fc.record(
  {
    tool_name: fc.constantFrom(...NAMES, "NoTool", "Read", "sh", "mcp_q", "xmcp__x"),
    tool_input: fc.record(
      {
        command: fc.constantFrom("git push origin", "ls"),
        file_path: fc.constantFrom("src/a.ts", "README.md", "/etc/x"),
        url: fc.constantFrom("https://a.example/x", "https://b.example/"),
      },
      { requiredKeys: [] },
    ),
    prompt: fc.constant("hello"),
    source: fc.constantFrom(...TEXTS),
    trigger: fc.constantFrom(...TEXTS),
    reason: fc.constantFrom(...TEXTS),
    agent_type: fc.constantFrom(...TEXTS),
    notification_type: fc.constantFrom(...TEXTS),
    file_path: fc.constantFrom("src/a.ts", "x.md"),
    cwd: fc.constant("/tmp"),
  },
  { requiredKeys: ["tool_name", "prompt", "cwd"] },
);
