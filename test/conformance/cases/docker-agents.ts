import type { CaseFamily, ConformanceCase, Expectation, JsonObject, Kit, RunCase } from "../case.ts";
import { AGENT_EVENTS, canonical, hook } from "../docker-hooks.ts";

/** Files with several agents: the payload's `agent_name` selects the agent whose hooks are asked. */

/** `exit 2` by each agent at one event, with its own name. */
function agents(kit: Kit, names: readonly string[], event: string, text = "exit 2"): JsonObject {
  const own = (name: string): JsonObject => {
    const hooks = [hook(kit, name, text)];
    return { hooks: { [event]: GROUPED.includes(event) ? [{ hooks }] : hooks } };
  };
  return { agents: Object.fromEntries(names.map((name) => [name, own(name)])) };
}

const GROUPED = [
  "pre_tool_use",
  "post_tool_use",
  "permission_request",
  "tool_input_transform",
  "tool_guard",
  "tool_response_transform",
];

const ran = (name: "root" | "kid" | null): Expectation => ({
  runs: { root: name === "root" ? 1 : 0, kid: name === "kid" ? 1 : 0 },
});

interface Named {
  readonly title: string;
  readonly payload: JsonObject;
  readonly expect: Expectation;
}

const NAMES: readonly Named[] = [
  { title: "the agent that the event names", payload: { agent_name: "kid" }, expect: ran("kid") },
  { title: "root, when the event names it", payload: { agent_name: "root" }, expect: ran("root") },
  { title: "root, when the event names nobody", payload: {}, expect: ran("root") },
  { title: "root, when the name is empty", payload: { agent_name: "" }, expect: ran("root") },
  { title: "root, when no file has the name", payload: { agent_name: "stranger" }, expect: ran("root") },
];

const named = NAMES.map(
  ({ title, payload, expect }): RunCase => ({
    id: `AN1/${title.replaceAll(/[^a-z]+/g, "-")}`,
    title,
    matrix: "in a file with several agents, the hooks of a single agent run",
    payload,
    config: (kit) => agents(kit, ["root", "kid"], "pre_tool_use"),
    expect,
  }),
);

/** Every event carries the name; at one event it is that of the agent that has finished, and its parent is asked. */
const atEach = AGENT_EVENTS.map(
  (event): RunCase => ({
    id: `AN2/${event}`,
    title: event,
    matrix: "agent_name counts at every event, and at subagent_stop the parent's hooks run",
    event: canonical(event),
    // As the dialect decodes it: here the name is that of the agent that has finished.
    payload: event === "subagent_stop" ? { agent_type: "kid" } : { agent_name: "kid" },
    config: (kit) => agents(kit, ["root", "kid"], event, ":"),
    expect: ran(event === "subagent_stop" ? "root" : "kid"),
  }),
);

/** The page's example of `unload` has two agents, none of them called root, and hooks at this event only. */
const SWITCHES = [
  { kind: "handoff", from: "boss", to: "kid", expect: { runs: { boss: 1, kid: 0 } } },
  { kind: "transfer_task", from: "boss", to: "kid", expect: { runs: { boss: 1, kid: 0 } } },
  { kind: "force_handoff", from: "kid", to: "boss", expect: { runs: { boss: 0, kid: 1 } } },
  // The caller's hooks are asked when the task is transferred, and again when it returns.
  { kind: "transfer_task_return", from: "kid", to: "boss", expect: { runs: { boss: 1, kid: 0 } } },
] as const;

const single: readonly ConformanceCase[] = [
  {
    id: "AN3",
    title:
      "without an agent called root, hookbox refuses an event without agent_name and accepts an event with agent_name",
    payload: { agent_name: "kid" },
    config: (kit) => agents(kit, ["boss", "kid"], "pre_tool_use", ":"),
    expect: { verdict: { decision: "none" }, runs: { boss: 0, kid: 1 }, problems: ["HOOK_CONFIG_TYPE"] },
  },
  {
    id: "AN3/nobody",
    title: "an event without agent_name, in a file without root",
    config: (kit) => agents(kit, ["boss", "kid"], "pre_tool_use", ":"),
    expect: { verdict: { decision: "deny" }, runs: { boss: 0, kid: 0 }, problems: ["HOOK_CONFIG_TYPE"] },
  },
  ...SWITCHES.map(
    ({ kind, from, to, expect }): RunCase => ({
      id: `AN8/${kind}`,
      title: kind,
      matrix: "an agent switch without agent_name runs the hooks of the agent that gives the task away",
      event: "AgentSwitch",
      payload: { from_agent: from, to_agent: to, agent_switch_kind: kind },
      config: (kit) => agents(kit, ["boss", "kid"], "on_agent_switch", ":"),
      expect: { ...expect, problems: [] },
    }),
  ),
  {
    id: "AN8/named",
    title: "agent_name also counts at an agent switch",
    event: "AgentSwitch",
    payload: { agent_name: "kid", from_agent: "boss", to_agent: "kid", agent_switch_kind: "handoff" },
    config: (kit) => agents(kit, ["boss", "kid"], "on_agent_switch", ":"),
    expect: { runs: { boss: 0, kid: 1 }, problems: [] },
  },
  {
    id: "AN4",
    title: "the same hook of two agents runs for each agent",
    payload: { agent_name: "kid" },
    config: (kit) => {
      const hooks = { pre_tool_use: [{ hooks: [hook(kit, "shared", "exit 2")] }] };
      return { agents: { root: { hooks }, kid: { hooks } } };
    },
    expect: { verdict: { decision: "deny" }, runs: { shared: 1 } },
  },
  {
    id: "AN5",
    title: "hooks at the top of a file, and hooks of the user, run for every agent",
    payload: { agent_name: "kid" },
    config: (kit) => ({
      ...agents(kit, ["root", "kid"], "pre_tool_use", ":"),
      hooks: { pre_tool_use: [{ hooks: [hook(kit, "top", ":")] }] },
      settings: { hooks: { pre_tool_use: [{ hooks: [hook(kit, "user", ":")] }] } },
    }),
    expect: { runs: { root: 0, kid: 1, top: 1, user: 1 } },
  },
  {
    id: "AN6",
    title: "an agent's hook that cannot be loaded does not deny at other agents' gates",
    payload: { agent_name: "kid" },
    config: (kit) => ({
      agents: {
        root: { hooks: { pre_tool_use: [{ hooks: [{ type: "builtin", command: "no_such_guard" }] }] } },
        kid: { hooks: { pre_tool_use: [{ hooks: [hook(kit, "kid", ":")] }] } },
      },
    }),
    expect: { verdict: { decision: "none" }, runs: { kid: 1 }, problems: ["HOOK_BUILTIN"] },
  },
  {
    id: "AN7",
    title: "an agent of a project's file removes no hook of the user",
    payload: { agent_name: "kid" },
    config: (kit) => agents(kit, ["root"], "pre_tool_use"),
    moreFiles: (kit) => [{ layer: "project", config: agents(kit, ["kid"], "pre_tool_use", ":") }],
    expect: { verdict: { decision: "deny" }, runs: { root: 1 } },
  },
];

export const dockerAgents: CaseFamily = {
  title: "docker-agent: whose hooks an event is for",
  source:
    "docker-agent's hooks page (mid-2026), per-event extra fields and subagent_stop; its runtime (September 2026)",
  dialect: "docker-agent",
  cases: [...named, ...atEach, ...single],
};
