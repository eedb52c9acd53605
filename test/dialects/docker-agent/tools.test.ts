import { describe, expect, test } from "vitest";
import { dockerAgentCodec } from "../../../src/dialects/docker-agent/codec.ts";
import { dockerAgent } from "../../../src/dialects/docker-agent/dialect.ts";
import { agentEvent, canonicalEvent } from "../../../src/dialects/docker-agent/spelling.ts";
import type { JsonObject } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { makeVerdict } from "../replies.ts";
import { specific } from "./docker-hooks.ts";
import { PAYLOADS } from "./payloads.ts";

const read = (tool_name: string, tool_input: JsonObject): JsonObject => {
  const decoded = dockerAgent.decodeEvent({ hook_event_name: "pre_tool_use", tool_name, tool_input }, undefined);
  if (!decoded.ok) throw new Error(decoded.message);
  return { tool: decoded.payload["tool_name"]!, input: decoded.payload["tool_input"]! };
};
const written = (tool_name: string, tool_input: JsonObject): JsonObject => {
  const event = makeEvent("PreToolUse", { tool_name, tool_input }, "docker-agent");
  const { tool_name: tool, tool_input: input } = JSON.parse(dockerAgentCodec.encodePayload(event)) as JsonObject;
  return { tool: tool!, input: input! };
};

const SAME: readonly (readonly [agent: [string, JsonObject], canonical: [string, JsonObject]])[] = [
  [
    ["shell", { cmd: "ls", cwd: "." }],
    ["Bash", { command: "ls", cwd: "." }],
  ],
  [
    ["run_background_job", { cmd: "make" }],
    ["Bash", { command: "make", run_in_background: true }],
  ],
  [
    ["read_file", { path: "a", line: 3 }],
    ["Read", { file_path: "a", line: 3 }],
  ],
  [
    ["write_file", { path: "a", content: "b" }],
    ["Write", { file_path: "a", content: "b" }],
  ],
  [
    ["edit_file", { path: "a", edits: [{ oldText: "x", newText: "y" }] }],
    ["Edit", { file_path: "a", edits: [{ oldText: "x", newText: "y" }] }],
  ],
  [
    ["list_directory", { path: "a" }],
    ["LS", { path: "a" }],
  ],
  [
    ["search_files_content", { path: "a", query: "b" }],
    ["Grep", { path: "a", pattern: "b" }],
  ],
  [
    ["fetch", { urls: ["https://a.example"], timeout: 3 }],
    ["WebFetch", { url: "https://a.example", timeout: 3 }],
  ],
  [
    ["fetch", { urls: ["https://a.example", "https://b.example"] }],
    ["WebFetch", { url: ["https://a.example", "https://b.example"] }],
  ],
  [
    ["read_multiple_files", { paths: ["a", "b"] }],
    ["read_multiple_files", { paths: ["a", "b"] }],
  ],
  [
    ["transfer_task", { agent: "helper", task: "t" }],
    ["transfer_task", { agent: "helper", task: "t" }],
  ],
  [
    ["mcp__github_list_repos", { cmd: "x", path: "y" }],
    ["mcp__github_list_repos", { cmd: "x", path: "y" }],
  ],
];

test.each(SAME)("%j is %j, in both directions", ([tool, input], [canonicalTool, canonicalInput]) => {
  expect(read(tool, input)).toEqual({ tool: canonicalTool, input: canonicalInput });
  expect(written(canonicalTool, canonicalInput)).toEqual({ tool, input });
});

describe("a guard sees the field that the tool uses", () => {
  test.each<readonly [string, JsonObject, string]>([
    ["the other word for a command", { command: "rm -rf /" }, "rm -rf /"],
    ["the other word beside a blank one", { cmd: " \n", command: "rm -rf /" }, "rm -rf /"],
    ["a decoy under the canonical name", { cmd: "rm -rf /", command: "ls" }, "rm -rf /"],
    ["a key in another case", { CMD: "rm -rf /" }, "rm -rf /"],
    // Go decides which values are blank.
    ["the other word beside one that is blank to the agent only", { cmd: "\u0085", command: "rm -rf /" }, "rm -rf /"],
    ["two cases of one key", { cmd: "ls", CMD: "rm -rf /" }, "ls\nrm -rf /"],
  ])("with %s", (_, input, command) => {
    for (const tool of ["shell", "run_background_job"]) expect(read(tool, input)["input"]).toMatchObject({ command });
  });

  test("with a key that only Go treats as equal", () => {
    const urls = ["https://a.example"];
    expect(read("fetch", { "url\u017f": urls })["input"]).toEqual({ url: "https://a.example" });
    const both = read("fetch", { urls, "URL\u017f": ["https://evil.example"] })["input"];
    expect(JSON.stringify(both)).toContain("evil.example");
  });

  test("and a hook sees the tool's name, whatever fields the model adds", () => {
    const decoded = dockerAgent.decodeEvent(
      {
        hook_event_name: "pre_tool_use",
        tool_name: "shell",
        tool_input: { cmd: "ls", run_in_background: true, Run_In_Background: true },
      },
      undefined,
    );
    if (!decoded.ok) throw new Error(decoded.message);
    const { tool_name, tool_input } = decoded.payload;
    expect(written(tool_name as string, tool_input as JsonObject)).toMatchObject({
      tool: "shell",
      input: { cmd: "ls" },
    });
  });

  test("with a path in another case", () => {
    expect(read("write_file", { Path: "/etc/passwd" })["input"]).toEqual({ file_path: "/etc/passwd" });
  });
});

test("a rewrite is read and written with the agent's names", () => {
  const stdout = JSON.stringify(specific({ updated_input: { urls: ["https://a.example"] } }));
  const event = makeEvent("PreToolUse", { tool_name: "WebFetch", tool_input: {} }, "docker-agent");
  expect(dockerAgentCodec.decodeReply({ exitCode: 0, stdout, stderr: "" }, event)).toMatchObject({
    ok: true,
    reply: { updatedInput: { url: "https://a.example" } },
  });
  const replyTo = (tool_name: string, updatedInput: JsonObject) =>
    JSON.parse(
      dockerAgent.encodeReply(makeVerdict("PreToolUse", { updatedInput }), {
        name: "PreToolUse",
        payload: { tool_name },
      }).stdout,
    ).hook_specific_output.updated_input;
  expect(replyTo("WebFetch", { url: "https://a.example" })).toEqual({ urls: ["https://a.example"] });
  expect(replyTo("Bash", { command: "ls", run_in_background: true })).toEqual({ cmd: "ls" });
});

describe("each of the 28 events", () => {
  test.each(Object.entries(PAYLOADS))("%s is read with every field of its own, and written back", (name, fields) => {
    const payload = { session_id: "s", cwd: "/w", ...fields, hook_event_name: name };
    const decoded = dockerAgent.decodeEvent(payload, undefined);
    if (!decoded.ok) throw new Error(decoded.message);
    expect(decoded.name).toBe(canonicalEvent(name));
    expect(dockerAgent.recognises(payload)).toBe(true);
    const event = makeEvent(decoded.name, decoded.payload, "docker-agent");
    expect(JSON.parse(dockerAgentCodec.encodePayload(event))).toEqual(payload);
  });

  test("keeps its meaning in both directions, for any values", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }));
    const input = fc.oneof(
      fc.record({ cmd: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""), cwd: fc.string() }),
      fc.record({ path: fc.string(), content: fc.string() }),
      fc.record({ urls: fc.array(fc.webUrl(), { minLength: 1, maxLength: 3 }) }),
    );
    const tools = ["shell", "run_background_job", "read_file", "edit_file", "fetch", "list_directory", "mcp__x_y"];
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(PAYLOADS)),
        fc.constantFrom(...tools),
        input,
        fc.array(value, { minLength: 8, maxLength: 8 }),
        (name, tool_name, tool_input, values) => {
          const own = Object.keys(PAYLOADS[name]!).map((key, index) => [key, values[index % values.length]!] as const);
          const isTool = "tool_name" in PAYLOADS[name]!;
          const payload = { ...Object.fromEntries(own), ...(isTool ? { tool_name, tool_input } : {}) };
          const first = dockerAgent.decodeEvent({ ...payload, hook_event_name: name }, undefined);
          if (!first.ok) throw new Error(first.message);
          const event = makeEvent(first.name, first.payload, "docker-agent");
          const text = dockerAgentCodec.encodePayload(event);
          const second = dockerAgent.decodeEvent(JSON.parse(text) as JsonObject, undefined);
          expect(second).toEqual(first);
          expect(agentEvent(first.name)).toBe(name);
        },
      ),
      { numRuns: 400 },
    );
  });
});
