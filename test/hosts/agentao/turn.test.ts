import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hostWith, prints, runs } from "./running.ts";

const permission = (word: string, reason?: string) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: word,
    ...(reason === undefined ? {} : { permissionDecisionReason: reason }),
  },
});
const typesOf = (messages: readonly { readonly attachment_type: string }[]) =>
  messages.map(({ attachment_type: type }) => type);

describe("a user's message", () => {
  test("AG-U9: goes to the model after each context in separate tags, in the order of the hooks", async () => {
    const { host, session } = await hostWith({
      UserPromptSubmit: [
        { type: "prompt", prompt: "The user says: {userMessage}" },
        prints({ additionalContext: ["second", "third"] }),
        prints("fourth, as text"),
      ],
    });
    const answer = await host.turn(session).userPromptSubmit("Fix $& it");
    expect(answer.enters).toBe(true);
    expect(answer.text).toBe(
      [
        ...["The user says: Fix $& it", "second", "third", "fourth, as text"].map(
          (text) => `<user-prompt-submit-hook>\n${text}\n</user-prompt-submit-hook>`,
        ),
        "Fix $& it",
      ].join("\n"),
    );
    expect(answer.result).toMatchObject({ blocking_error: null, prevent_continuation: false, stop_reason: null });
    expect(answer.result.additional_contexts).toHaveLength(4);
    expect(typesOf(answer.result.messages)).toEqual(Array(4).fill("hook_additional_context"));
  });

  test("AG-U2: that a hook blocks does not enter, and later hooks are not run", async () => {
    const { host, session, folder } = await hostWith({
      UserPromptSubmit: [prints({ blockingError: "no" }), runs("touch later-ran")],
    });
    const answer = await host.turn(session).userPromptSubmit("hi");
    expect(answer).toMatchObject({ enters: false, text: "[Blocked by hook] no", result: { blocking_error: "no" } });
    expect(existsSync(join(folder, "later-ran"))).toBe(false);
    expect(answer.result.messages).toMatchObject([
      {
        attachment_type: "hook_blocking_error",
        payload: { blockingError: "no" },
        hook_event: "UserPromptSubmit",
        tool_use_id: "",
        hook_name: expect.stringContaining("printf"),
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        uuid: expect.stringMatching(/^[\da-f-]{36}$/),
      },
    ]);
  });

  test.each([
    [{ preventContinuation: true, stopReason: "p" }, "p"],
    [{ preventContinuation: true }, "Hook prevented continuation"],
  ])("AG-U3: that a hook stops does not enter: %j", async (output, reason) => {
    const { host, session } = await hostWith({ UserPromptSubmit: prints(output) });
    const answer = await host.turn(session).userPromptSubmit("hi");
    expect(answer).toMatchObject({ enters: false, text: `[Hook stopped] ${reason}` });
    expect(answer.result).toMatchObject({ blocking_error: null, prevent_continuation: true, stop_reason: reason });
    expect(typesOf(answer.result.messages)).toEqual(["hook_stopped_continuation"]);
  });

  test("AG-U4: passes a hook that has no opinion or fails, which is recorded", async () => {
    const { host, session } = await hostWith({ UserPromptSubmit: [runs("true"), runs("echo gone >&2; exit 1")] });
    const answer = await host.turn(session).userPromptSubmit("hi");
    expect(answer).toMatchObject({ enters: true, text: "hi" });
    expect(answer.result.messages).toMatchObject([
      { attachment_type: "hook_success", payload: { returncode: 0 } },
      { attachment_type: "hook_success", payload: { warning: "ended with exit code 1: gone", returncode: 1 } },
    ]);
  });

  test("is refused after a hook that does not answer, and enters to the letter of the page", async () => {
    const hooks = { UserPromptSubmit: runs("exec sleep 9", { timeout: 0 }) };
    const safer = await hostWith(hooks);
    expect((await safer.host.turn(safer.session).userPromptSubmit("hi")).text).toMatch(
      /^\[Blocked by hook\] .*timeout/,
    );
    const faithful = await hostWith(hooks, { faithful: true });
    const answer = await faithful.host.turn(faithful.session).userPromptSubmit("hi");
    expect(answer).toMatchObject({ enters: true, text: "hi" });
    expect(answer.result.messages[0]?.payload["warning"]).toContain("no answer within");
  });

  test("AG-U6: is on the hook's standard input", async () => {
    const { host, session } = await hostWith({ UserPromptSubmit: runs("cat > seen.json") });
    await host.turn(session).userPromptSubmit("hi there");
    expect(JSON.parse(readFileSync(join(session.cwd, "seen.json"), "utf8"))).toEqual({
      event: "UserPromptSubmit",
      data: { userMessage: "hi there", sessionId: "s-1", cwd: session.cwd },
    });
  });

  test("that is cancelled does not enter", async () => {
    const { host, session } = await hostWith({ UserPromptSubmit: runs("exec sleep 9") });
    const turn = host.turn(session, { signal: AbortSignal.timeout(50) });
    expect(await turn.userPromptSubmit("hi")).toMatchObject({
      enters: false,
      text: expect.stringContaining("were cancelled"),
    });
  });
});

describe("a tool call", () => {
  test.each([
    ["deny", { decision: "deny", reason: "pre-tool-hook: because" }],
    ["ask", { decision: "ask", reason: "pre-tool-hook: because" }],
    ["allow", { decision: "none", reason: null }],
  ])("AG-T5: with hooks that answer %s has the result %j", async (word, expected) => {
    const { host, session } = await hostWith({ PreToolUse: prints(permission(word, "because")) });
    const answer = await host.turn(session).preToolUse("run_shell_command", { command: "ls" }, "call-7");
    expect(answer).toMatchObject({ ...expected, matched_rule_count: 1 });
    expect(answer.messages.map(({ tool_use_id: id }) => id)).toEqual(["call-7"]);
  });

  test("has both names for hooks and matchers, and is shown by the alias", async () => {
    for (const tool_name of ["replace", "Edit", "ed?t", "^(Edit|Write)$", "rep*"]) {
      const pattern = tool_name === "ed?t" ? "Ed?t" : tool_name;
      const { host, session } = await hostWith({
        PreToolUse: runs("cat > seen.json", { matcher: { tool_name: pattern } }),
      });
      const input = { file_path: "a", old_text: "b", new_text: "c" };
      expect((await host.turn(session).preToolUse("replace", input)).matched_rule_count).toBe(1);
      expect(JSON.parse(readFileSync(join(session.cwd, "seen.json"), "utf8"))).toEqual({
        event: "PreToolUse",
        data: { toolName: "Edit", toolInput: input, sessionId: "s-1" },
      });
    }
  });

  test("of an embedder's own tool has the given alias", async () => {
    const { host, session } = await hostWith(
      { PreToolUse: prints({ blockingError: "no" }, { matcher: { tool_name: "Deploy" } }) },
      { toolAliases: { push_to_prod: "Deploy" } },
    );
    expect((await host.turn(session).preToolUse("push_to_prod", {})).decision).toBe("deny");
    expect((await host.turn(session).preToolUse("other", {})).decision).toBe("none");
  });

  test("of an embedder's own tool matches by either name, as the agent's own tools do", async () => {
    for (const tool_name of ["push_to_prod", "push*", "^push_.*$", "Deploy"]) {
      const { host, session } = await hostWith(
        { PreToolUse: prints({ blockingError: "no" }, { matcher: { tool_name } }) },
        { toolAliases: { push_to_prod: "Deploy" } },
      );
      expect((await host.turn(session).preToolUse("push_to_prod", {})).decision).toBe("deny");
      expect((await host.turn(session).preToolUse("read_file", {})).decision).toBe("none");
    }
  });

  test("of a tool with a changed alias is still guarded under the agent's name for it", async () => {
    const { host, session } = await hostWith(
      { PreToolUse: prints({ blockingError: "no" }, { matcher: { tool_name: "run_shell_command" } }) },
      { toolAliases: { run_shell_command: "Shell" } },
    );
    expect((await host.turn(session).preToolUse("run_shell_command", {})).decision).toBe("deny");
  });

  test("is kept apart from others that run at the same time", async () => {
    const { host, session } = await hostWith({
      PreToolUse: [
        prints({ hookSpecificOutput: { additionalContext: "for Bash" } }, { matcher: { tool_name: "Bash" } }),
        prints({ blockingError: "not Edit" }, { matcher: { tool_name: "Edit" } }),
      ],
    });
    const turn = host.turn(session);
    const [bash, edit, none] = await Promise.all(["Bash", "Edit", "Read"].map((tool) => turn.preToolUse(tool, {})));
    expect(bash).toMatchObject({ decision: "none", additional_contexts: ["for Bash"] });
    expect(edit).toMatchObject({ decision: "deny", reason: "pre-tool-hook: not Edit", additional_contexts: [] });
    expect(none).toMatchObject({ decision: "none", matched_rule_count: 0, messages: [] });
  });

  test("is refused by name if a hook could not be read", async () => {
    const { host, session } = await hostWith({ PreToolUse: { type: "http", url: "https://hooks.example" } });
    const answer = await host.turn(session).preToolUse("glob", {});
    expect(answer.decision).toBe("deny");
    expect(answer.reason).toContain("not supported");
  });
});

describe("the end of a turn", () => {
  const again = prints({ force_continue: true, follow_up_message: "Please say more." });
  const ending = { answer: "Done.", reason: "final_response" } as const;

  test("AG-S5: is postponed up to the limit, then the answer stays", async () => {
    const { host, session } = await hostWith({ Stop: again }, { maxForcedContinuations: 2 });
    const turn = host.turn(session);
    const ends = [await turn.stop(ending), await turn.stop(ending), await turn.stop(ending)];
    expect(ends.map(({ outcome }) => outcome)).toEqual(["continue", "continue", "reentry_capped"]);
    expect(ends[0]?.next).toBe("Please say more.");
    expect(ends[2]).toMatchObject({ answer: "Done.", next: null });
    expect(ends[0]?.result).toMatchObject({
      force_continue: true,
      follow_up_message: "Please say more.",
      stop_reason: null,
    });
    expect(typesOf(ends[0]?.result.messages ?? [])).toEqual(["hook_stopped_continuation"]);
  });

  test("is postponed three times at most by default, and never with a limit of zero", async () => {
    const usual = await hostWith({ Stop: again });
    const turn = usual.host.turn(usual.session);
    const outcomes: string[] = [];
    for (let time = 0; time < 4; time++) outcomes.push((await turn.stop(ending)).outcome);
    expect(outcomes).toEqual(["continue", "continue", "continue", "reentry_capped"]);
    const never = await hostWith({ Stop: again }, { maxForcedContinuations: 0 });
    expect((await never.host.turn(never.session).stop(ending)).outcome).toBe("reentry_capped");
    await expect(hostWith({}, { maxForcedContinuations: 1.5 })).rejects.toThrow("maxForcedContinuations");
  });

  test("AG-S6: tells hooks whether they have postponed it, and forgets this at the next turn", async () => {
    const log = `IFS= read -r input; text=\${input#*'"stop_hook_active":'}; echo "\${text%%,*}" >> active; exit 2`;
    const { host, session } = await hostWith({ Stop: runs(log) });
    const turn = host.turn(session);
    for (let time = 0; time < 3; time++) await turn.stop(ending);
    await host.turn(session).stop(ending);
    expect(readFileSync(join(session.cwd, "active"), "utf8").trim().split("\n")).toEqual([
      "false",
      "true",
      "true",
      "false",
    ]);
  });

  test("at the last iteration goes on under a separate name, and hooks see which iteration it is", async () => {
    const { host, session } = await hostWith({
      Stop: runs(`grep -q '"at_max_iter":true' && echo '{"decision":"block","reason":"Sum up."}'`),
    });
    const end = await host.turn(session).stop({ answer: "", reason: "max_iterations" });
    expect(end).toMatchObject({ outcome: "continue_at_max_iter", next: "Sum up." });
    expect((await host.turn(session).stop(ending)).outcome).toBe("allow");
  });

  test("AG-S4: shows contexts and messages to the user after the answer, unless a hook hides them", async () => {
    const said = { systemMessage: "three warnings", additionalContext: ["lint ran"] };
    const { host, session } = await hostWith({ Stop: prints(said) });
    const end = await host.turn(session).stop(ending);
    expect(end.answer).toBe("Done.\n<stop-hook>\nthree warnings\n</stop-hook>\n<stop-hook>\nlint ran\n</stop-hook>");
    expect(end.result).toMatchObject({
      system_message: "three warnings",
      matched_rule_count: 1,
      suppress_output: false,
    });
    const elsewhere = await host.turn(session).stop({ answer: "Done.", reason: "doom_loop" });
    expect([elsewhere.answer, elsewhere.outcome]).toEqual(["Done.", "allow"]);
    const hidden = await hostWith({ Stop: prints({ ...said, suppress_output: true }) });
    expect(await hidden.host.turn(hidden.session).stop(ending)).toMatchObject({
      answer: "Done.",
      result: { suppress_output: true },
    });
  });

  test("AG-S3: with an error is no continuation, has no marker, and asks no other hook", async () => {
    const { host, session } = await hostWith({ Stop: [prints({ continue: false, blockingError: "bad" }), again] });
    const end = await host.turn(session).stop(ending);
    expect(end).toMatchObject({ outcome: "block", answer: "Done.", next: null, result: { blocking_error: "bad" } });
    expect(typesOf(end.result.messages)).toEqual(["hook_blocking_error"]);
  });

  test("after a hook that withdraws its request still asks the next hook", async () => {
    const back = prints({ continue: false, decision: "block", reason: "enough" });
    const { host, session } = await hostWith({ Stop: [back] });
    expect(await host.turn(session).stop(ending)).toMatchObject({
      outcome: "allow",
      result: { stop_reason: "enough" },
    });
    const both = await hostWith({ Stop: [back, again] });
    expect((await both.host.turn(both.session).stop(ending)).outcome).toBe("continue");
  });

  test("AG-S7: in a loop asks the hooks once", async () => {
    const { host, session } = await hostWith({ Stop: runs("echo x >> count") });
    await host.turn(session).stop({ answer: "", reason: "doom_loop" });
    expect(readFileSync(join(session.cwd, "count"), "utf8")).toBe("x\n");
  });

  test("is postponed by a guard in hookbox's own format", async () => {
    const { host, session } = await hostWith({});
    await host.engine.register([
      { event: "Stop", type: "function", run: () => ({ decision: "block", reason: "run the tests" }) },
    ]);
    const end = await host.turn(session).stop(ending);
    expect(end).toMatchObject({ outcome: "continue", next: expect.stringContaining("run the tests") });
  });
});
