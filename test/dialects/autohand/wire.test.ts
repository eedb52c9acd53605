import { describe, expect, test } from "vitest";
import { autohandCodec } from "../../../src/dialects/autohand/codec.ts";
import { autohand } from "../../../src/dialects/autohand/dialect.ts";
import { AUTOHAND_EVENTS } from "../../../src/dialects/autohand/event-names.ts";
import { agentEvent, agentPayload } from "../../../src/dialects/autohand/spelling.ts";
import { dockerAgent } from "../../../src/dialects/docker-agent/dialect.ts";
import type { JsonObject } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";
import { makeEvent } from "../../helpers/rules.ts";

const NAMES = Object.keys(AUTOHAND_EVENTS);

function decoded(name: string, payload: JsonObject): JsonObject {
  const result = autohand.decodeEvent({ hook_event_name: name, ...payload }, undefined);
  if (!result.ok) throw new Error(result.message);
  return result.payload;
}

const onStdin = (payload: JsonObject): JsonObject =>
  JSON.parse(autohandCodec.encodePayload(makeEvent(String(payload["hook_event_name"]), payload, "autohand")));

describe("names of events", () => {
  test("are 54, and the same in both directions, except for the old name of stop", () => {
    expect(NAMES).toHaveLength(54);
    for (const name of NAMES) {
      expect(agentEvent(AUTOHAND_EVENTS[name]!)).toBe(name === "post-response" ? "stop" : name);
    }
  });

  test.each(["toString", "__proto__", "PreToolUse", "pre_tool_use", ""])("%j is none", (name) => {
    expect(autohand.decodeEvent({ hook_event_name: name }, undefined).ok).toBe(false);
  });

  test("may come from the command line, in either spelling", () => {
    for (const name of ["pre-tool", "PreToolUse"]) {
      expect(autohand.decodeEvent({ tool_name: "run_command" }, name)).toMatchObject({ ok: true, name: "PreToolUse" });
      expect(autohand.decodeEvent({ hook_event_name: "pre-tool" }, name)).toMatchObject({ ok: true });
      expect(autohand.decodeEvent({ hook_event_name: "stop" }, name)).toMatchObject({ ok: false });
    }
    expect(autohand.decodeEvent({ hook_event_name: "post-response" }, "stop")).toMatchObject({
      ok: true,
      name: "Stop",
    });
    expect(autohand.decodeEvent({}, undefined).ok).toBe(false);
    expect(autohand.decodeEvent({ hook_event_name: 1 }, undefined).ok).toBe(false);
  });
});

describe("a payload is distinguished from other agents'", () => {
  test("by its event", () => {
    const shared = ["stop", "notification"];
    for (const name of NAMES) expect(autohand.recognises({ hook_event_name: name })).toBe(!shared.includes(name));
    for (const name of ["PreToolUse", "pre_tool_use", "", 3])
      expect(autohand.recognises({ hook_event_name: name })).toBe(false);
  });

  test.each([
    { hook_event_name: "stop", stop_response: "done" },
    { hook_event_name: "stop", agent_name: "root" },
    { hook_event_name: "notification", notification_level: "warning" },
    { hook_event_name: "stop", tokens_used: 3 },
    { hook_event_name: "stop", tool_calls_count: 3 },
    { hook_event_name: "notification", notification_type: "idle" },
  ])("%j belongs to one agent only", (payload) => {
    expect(autohand.recognises(payload)).toBe(!dockerAgent.recognises(payload));
  });
});

describe("a payload", () => {
  test.each<readonly [string, JsonObject, JsonObject]>([
    [
      "pre-tool",
      { tool_name: "read_file", tool_input: { path: "a" } },
      { tool_name: "Read", tool_input: { file_path: "a" } },
    ],
    [
      "pre-tool",
      { tool_name: "write_file", tool_input: { path: "a", content: "" } },
      { tool_name: "Write", tool_input: { file_path: "a", content: "" } },
    ],
    [
      "pre-tool",
      { tool_name: "append_file", tool_input: { path: "a" } },
      { tool_name: "Edit", tool_input: { file_path: "a" } },
    ],
    [
      "pre-tool",
      { tool_name: "apply_patch", tool_input: { path: "a" } },
      { tool_name: "MultiEdit", tool_input: { file_path: "a" } },
    ],
    [
      "pre-tool",
      { tool_name: "delete_path", tool_input: { path: "a" } },
      { tool_name: "delete_path", tool_input: { file_path: "a" } },
    ],
    [
      "pre-tool",
      { tool_name: "search", tool_input: { query: "q" } },
      { tool_name: "Grep", tool_input: { pattern: "q" } },
    ],
    ["pre-tool", { tool_name: "list_tree", tool_input: {} }, { tool_name: "LS", tool_input: {} }],
    [
      "pre-tool",
      { tool_name: "run_command", tool_input: { command: "ls -l" } },
      { tool_name: "Bash", tool_input: { command: "ls -l" } },
    ],
    [
      "post-tool",
      { tool_name: "my_tool", tool_success: true, duration: 3 },
      { tool_name: "my_tool", tool_success: true, duration_ms: 3 },
    ],
    ["pre-prompt", { instruction: "go", mentioned_files: ["a"] }, { prompt: "go", mentioned_files: ["a"] }],
    ["session-start", { session_type: "clear" }, { source: "clear" }],
    ["session-end", { session_end_reason: "quit", duration: 3 }, { reason: "quit", duration: 3 }],
    ["subagent-stop", { subagent_id: "1", subagent_type: "t" }, { agent_id: "1", agent_type: "t" }],
    [
      "notification",
      { notification_type: "idle", notification_message: "m" },
      { notification_type: "idle", message: "m" },
    ],
    ["file-modified", { file_path: "a", change_type: "create" }, { file_path: "a", event: "add" }],
    ["file-modified", { file_path: "a", change_type: "moved" }, { file_path: "a", event: "moved" }],
    ["context:compact", { summary: "s" }, { compact_summary: "s" }],
  ])("of %s is read and written: %j", (name, theirs, canonical) => {
    expect(decoded(name, { cwd: "/w", ...theirs })).toEqual({
      hook_event_name: AUTOHAND_EVENTS[name],
      cwd: "/w",
      ...canonical,
    });
    expect(agentPayload(AUTOHAND_EVENTS[name]!, decoded(name, { cwd: "/w", ...theirs }))).toEqual({
      hook_event_name: name,
      cwd: "/w",
      ...theirs,
    });
  });

  test("has a null for each field of the page without a value, and nulls mean nothing", () => {
    const written = onStdin({ hook_event_name: "Stop", session_id: "s", tokens_used: 3 });
    expect(Object.keys(written)).toHaveLength(29);
    expect(written).toMatchObject({ hook_event_name: "stop", tokens_used: 3, tool_name: null, instruction: null });
    expect(decoded("stop", written)).toEqual({ hook_event_name: "Stop", session_id: "s", tokens_used: 3 });
  });

  test("of a tool that an embedder ran says whether the tool succeeded", () => {
    const about = { hook_event_name: "PostToolUse", tool_name: "Bash" };
    expect(onStdin(about)).toMatchObject({ tool_success: true });
    expect(onStdin({ ...about, tool_error: true })).toMatchObject({ tool_success: false });
  });

  test("loses nothing when it is read and written, for any values", () => {
    const key = fc.constantFrom(
      ..."path file_path command args shell query pattern instruction prompt source session_type reason event".split(
        " ",
      ),
      ..."change_type agent_id subagent_id message duration duration_ms tool_use_id x __proto__".split(" "),
    );
    const value = fc.oneof(
      fc.constantFrom("create", "add", "ls", "a b", "", "'", "x|y"),
      fc.array(fc.constantFrom<unknown>("-rf", "/", "a b", ";", "'", "", "$HOME", 0, null, ["a b"], {}), {
        maxLength: 3,
      }),
      fc.boolean(),
      // As parsed from JSON, which has no -0.
      fc
        .json()
        .map((text) => JSON.parse(text) as unknown)
        .filter((json) => json !== null),
    );
    const fields = fc.array(fc.tuple(key, value)).map((pairs) => Object.fromEntries(pairs) as JsonObject);
    const tool = fc.constantFrom(
      "run_command",
      "read_file",
      "append_file",
      "search_replace",
      "delete_path",
      "Bash",
      "x",
    );
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fields, tool, fields, (name, payload, tool_name, tool_input) => {
        const theirs: JsonObject = { ...payload, tool_success: true, tool_name, tool_input };
        const event = decoded(name, theirs);
        const agentName = name === "post-response" ? "stop" : name;
        // An agent's own tool with the name of a canonical tool is written as the agent's tool that does the same.
        const named = tool_name === "Bash" && event["tool_name"] === "Bash";
        if (!named)
          expect(agentPayload(AUTOHAND_EVENTS[name]!, event)).toEqual({ ...theirs, hook_event_name: agentName });
        expect(decoded(agentName, onStdin(event))).toEqual(event);
      }),
    );
  });
});

test("any value in place of a payload is read or refused without a throw", () => {
  const keys = fc.constantFrom("hook_event_name", "tool_name", "tool_input", "command", "args", "change_type", "x");
  const name = fc.constantFrom<unknown>(...NAMES, "PreToolUse", 3, null);
  fc.assert(
    fc.property(
      fc.dictionary(keys, fc.jsonValue()),
      name,
      fc.option(fc.constantFrom(...NAMES)),
      (payload, named, said) => {
        const given = { ...payload, hook_event_name: named } as JsonObject;
        const result = autohand.decodeEvent(given, said ?? undefined);
        if (!result.ok) expect(result.message).not.toBe("");
        else autohandCodec.environment(makeEvent(result.name, result.payload, "autohand"));
        expect(autohand.recognises(given)).toBeTypeOf("boolean");
      },
    ),
  );
});

describe("a command with arguments", () => {
  const lineOf = (input: JsonObject) =>
    (decoded("pre-tool", { tool_name: "run_command", tool_input: input })["tool_input"] as JsonObject)["command"];

  test.each<readonly [JsonObject, unknown]>([
    [{ command: "rm", args: ["-rf", "/"] }, "rm -rf /"],
    [{ command: "rm", args: ["-rf", "a b"] }, "rm -rf 'a b'"],
    [{ command: "echo", args: ["it's", ""] }, `echo 'it'\\''s' ''`],
    [{ command: "ls", args: [] }, "ls"],
    [{ command: "ls", args: "-l" }, "ls"],
    // Node starts a program with the list's values as text.
    [{ command: "rm", args: ["-rf", "/", 0] }, "rm -rf / 0"],
    [{ command: "bash", args: ["-c", ["rm x"], null, [null, true, ["a", 1]]] }, "bash -c 'rm x' null ,true,a,1"],
    [{ command: "ls", args: [{ toString: 1 }] }, "ls '[object Object]'"],
    [{ command: "git", args: ["commit", "-m", "a; b"] }, "git commit -m 'a; b'"],
    [{ command: "git status;", args: ["; rm -rf ~"] }, "git status; '; rm -rf ~'\ngit status; ; rm -rf ~"],
    [{ command: "echo", args: ["; rm x"], shell: true }, "echo '; rm x'\necho ; rm x"],
    [{ command: "echo", args: ["; rm x"], shell: "bash" }, "echo '; rm x'\necho ; rm x"],
    [{ command: "echo", args: ["; rm x"], shell: 1 }, "echo '; rm x'\necho ; rm x"],
    [{ command: "echo", args: ["; rm x"], shell: "" }, "echo '; rm x'"],
    [{ args: ["x"] }, undefined],
  ])("%j is judged as one line", (input, line) => {
    expect(lineOf(input)).toBe(line);
  });

  test("that a rule has changed runs without the old arguments", () => {
    const payload = { tool_name: "Bash", tool_input: { command: "ls", args: ["-rf", "/"] } };
    expect(agentPayload("PreToolUse", payload)).toMatchObject({ tool_input: { command: "ls", args: [] } });
  });
});
