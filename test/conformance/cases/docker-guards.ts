import type { CaseFamily, Expectation, JsonObject, Kit, RunCase } from "../case.ts";
import { hook, on, permits, reads } from "../docker-hooks.ts";

/** Guards run in parallel. The first takes longest, so that finishing first has no effect. */
function guards(kit: Kit, ...texts: readonly (string | readonly [text: string, more: JsonObject])[]): string {
  const names = ["first", "second", "third"];
  const made = texts.map((one, index) => {
    const [text, more] = typeof one === "string" ? [one, {}] : one;
    return hook(kit, names[index] as string, index === 0 ? `sleep 0.03; ${text}` : text, more);
  });
  return on("tool_guard", ...made);
}

const ALLOWS = permits("allow", "fine");
const answered = (decision: string, reason: string): Expectation => ({
  verdict: { decision, continue: true, reason },
  reply: {
    exitCode: 0,
    stdout: {
      hook_specific_output: {
        hook_event_name: "tool_guard",
        permission_decision: decision,
        permission_decision_reason: reason,
      },
    },
  },
});

const FAILURES: Readonly<Record<string, readonly [text: string, reason: RegExp, more?: JsonObject]>> = {
  "that cannot be started": ["exec no-such-command-anywhere", /^second \(.*\): spawn: /],
  "that cannot be started, on_error ignore": [
    "exec no-such-command-anywhere",
    /^second \(.*\): spawn: /,
    { on_error: "ignore" },
  ],
  "that somebody ends": ["kill -TERM $$", /^second \(.*\): signal: /],
  "with exit code 1": ["exit 1", /^second \(.*\): exit: ended with exit code 1/],
  "with exit code 2": ["echo not this >&2; exit 2", /^second: not this$/],
};

const beside = Object.entries(FAILURES).map(
  ([name, [text, reason, more = {}]]): RunCase => ({
    id: `G6/${name.replaceAll(/[^a-z0-9]+/g, "-")}`,
    title: `one ${name}`,
    matrix: "a guard's permission does not outrank another guard without an answer",
    event: "ToolGuard",
    config: (kit) => guards(kit, ALLOWS, [text, more]),
    expect: {
      verdict: {
        decision: "deny",
        reason,
        rules: [
          { rule: "first", decision: "allow" },
          { rule: "second", decision: "deny" },
        ],
      },
    },
  }),
);

export const dockerGuards: CaseFamily = {
  title: "docker-agent: several guards of one call",
  source: "docker-agent's hook tests (September 2026), tool_guard",
  dialect: "docker-agent",
  cases: [
    {
      id: "G1",
      title: "a guard's permission is reported, and is only advice to the approval chain (T6)",
      event: "ToolGuard",
      config: (kit) => guards(kit, ALLOWS),
      expect: answered("allow", "first: fine"),
    },
    {
      id: "G2",
      title: "a guard's question outranks a permission, and stops nothing",
      event: "ToolGuard",
      config: (kit) => guards(kit, ALLOWS, permits("ask", "unsure")),
      expect: answered("ask", "second: unsure"),
    },
    {
      id: "G3",
      title: "a guard's denial outranks questions and permissions",
      event: "ToolGuard",
      config: (kit) => guards(kit, permits("ask", "unsure"), permits("deny", "destructive"), ALLOWS),
      expect: answered("deny", "second: destructive"),
    },
    {
      id: "G4",
      title: "hookbox merges the metadata of guards, and the last guard's value counts for a key",
      event: "ToolGuard",
      config: (kit) =>
        guards(
          kit,
          permits("ask", "unsure", { metadata: { from_ask: "yes", shared: "one" } }),
          permits("allow", "fine", { metadata: { from_allow: "yes", shared: "two" } }),
        ),
      expect: {
        verdict: { decision: "ask", metadata: { from_ask: "yes", from_allow: "yes", shared: "two" } },
        reply: {
          stdout: {
            hook_specific_output: { metadata: { from_ask: "yes", from_allow: "yes", shared: "two" } },
          },
        },
      },
    },
    {
      id: "G5",
      title: "a guard at tool_guard changes nothing, and each guard sees the original call",
      event: "ToolGuard",
      payload: { tool_name: "shell", tool_input: { cmd: "original" } },
      config: (kit) => {
        const sees = `${reads("cmd")}; [ "$text" = original ] || exit 2`;
        return guards(kit, `${sees}; ${permits("allow", "fine", { updated_input: { cmd: "changed" } })}`, sees);
      },
      expect: { verdict: { decision: "allow", updatedInput: null }, runs: { first: 1, second: 1 } },
    },
    ...beside,
    {
      id: "G6/cancelled",
      title: "one that the caller calls off, which is neither a denial nor the other's permission",
      matrix: "a guard's permission does not outrank another guard without an answer",
      event: "ToolGuard",
      cancelAfterMs: 600,
      config: (kit) => guards(kit, ALLOWS, "exec sleep 5"),
      expect: {
        verdict: { decision: "none", cancelled: true, rules: [{ decision: "allow" }, { outcome: "cancelled" }] },
        reply: { exitCode: 2, stdout: "" },
      },
    },
  ],
};
