import { describe, expect, test } from "vitest";
import { agentaoCodec } from "../../../src/dialects/agentao/codec.ts";
import { agentao } from "../../../src/dialects/agentao/dialect.ts";
import { agentaoTools, agentaoToolsWith } from "../../../src/dialects/agentao/tools.ts";
import { claudeCode } from "../../../src/dialects/claude-code/dialect.ts";
import type { JsonObject } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { EVENTS } from "./agentao-hooks.ts";

const here = process.cwd();
const FLAT = ["Stop", "PreCompact"];
const said = { sessionId: "s-1" };
const flat = { session_id: "s-1", transcript_path: null, cwd: "/work", permission_mode: "workspace-write" };

/** Every payload, and its canonical form. */
const PAYLOADS: Readonly<Record<string, readonly [data: JsonObject, canonical: JsonObject]>> = {
  UserPromptSubmit: [
    { userMessage: "hi", ...said, cwd: "/work" },
    { prompt: "hi", session_id: "s-1", cwd: "/work" },
  ],
  SessionStart: [
    { ...said, cwd: "/work" },
    { session_id: "s-1", cwd: "/work" },
  ],
  SessionEnd: [
    { ...said, cwd: "/work" },
    { session_id: "s-1", cwd: "/work" },
  ],
  PreToolUse: [
    { toolName: "Edit", toolInput: { file_path: "a", old_text: "b", new_text: "c" }, ...said },
    {
      tool_name: "Edit",
      tool_input: { file_path: "a", old_string: "b", new_string: "c" },
      session_id: "s-1",
      cwd: here,
    },
  ],
  PostToolUse: [
    { toolName: "Bash", toolInput: { command: "ls" }, toolOutput: "a\nb", ...said },
    { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "a\nb", session_id: "s-1", cwd: here },
  ],
  PostToolUseFailure: [
    { toolName: "Bash", toolInput: { command: "ls" }, error: "gone", ...said },
    { tool_name: "Bash", tool_input: { command: "ls" }, error: "gone", session_id: "s-1", cwd: here },
  ],
  Stop: [
    { ...flat, stop_hook_active: true, last_assistant_message: "one\ntwo", turn_end_reason: "doom_loop" },
    { ...flat, stop_hook_active: true, last_assistant_message: "one\ntwo", turn_end_reason: "doom_loop" },
  ],
  PreCompact: [
    { ...flat, trigger: "auto", custom_instructions: "", compaction_type: "full", reason: "api_overflow" },
    { ...flat, trigger: "auto", custom_instructions: "", compaction_type: "full", reason: "api_overflow" },
  ],
};

/** Agentao starts hooks of tools in its working directory, and does not send this directory in their payload. */
const ofTools = Object.keys(PAYLOADS).filter((event) => PAYLOADS[event]?.[1]["cwd"] === here);

const wired = (event: string, data: JsonObject): JsonObject =>
  FLAT.includes(event) ? { hook_event_name: event, ...data } : { event, data };
const encoded = (event: string, payload: JsonObject): JsonObject =>
  JSON.parse(agentaoCodec.encodePayload(makeEvent(event, payload, "agentao"))) as JsonObject;
const decoded = (payload: JsonObject, name?: string) => {
  const read = agentao.decodeEvent(payload, name);
  if (!read.ok) throw new Error(read.message);
  return read;
};

describe("a payload", () => {
  test.each(EVENTS)("AG-W1: of %s has exactly these keys, in both directions", (event) => {
    const [data, canonical] = PAYLOADS[event] as [JsonObject, JsonObject];
    expect(decoded(wired(event, data))).toEqual({
      ok: true,
      name: event,
      payload: { ...canonical, hook_event_name: event },
    });
    expect(encoded(event, canonical)).toEqual(wired(event, data));
  });

  test("AG-W2: keeps the lines of the last message", () => {
    const last_assistant_message = 'first\n\nsecond \u2028 "third"\n';
    const { payload } = decoded(wired("Stop", { turn_end_reason: "final_response", last_assistant_message }));
    expect(payload["last_assistant_message"]).toBe(last_assistant_message);
    expect(encoded("Stop", payload)["last_assistant_message"]).toBe(last_assistant_message);
  });

  test.each(EVENTS)("of %s is complete even if the agent leaves fields out", (event) => {
    const needed = event.includes("ToolUse") ? { toolName: "Bash" } : {};
    const [data] = PAYLOADS[event] as [JsonObject, JsonObject];
    const { payload } = decoded(wired(event, event === "UserPromptSubmit" ? { userMessage: "x" } : needed));
    const wire = encoded(event, payload);
    const keys = Object.keys(FLAT.includes(event) ? wire : (wire["data"] as JsonObject));
    expect(keys.sort()).toEqual(Object.keys(FLAT.includes(event) ? wired(event, data) : data).sort());
    if ("cwd" in payload) expect(payload["cwd"]).toBe(process.cwd());
    expect(payload["session_id"]).toBe("");
  });

  test("keeps fields that the page does not name, such as at_max_iter", () => {
    expect(decoded(wired("Stop", { at_max_iter: true })).payload["at_max_iter"]).toBe(true);
    expect(decoded(wired("PreToolUse", { toolName: "x", later: [1] })).payload["later"]).toEqual([1]);
  });

  test("with the agent's own name of a tool is judged under the canonical name", () => {
    const { payload } = decoded(wired("PreToolUse", { toolName: "run_shell_command", toolInput: { command: "ls" } }));
    expect(payload).toMatchObject({ tool_name: "Bash", tool_input: { command: "ls" } });
  });

  test("cannot hide the field that a tool uses behind a field of the other name", () => {
    const toolInput = { old_text: "real", old_string: "decoy" };
    const { payload } = decoded(wired("PreToolUse", { toolName: "Edit", toolInput, tool_name: "Read" }));
    expect(payload).toMatchObject({ tool_name: "Edit", tool_input: { old_string: "real", old_text: "decoy" } });
    expect(encoded("PreToolUse", payload)["data"]).toMatchObject({ toolName: "Edit", toolInput });
  });

  test.each<[JsonObject, string | undefined]>([
    [{}, undefined],
    [{ event: 3, data: {} }, undefined],
    [{ event: "PreToolUse" }, undefined],
    [{ event: "PreToolUse", data: [] }, undefined],
    [{ event: "PermissionRequest", data: {} }, undefined],
    [{ event: "toString", data: {} }, undefined],
    [{ event: "Stop", data: {} }, undefined],
    [{ hook_event_name: "PreToolUse", tool_name: "Bash" }, undefined],
    [{ event: "PreToolUse", data: { toolName: "Bash" } }, "Stop"],
    [{ hook_event_name: 1 }, undefined],
  ])("that is not one of the agent's is refused: %j, named %j", (payload, name) => {
    expect(agentao.decodeEvent(payload, name).ok).toBe(false);
  });

  test("may have its event named by the command line", () => {
    expect(decoded({ data: { toolName: "Bash" } }, "PreToolUse").name).toBe("PreToolUse");
    expect(decoded({ last_assistant_message: "x" }, "Stop").name).toBe("Stop");
  });

  test("is recognised among those of other agents", () => {
    for (const [event, [data]] of Object.entries(PAYLOADS)) expect(agentao.recognises(wired(event, data))).toBe(true);
    const others = [
      { hook_event_name: "Stop" },
      { hook_event_name: "PreCompact", trigger: "auto" },
      { event: "x", data: {} },
    ];
    for (const payload of others) expect(agentao.recognises(payload)).toBe(false);
    expect(claudeCode.recognises(wired("PreToolUse", {}))).toBe(false);
  });
});

describe("an event", () => {
  const key = fc.oneof(
    fc.constantFrom(..."toolName tool_name toolInput toolOutput sessionId session_id cwd error old_text".split(" ")),
    fc.string({ maxLength: 5 }),
  );
  // As JSON parses it, which has no -0.
  const value = fc.jsonValue({ maxDepth: 2 }).map((one) => JSON.parse(JSON.stringify(one)) as JsonObject[string]);
  const data = fc.dictionary(key, value, { maxKeys: 6 });

  test("is the same after it was written and read again", () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVENTS), data, (event, fields) => {
        const { cwd: _, ...others } = fields;
        const read = agentao.decodeEvent(wired(event, ofTools.includes(event) ? others : fields), undefined);
        if (!read.ok) return;
        expect(agentao.decodeEvent(encoded(event, read.payload), undefined)).toEqual(read);
      }),
      { numRuns: 500 },
    );
  });

  test("is read or refused, for any payload", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("event", "data", "hook_event_name"), fc.jsonValue()), (payload) => {
        expect(typeof agentao.decodeEvent(payload as JsonObject, undefined).ok).toBe("boolean");
        expect(typeof agentao.recognises(payload as JsonObject)).toBe("boolean");
      }),
    );
  });
});

describe("the names of tools", () => {
  test("AG-A1: are known in both directions, other names are kept, and more can be added", () => {
    const pairs = [
      ["read_file", "Read"],
      ["write_file", "Write"],
      ["replace", "Edit"],
      ["run_shell_command", "Bash"],
      ["glob", "Glob"],
      ["search_file_content", "Grep"],
      ["web_fetch", "WebFetch"],
      ["web_search", "WebSearch"],
      ["list_directory", "LS"],
      ["save_memory", "SaveMemory"],
      ["ask_user", "AskUser"],
      ["todo_write", "TodoWrite"],
      ["plan_save", "PlanSave"],
      ["plan_finalize", "PlanFinalize"],
      ["activate_skill", "ActivateSkill"],
    ] as const;
    for (const [own, alias] of pairs) {
      expect([agentaoTools.canonicalTool(own), agentaoTools.agentTool(alias)]).toEqual([alias, own]);
      expect(agentaoCodec.toolSpellings?.(own)).toEqual([alias, own]);
    }
    expect([agentaoTools.canonicalTool("mcp__a__b"), agentaoTools.agentTool("Task")]).toEqual(["mcp__a__b", "Task"]);
    const more = agentaoToolsWith({ deploy: "Deploy", read_file: "ReadOnly" });
    expect([more.canonicalTool("deploy"), more.agentTool("Deploy")]).toEqual(["Deploy", "deploy"]);
    expect([more.canonicalTool("read_file"), more.agentTool("ReadOnly")]).toEqual(["ReadOnly", "read_file"]);
    expect(more.canonicalTool("glob")).toBe("Glob");
  });
});
