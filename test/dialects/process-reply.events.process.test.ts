import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { meaningOfFailure } from "../../src/aggregate/failure-policy.ts";
import { createEngine } from "../../src/engine.ts";
import { EVENT_NAMES } from "../../src/events/lookup.ts";
import { EVENTS } from "../../src/events/table.ts";
import { folderWith } from "../config/config-files.ts";
import { makeEvent, makeRule } from "../helpers/rules.ts";
import { CODECS, type CodecName, decode, failureOf, replyOf, says } from "./replies.ts";

const BOTH: readonly CodecName[] = ["claude-code", "hookbox"];
const TEXT_IS_CONTEXT = [
  "UserPromptSubmit",
  "UserPromptExpansion",
  "UserSteeringMessagesSubmit",
  "UserFollowupSubmit",
  "TurnStart",
  "SessionStart",
  "PostModelSwitch",
];

describe.each(BOTH)("plain text of a %s hook", (codec) => {
  test.each(TEXT_IS_CONTEXT)("is added to the conversation at %s", (event) => {
    expect(replyOf(codec, { stdout: "\n Today is Monday. \n" }, event)).toEqual({
      additionalContext: ["Today is Monday."],
    });
    expect(replyOf(codec, { stdout: " \n" }, event)).toEqual({});
  });

  // WorktreeCreate reads a path there, and is tested separately.
  test.each(EVENT_NAMES.filter((event) => !TEXT_IS_CONTEXT.includes(event) && event !== "WorktreeCreate"))(
    "has no effect at %s",
    (event) => {
      expect(replyOf(codec, { stdout: "Today is Monday." }, event)).toEqual({});
    },
  );
});

describe.each(BOTH)("exit code 2 of a %s hook", (codec) => {
  const refusal = (event: string) => replyOf(codec, { exitCode: 2, stderr: "no" }, event);

  test.each(["PreToolUse", "PreModelSwitch"])("denies at %s", (event) => {
    expect(refusal(event)).toEqual({ decision: "deny", reason: "no" });
  });

  test.each([
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "Stop",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "ConfigChange",
    "PreCompact",
    "Elicitation",
    "ElicitationResult",
    "WorktreeCreate",
  ])("blocks at %s", (event) => {
    expect(refusal(event)).toEqual({ decision: "block", reason: "no" });
  });

  test.each(["SessionStart", "SessionEnd", "CwdChanged", "FileChanged", "PostCompact", "PostModelSwitch"])(
    "cannot refuse anything at %s, and its text goes to the user",
    (event) => {
      expect(refusal(event)).toEqual({ systemMessage: "no" });
      expect(replyOf(codec, { exitCode: 2 }, event)).toEqual({});
    },
  );
});

describe("exit code 2 at PermissionRequest", () => {
  const exit2 = { exitCode: 2, stderr: "no" };
  const behaviour = (decision: object) => ({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { ...decision } },
  });

  test("of a hookbox hook denies", () => {
    expect(replyOf("hookbox", exit2, "PermissionRequest")).toEqual({ decision: "deny", reason: "no" });
    const stdout = behaviour({ behavior: "allow" });
    expect(replyOf("hookbox", { ...exit2, stdout }, "PermissionRequest").decision).toBe("deny");
  });

  test("of a claude-code hook is a failure like any other exit code: the user is asked", () => {
    expect(failureOf("claude-code", exit2, "PermissionRequest")).toMatchObject({ kind: "exit", value: 2 });
  });

  test("of a claude-code hook does not cancel a refusal in its JSON", () => {
    const stdout = behaviour({ behavior: "deny", message: "json says no" });
    expect(replyOf("claude-code", { ...exit2, stdout }, "PermissionRequest")).toMatchObject({
      decision: "deny",
      reason: "json says no",
    });
  });

  test("of a claude-code hook with JSON that allows is no permission", () => {
    const decoded = decode("claude-code", { ...exit2, stdout: behaviour({ behavior: "allow" }) }, "PermissionRequest");
    expect(decoded.ok && decoded.reply.decision === "allow").toBe(false);
  });
});

describe.each(BOTH)("a missing script, reported by its interpreter with exit code 2, of a %s hook", (codec) => {
  const STDERR = [
    "python3: can't open file '/x/guard.py': [Errno 2] No such file or directory",
    "sh: 0: cannot open guard.sh: No such file",
  ];

  test.each(["Stop", "SubagentStop", "TaskCompleted"])("does not keep the agent going at %s", (event) => {
    for (const stderr of STDERR) expect(decode(codec, { exitCode: 2, stderr }, event).ok).toBe(false);
  });

  test("still closes a gate, and still blocks if it printed something", () => {
    for (const stderr of STDERR) {
      expect(replyOf(codec, { exitCode: 2, stderr }).decision).toBe("deny");
      expect(replyOf(codec, { exitCode: 2, stderr, stdout: "checked" }, "Stop").decision).toBe("block");
    }
  });
});

describe.each(BOTH)("an elicitation answered by a %s hook", (codec) => {
  test.each(["Elicitation", "ElicitationResult"])("may be accepted with content at %s", (event) => {
    const fields = { action: "accept", content: { name: "Ada" } };
    expect(replyOf(codec, { stdout: says(event, fields) }, event)).toEqual({ specific: fields });
  });

  test.each(["decline", "cancel"])("is refused by the action %s", (action) => {
    for (const event of ["Elicitation", "ElicitationResult"])
      expect(replyOf(codec, { stdout: says(event, { action }) }, event).decision).toBe("block");
  });

  test("is not answered at exit code 2, whatever the JSON says", () => {
    const stdout = says("Elicitation", { action: "accept", content: { name: "Ada" } });
    expect(replyOf(codec, { stdout, exitCode: 2, stderr: "no" }, "Elicitation")).toEqual({
      decision: "block",
      reason: "no",
    });
  });
});

describe.each(BOTH)("the folder for a new worktree, from a %s hook", (codec) => {
  test("is the last line that it prints", () => {
    const stdout = "making it\n\u001b[32m/srv/trees/a\u001b[0m\n\n";
    expect(replyOf(codec, { stdout }, "WorktreeCreate")).toEqual({ specific: { worktreePath: "/srv/trees/a" } });
  });

  test.each([1, 2, 3])("is refused by exit code %i", (exitCode) => {
    const decoded = decode(codec, { exitCode, stderr: "disk full" }, "WorktreeCreate");
    if (decoded.ok) expect(decoded.reply.decision).toBe("block");
    else {
      const rule = makeRule({ codec: CODECS[codec] });
      expect(meaningOfFailure(decoded.failure.kind, rule, EVENTS.WorktreeCreate)).toBe("deny");
    }
  });
});

describe("a claude-code hook with onFailure block", () => {
  const verdictOf = async (script: string, onFailure?: "block") => {
    const hook = { type: "command", command: "./hook.sh", args: [], ...(onFailure && { onFailure }) };
    const folder = folderWith({ "settings.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }) });
    writeFileSync(join(folder, "hook.sh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await using engine = await createEngine({ configFiles: ["settings.json"], cwd: folder });
    return await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, cwd: folder });
  };
  const printed = `echo '${JSON.stringify(says("PreToolUse", { permissionDecision: "allow" }))}'`;

  test("fails with exit code 1 even if its JSON allows", async () => {
    expect((await verdictOf(`${printed}\nexit 1`, "block")).decision).toBe("deny");
  });

  test("allows with exit code 0, and without that setting also with exit code 1", async () => {
    expect((await verdictOf(printed, "block")).decision).toBe("allow");
    expect((await verdictOf(`${printed}\nexit 1`)).decision).toBe("allow");
  });
});

describe.each(BOTH)("a %s hook is given", (codec) => {
  test("the event as the agent wrote it, and its name", () => {
    const event = makeEvent("PreToolUse", { session_id: "s", tool_input: { command: "ü\n" } });
    expect(JSON.parse(CODECS[codec].encodePayload(event))).toEqual(event.payload);
    const { hook_event_name: _, ...payload } = event.payload;
    expect(JSON.parse(CODECS[codec].encodePayload({ ...event, payload }))).toEqual(event.payload);
  });

  test("the project's folder: where the session began, or the event's working directory", () => {
    vi.stubEnv("CLAUDE_PROJECT_DIR", undefined);
    const event = makeEvent("Stop", { cwd: "/work" });
    expect(CODECS[codec].environment(event)).toEqual({ CLAUDE_PROJECT_DIR: "/work" });
    expect(CODECS[codec].environment(makeEvent("Stop"))).toEqual({ CLAUDE_PROJECT_DIR: process.cwd() });
    vi.stubEnv("CLAUDE_PROJECT_DIR", "/started/here");
    expect(CODECS[codec].environment(event)).toEqual({ CLAUDE_PROJECT_DIR: "/started/here" });
    vi.unstubAllEnvs();
  });
});

test("processes that a hook leaves running go on for Claude Code's hooks, and are ended for hookbox's", () => {
  expect(CODECS["claude-code"].keepsBackgroundProcesses).toBe(true);
  expect(CODECS.hookbox.keepsBackgroundProcesses).toBe(false);
});

test("the events whose text is context are the table's", () => {
  expect(EVENT_NAMES.filter((event) => EVENTS[event].plainTextIsContext)).toEqual(TEXT_IS_CONTEXT);
});
