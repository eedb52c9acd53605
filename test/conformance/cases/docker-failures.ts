import type { CaseFamily, Expectation, JsonObject, Kit, RunCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";
import { canonical, GOES_ON, hook, on, specific } from "../docker-hooks.ts";

/** Each way to give no answer. An exit code is an answer by the agent's page, and none in its code. */
const FAILURES: Readonly<Record<string, readonly [kind: string, text: string, more?: JsonObject]>> = {
  "exec error": ["spawn", "exec no-such-command-anywhere"],
  deadline: ["timeout", "exec sleep 5", { timeout: 1 }],
  "exit 1": ["exit", "exit 1"],
  "exit 127": ["spawn", "exit 127"],
  "truncated JSON": ["invalid-output", `printf '{"decision":"bl'`],
  'decision "blok"': ["invalid-output", prints({ decision: "blok" })],
  'permission "alow"': ["invalid-output", prints(specific({ permission_decision: "alow" }))],
};

const FAIL_CLOSED = ["pre_tool_use", "tool_guard"];
const EVENTS = [...FAIL_CLOSED, "tool_input_transform", "before_llm_call"];
const ON_ERROR = ["", "warn", "ignore", "block"];

const slug = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** The agent's "-1" and "<event> hook failed": the verdict's refusal, the name of the hook, and the kind of failure. */
function shut(event: string, kind: string): Expectation {
  const word = event === "before_llm_call" ? "block" : "deny";
  return {
    verdict: {
      event: canonical(event),
      decision: word,
      reason: new RegExp(`^broken \\(.*\\): ${kind}: `),
      systemMessage: null,
      rules: [{ rule: "broken", onFailure: "deny", failure: { kind } }],
    },
    reply: {
      exitCode: 0,
      stdout: FAIL_CLOSED.includes(event)
        ? { hook_specific_output: { hook_event_name: event, permission_decision: "deny" } }
        : { decision: "block" },
    },
  };
}

function open(kind: string, isTold: boolean): Expectation {
  const systemMessage = isTold ? new RegExp(`broken \\(.*\\): ${kind}: .*; the agent goes on$`, "s") : null;
  return {
    verdict: { ...GOES_ON, systemMessage, rules: [{ rule: "broken", onFailure: "continue", failure: { kind } }] },
    reply: { exitCode: 0, stdout: isTold ? { system_message: systemMessage as RegExp } : "" },
  };
}

function row(event: string, onError: string, what: string): RunCase {
  const [kind, text, more] = FAILURES[what] as (typeof FAILURES)[string];
  const setting = onError === "" ? {} : { on_error: onError };
  const byCode =
    FAIL_CLOSED.includes(event) || onError === "block" ? shut(event, kind) : open(kind, onError !== "ignore");
  // The page: other exit codes are logged, and execution continues. The guard is newer than the page.
  const pageGoesOn = event === "pre_tool_use" && kind === "exit" && onError !== "block";
  return {
    id: `A10/${event}-${onError || "default"}-${slug(what)}`,
    title: `${what} at ${event}, on_error ${onError || "left out"}`,
    matrix: "a hook without an answer, with each on_error",
    event: canonical(event),
    config: (kit: Kit) => on(event, hook(kit, "broken", text, { ...setting, ...more })),
    expect: pageGoesOn ? { default: byCode, faithful: open(kind, onError !== "ignore") } : byCode,
  };
}

const matrix = EVENTS.flatMap((event) =>
  ON_ERROR.flatMap((onError) => Object.keys(FAILURES).map((what) => row(event, onError, what))),
);

/** What cannot be loaded, with its error code. */
const UNLOADABLE: Readonly<Record<string, readonly [code: string, hook: JsonObject]>> = {
  "unknown built-in": ["HOOK_BUILTIN", { type: "builtin", command: "no_such_hook" }],
  "unknown type": ["HOOK_CONFIG_UNSUPPORTED", { type: "webhook", command: "true" }],
  "no type": ["HOOK_CONFIG_HANDLER", { command: "true" }],
  "empty command": ["HOOK_CONFIG_TYPE", { type: "command", command: "" }],
  "bad template": ["HOOK_PROMPT_TEMPLATE", { type: "model", model: "a/b", prompt: "{{ if }}" }],
  "unknown schema": ["HOOK_CONFIG_HANDLER", { type: "model", model: "a/b", prompt: "x", schema: "some" }],
};

/** Without a setting the gate stays shut: a guard that is configured and missing is not the same as none. */
const unloadable = [...FAIL_CLOSED, "user_prompt_submit", "before_llm_call"].flatMap((event) =>
  ON_ERROR.flatMap((onError) =>
    Object.entries(UNLOADABLE).map(([what, [code, broken]]): RunCase => {
      const goesOn = !FAIL_CLOSED.includes(event) && (onError === "warn" || onError === "ignore");
      const systemMessage = onError === "warn" ? /^hookbox: broken .*; the agent goes on$/s : null;
      return {
        id: `A23/${event}-${onError || "default"}-${slug(what)}`,
        title: `${what} at ${event}, on_error ${onError || "left out"}`,
        matrix: "a hook that cannot be loaded, with each on_error",
        event: canonical(event),
        config: () => on(event, { name: "broken", ...broken, ...(onError === "" ? {} : { on_error: onError }) }),
        expect: {
          verdict: goesOn
            ? { ...GOES_ON, systemMessage }
            : { decision: FAIL_CLOSED.includes(event) ? "deny" : "block", reason: /^broken / },
          problems: [code],
        },
      };
    }),
  ),
);

export const dockerFailures: CaseFamily = {
  title: "docker-agent: hooks that give no answer",
  source: "docker-agent's hook tests (September 2026) and hooks page (mid-2026), exit codes and on_error",
  dialect: "docker-agent",
  cases: [...matrix, ...unloadable],
};
