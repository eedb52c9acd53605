import type { CaseFamily, Expectation, JsonObject, RunCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";
import { AGENT_EVENTS, canonical, GOES_ON, hook, NOTHING, on, permits, refused, specific } from "../docker-hooks.ts";

const TAKES_TEXT = [
  "session_start",
  "turn_start",
  "user_prompt_submit",
  "user_steering_messages_submit",
  "user_followup_submit",
  "pre_compact",
  "worktree_create",
];
/** These take text by the page, and none in the code. */
const TAKES_TEXT_BY_PAGE = ["post_tool_use", "stop"];

function textRow(event: string, form: "plain" | "json"): RunCase {
  const text = form === "plain" ? "printf text" : prints(specific({ additional_context: "text" }));
  const taken: Expectation = {
    verdict: { ...GOES_ON, additionalContext: "text" },
    reply: { stdout: { hook_specific_output: { hook_event_name: event, additional_context: "text" } } },
  };
  return {
    id: `A6/${event}-${form}`,
    title: `${form} at ${event}`,
    matrix: "text, plain or in JSON, is context at an event that takes text",
    event: canonical(event),
    config: (kit) => on(event, hook(kit, "hook", text)),
    expect: TAKES_TEXT_BY_PAGE.includes(event)
      ? { default: NOTHING, faithful: taken }
      : TAKES_TEXT.includes(event)
        ? taken
        : NOTHING,
  };
}

const UNREADABLE = /^hook \(.*\): invalid-output: /;

/** Standard output, and whether it is valid with `strict_output` off and on. */
const OUTPUTS: readonly (readonly [name: string, text: string, lenient: boolean, strict: boolean])[] = [
  ["text", "printf context", true, false],
  ["nothing", ":", true, true],
  ["an empty object", "printf '{}'", true, true],
  ["an unknown field", prints({ other: 1 }), true, false],
  ["an unknown field further in", prints(specific({ updated_inpu: {} })), true, false],
  ["two objects", "printf '{} {}'", false, false],
  ["an object and text", "printf '{} done'", false, false],
  ["half an object", `printf '{"decision":'`, false, false],
  ["a list", "printf '[]'", true, false],
  ["null", "printf null", true, false],
];

const outputs = OUTPUTS.flatMap(([name, text, ...read]) =>
  read.map((isRead, isStrict): RunCase => {
    const how = isStrict === 1 ? "strict" : "lenient";
    return {
      id: `A11/${name.replaceAll(" ", "-")}-${how}`,
      title: `${name}, ${how}`,
      matrix: "valid output is a single object, or text at an event that takes text",
      config: (kit) => on("pre_tool_use", hook(kit, "hook", text, { strict_output: isStrict === 1 })),
      expect: isRead ? NOTHING : refused(UNREADABLE),
    };
  }),
);

const strictGuards: Readonly<Record<string, JsonObject>> = {
  "the name of another event": { hook_event_name: "stop", permission_decision: "allow" },
  "a new input": { permission_decision: "allow", updated_input: { cmd: "ls" } },
};

export const dockerOutput: CaseFamily = {
  title: "docker-agent: what a hook prints",
  source: "docker-agent's hook tests (September 2026) and hooks page (mid-2026), hook output",
  dialect: "docker-agent",
  cases: [
    ...AGENT_EVENTS.flatMap((event) => [textRow(event, "plain"), textRow(event, "json")]),
    ...outputs,
    ...Object.entries(strictGuards).map(
      ([name, fields]): RunCase => ({
        id: `A12/${name.replaceAll(" ", "-")}`,
        title: name,
        matrix: "a strict guard with fields that no guard may use fails, and changes nothing",
        event: "ToolGuard",
        config: (kit) => on("tool_guard", hook(kit, "hook", prints(specific(fields)), { strict_output: true })),
        expect: { verdict: { decision: "deny", reason: UNREADABLE, updatedInput: null } },
      }),
    ),
    ...[false, true].map(
      (strict): RunCase => ({
        id: `A15/${strict ? "strict" : "lenient"}`,
        title: strict ? "strict" : "lenient",
        matrix: "another event's name in the output is a failure only for strict hooks",
        config: (kit) =>
          on(
            "pre_tool_use",
            hook(kit, "hook", permits("allow", "fine", { hook_event_name: "stop" }), { strict_output: strict }),
          ),
        expect: strict ? refused(UNREADABLE) : { verdict: { decision: "allow", reason: "hook: fine" } },
      }),
    ),
    ...[undefined, true, false].map(
      (goesOn): RunCase => ({
        id: `A20/continue-${goesOn ?? "absent"}`,
        title: `continue ${goesOn ?? "left out"}`,
        matrix: "only continue: false stops the agent, and only decision: block blocks",
        config: (kit) =>
          on(
            "pre_tool_use",
            hook(
              kit,
              "hook",
              prints(goesOn === undefined ? { reason: "x" } : { continue: goesOn, stop_reason: "over" }),
            ),
          ),
        expect: goesOn === false ? refused(/^hook: over$/) : NOTHING,
      }),
    ),
    {
      id: "A20/decision-allow",
      title: "decision: allow, where failures are told and no more",
      matrix: "only continue: false stops the agent, and only decision: block blocks",
      event: "PostToolUse",
      config: (kit) => on("post_tool_use", hook(kit, "hook", prints({ decision: "allow" }))),
      expect: {
        verdict: { ...GOES_ON, systemMessage: /decision must be one of block, not "allow"; the agent goes on$/ },
      },
    },
  ],
};
