import { describe, expect, test } from "vitest";
import { canonicalEvent } from "../../src/dialects/docker-agent/spelling.ts";
import type { Activity } from "../../src/engine/activity.ts";
import { contractOf } from "../../src/events/lookup.ts";
import type { JsonObject } from "../../src/json.ts";
import { PAYLOADS } from "../dialects/docker-agent/payloads.ts";
import { openShop, shell, specific } from "./docker-agent-examples.ts";

/** What docker-agent's page says in tables and text, tested with real hooks. */

const GROUPED = /^(?:pre_tool_use|post_tool_use|permission_request|tool_.*)$/;

/** Returns a file with one hook at each of these events. */
function atEach(events: readonly string[], command: string): string {
  const hook = { type: "command", command };
  return `${JSON.stringify({ hooks: Object.fromEntries(events.map((name) => [name, GROUPED.test(name) ? [{ hooks: [hook] }] : [hook]])) })}\n`;
}

/** The page's "Can block?", and the two events that only the agent's code has. */
const BLOCKS = `pre_tool_use post_tool_use permission_request user_prompt_submit user_steering_messages_submit
  user_followup_submit before_llm_call pre_compact before_compaction worktree_create tool_input_transform tool_guard`;
const WATCHES = `tool_response_transform session_start turn_start turn_end after_llm_call session_end after_compaction
  subagent_stop on_user_input stop notification on_error on_max_iterations on_agent_switch on_session_resume
  on_tool_approval_decision`;
const words = (text: string): string[] => text.trim().split(/\s+/);
const ALL = [...words(BLOCKS), ...words(WATCHES)];

describe("what can be blocked", () => {
  test("is what the page says, by exit code 2 at every event", async () => {
    const shop = await openShop(atEach(ALL, "cat >/dev/null; echo no >&2; exit 2"));
    expect([...ALL].sort()).toEqual(Object.keys(PAYLOADS).sort());
    for (const name of words(BLOCKS)) {
      const { verdict, json } = await shop.fire(name, PAYLOADS[name]);
      expect([name, verdict.decision]).toEqual([name, expect.stringMatching(/^(deny|block)$/)]);
      expect(JSON.stringify(json)).toMatch(/"decision":"block"|"permission_decision":"deny"/);
    }
    for (const name of words(WATCHES)) {
      const { verdict, exitCode, json } = await shop.fire(name, PAYLOADS[name]);
      expect([name, verdict.decision, verdict.continue, exitCode]).toEqual([name, "none", true, 0]);
      expect(json?.["system_message"]).toContain(`${name} cannot block`);
    }
  });

  test.each([`{"decision":"block","reason":"shut"}`, `{"continue":false,"stop_reason":"shut"}`])(
    "is blocked by %s as well, with its reason",
    async (output) => {
      const shop = await openShop(atEach(words(BLOCKS), `cat >/dev/null; echo '${output}'`));
      for (const name of words(BLOCKS)) {
        expect((await shop.fire(name, PAYLOADS[name])).verdict.reason).toMatch(/shut$/);
      }
    },
  );
});

test("every event gives its hooks the common fields and its own, and no output means no opinion", async () => {
  const shop = await openShop(atEach(ALL, "cat > seen.json"));
  for (const [name, fields] of Object.entries(PAYLOADS)) {
    const answer = await shop.fire(name, fields);
    expect(answer).toMatchObject({ exitCode: 0, json: undefined, verdict: { decision: "none", continue: true } });
    const common = { session_id: "till-4", cwd: shop.folder, hook_event_name: name };
    expect(JSON.parse(shop.read("seen.json"))).toEqual({ ...common, ...fields });
  }
});

test("a matcher is for the whole name of a tool", async () => {
  const fits = async (matcher: string, tool_name: string): Promise<boolean> => {
    const shop = await openShop(
      `${JSON.stringify({ hooks: { pre_tool_use: [{ matcher, hooks: [{ type: "command", command: "exit 2" }] }] } })}\n`,
    );
    return (await shop.fire("pre_tool_use", { ...shell("ls"), tool_name })).verdict.decision === "deny";
  };
  for (const tool of ["shell", "edit_file", "mcp:stock"]) expect(await fits("*", tool)).toBe(true);
  expect([await fits("shell", "shell"), await fits("shell", "edit_file")]).toEqual([true, false]);
  expect([await fits("shell|edit_file", "edit_file"), await fits("shell|edit_file", "read_file")]).toEqual([
    true,
    false,
  ]);
  expect([await fits("mcp:.*", "mcp:stock"), await fits("mcp:.*", "my_mcp:stock")]).toEqual([true, false]);
});

const CONTEXT = `session_start user_prompt_submit user_steering_messages_submit user_followup_submit turn_start pre_compact
  worktree_create`;
/** Events where the page takes text, and the agent's code takes none. */
const PAGE_CONTEXT = "post_tool_use stop";

describe("text for the model", () => {
  const JSON_TEXT = `echo '{"hook_specific_output":{"additional_context":"mind the step"}}'`;

  test.each([
    ["as additional_context", JSON_TEXT],
    ["as plain output", "echo mind the step"],
  ])("%s is taken at the page's events, except two whose text the code ignores", async (_, command) => {
    const taking = async (compat: "safer" | "faithful"): Promise<string[]> => {
      const shop = await openShop(atEach(ALL, `cat >/dev/null; ${command}`), { compat });
      const took: string[] = [];
      for (const name of ALL) {
        const { verdict } = await shop.fire(name, PAYLOADS[name]);
        if (verdict.additionalContext === "mind the step") took.push(name);
      }
      return took.sort();
    };
    expect(await taking("safer")).toEqual(words(CONTEXT).sort());
    expect(await taking("faithful")).toEqual([...words(CONTEXT), ...words(PAGE_CONTEXT)].sort());
  });

  test("is for one turn, except at a session's start, where it stays", () => {
    const kept = (name: string) => contractOf(canonicalEvent(name)!, "docker-agent", undefined, "faithful")?.context;
    for (const name of words(`${CONTEXT} ${PAGE_CONTEXT}`)) {
      expect([name, kept(name)]).toEqual([name, name === "session_start" ? "stays" : "turn"]);
    }
  });
});

describe("an exit code", () => {
  const decision = async (code: number, compat: "safer" | "faithful", name = "pre_tool_use") => {
    const shop = await openShop(atEach([name], `cat >/dev/null; exit ${code}`), { compat });
    return (await shop.fire(name, PAYLOADS[name])).verdict.decision;
  };

  test("of 0 goes on, of 2 blocks, and any other blocks at pre_tool_use although the page goes on there", async () => {
    for (const compat of ["safer", "faithful"] as const) {
      expect([await decision(0, compat), await decision(2, compat)]).toEqual(["none", "deny"]);
    }
    expect([await decision(1, "safer"), await decision(1, "faithful")]).toEqual(["deny", "none"]);
    expect(await decision(1, "safer", "user_prompt_submit")).toBe("none");
  });
});

test("a new tool response replaces the old one, and the next hook sees it", async () => {
  const cut = `echo '{"hook_specific_output":{"updated_tool_response":"3 lines"}}'`;
  const shop = await openShop(
    `hooks:\n  tool_response_transform:\n    hooks:\n      - { type: command, command: ${JSON.stringify(cut)} }\n      - { type: command, command: "cat > next.json" }\n`,
  );
  expect(specific(await shop.fire("tool_response_transform", PAYLOADS["tool_response_transform"]))).toEqual({
    hook_event_name: "tool_response_transform",
    updated_tool_response: "3 lines",
  });
  expect(JSON.parse(shop.read("next.json"))).toMatchObject({ tool_response: "3 lines" });
});

test("the results of a turn, a model call and a compaction are only reported: every text of theirs reaches the hook", async () => {
  const events = ["turn_end", "after_llm_call", "after_compaction", "on_tool_approval_decision", "on_agent_switch"];
  const shop = await openShop(atEach(events, `cat > seen.json; echo '{"decision":"block","reason":"no"}'`));
  const told = async (name: string, fields: JsonObject) => {
    const { verdict } = await shop.fire(name, { ...PAYLOADS[name], ...fields });
    expect(verdict).toMatchObject({ decision: "none", continue: true });
    return JSON.parse(shop.read("seen.json")) as JsonObject;
  };
  for (const reason of words("normal continue steered error canceled hook_blocked loop_detected")) {
    expect(await told("turn_end", { reason })).toMatchObject({ reason });
  }
  // Free and not priced are different.
  expect(await told("after_llm_call", { cost: 0 })).toMatchObject({ cost: 0 });
  const { cost: _, ...unpriced } = PAYLOADS["after_llm_call"]!;
  const priceless = await openShop(atEach(["after_llm_call"], "cat > seen.json"));
  await priceless.fire("after_llm_call", unpriced);
  expect(JSON.parse(priceless.read("seen.json"))).not.toHaveProperty("cost");
  expect(await told("after_compaction", {})).toMatchObject({ input_tokens: 9_000, summary: "Tidied up" });
  for (const approval_decision of ["allow", "deny", "canceled"]) {
    expect(await told("on_tool_approval_decision", { approval_decision })).toMatchObject({ approval_decision });
  }
  for (const kind of words("transfer_task transfer_task_return handoff force_handoff")) {
    expect(await told("on_agent_switch", { agent_switch_kind: kind })).toMatchObject({ agent_switch_kind: kind });
  }
});

test("the end of a session and of a turn is reported although the session was cancelled", async () => {
  const shop = await openShop(atEach(["session_end", "turn_end"], "cat >/dev/null; echo heard >> ends.txt"));
  for (const event of ["SessionEnd", "TurnEnd"]) {
    await shop.engine.dispatch(event, { cwd: shop.folder, reason: "canceled" }, { signal: AbortSignal.abort() });
  }
  expect(shop.read("ends.txt")).toBe("heard\nheard\n");
});

test("listeners are notified of each hook's start and end, with its duration", async () => {
  const heard: Activity[] = [];
  const shop = await openShop("options.yaml", { onActivity: (activity) => void heard.push(activity) });
  await shop.fire("post_tool_use", { ...shell("ls"), tool_response: "a", tool_error: false });
  expect(heard.map(({ type }) => type)).toEqual([
    "dispatch_started",
    "hook_started",
    "hook_finished",
    "dispatch_finished",
  ]);
  expect(heard[2]).toMatchObject({ rule: { name: "weigh the output" }, receipt: { micros: expect.any(Number) } });
});
