import { describe, expect, test } from "vitest";
import { hostWith, prints } from "./running.ts";

const permission = (word: string) =>
  prints({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: word } });
const call = { toolName: "Bash", input: { command: "ls" }, payload: { session_id: "s-1" } };

async function called(word: string, policy: "allow" | "ask" | "deny", user: "allow" | "deny") {
  const { host } = await hostWith({ PreToolUse: permission(word) });
  return host.engine.toolCall(call, {
    policy: () => ({ decision: policy, source: "rule" }),
    askUser: () => user,
    execute: () => "ran",
  });
}

describe("a whole tool call, with an embedder's permissions and user", () => {
  test("AG-T6: that a hook asks about runs if the user accepts, and not if they decline", async () => {
    expect(await called("ask", "allow", "allow")).toMatchObject({ outcome: "ran", asked: true });
    expect(await called("ask", "allow", "deny")).toMatchObject({ outcome: "denied", asked: true, executed: false });
  });

  test("AG-T7: that a hook allows runs with the agent's own permission, and is refused by its refusal", async () => {
    expect(await called("allow", "allow", "deny")).toMatchObject({ outcome: "ran", asked: false });
    expect(await called("allow", "deny", "allow")).toMatchObject({ outcome: "denied", asked: false });
    expect(await called("allow", "ask", "deny")).toMatchObject({ outcome: "denied", asked: true });
  });
});
