import { expect, test } from "vitest";
import { hosted } from "./hosted.ts";

const methods = (heard: readonly (readonly [string, object])[]) =>
  heard.map(([method]) => method.replace("autohand.", ""));

test("AH-11: with an aborted signal nothing is started, and no listener is notified", async () => {
  const { host, heard, read } = await hosted([
    { event: "pre-tool", command: "echo ran >> ran" },
    { event: "pre-tool", command: "echo ran >> ran", async: true },
  ]);
  const verdict = await host.fire("pre-tool", { tool_name: "x" }, { signal: AbortSignal.abort() });
  expect(verdict).toMatchObject({ cancelled: true, decision: "none" });
  expect(heard()).toEqual([]);
  expect(read("ran")).toBeUndefined();
});

test("AH-11: a running hook is ended when its caller cancels, and decides nothing", async () => {
  const { host, read } = await hosted([
    { event: "pre-tool", command: "trap 'echo term > term; exit 0' TERM; sleep 600 & wait" },
  ]);
  const verdict = await host.fire("pre-tool", { tool_name: "x" }, { signal: AbortSignal.timeout(250) });
  expect(verdict).toMatchObject({ cancelled: true, decision: "none", rules: [{ failure: { kind: "cancelled" } }] });
  await expect.poll(() => read("term")).toBe("term\n");
});

test.each([
  ["pre-tool", "write_file", { path: "a", content: "c" }, { path: "b" }, { path: "b", content: "c" }],
  [
    "permission-request",
    "run_command",
    { command: "ls", directory: "/x", cwd: "/y" },
    { command: "pwd" },
    { command: "pwd", directory: "/x", cwd: "/y" },
  ],
] as const)(
  "AH-33: the new input that fire(%s) returns has the field names of %s",
  async (event, tool, input, patch, whole) => {
    const { host } = await hosted([{ event, command: `echo '${JSON.stringify({ updatedInput: patch })}'` }]);
    const verdict = await host.fire(event, { tool_name: tool, tool_input: input });
    expect(verdict.updatedInput).toEqual(whole);
  },
);

test.each([
  ["safer", "deny"],
  ["faithful", "none"],
] as const)("a host with compat %s treats exit code 1 at pre-tool as %s", async (compat, decision) => {
  const { host } = await hosted([{ event: "pre-tool", command: "exit 1" }], { config: { compat } });
  expect(await host.fire("pre-tool", { tool_name: "x" })).toMatchObject({ decision });
});

test("AH-12: listeners are notified once of a tool's end although the signal is aborted, and no hook runs", async () => {
  const { host, heard, read } = await hosted([{ event: "post-tool", command: "echo ran > ran" }]);
  await host.fire("post-tool", { tool_name: "x", tool_success: true }, { signal: AbortSignal.abort() });
  expect(methods(heard())).toEqual(["hook.postTool"]);
  expect(read("ran")).toBeUndefined();
});

test("AH-20: a reset ends the session, begins another, and restarts its clock", async () => {
  let clock = 0;
  const { host, heard } = await hosted([], { now: () => new Date(clock) });
  await host.start();
  clock = 500;
  await host.reset();
  clock = 600;
  await host.shutdown("quit");
  expect(heard()).toEqual([
    ["autohand.hook.sessionStart", { sessionType: "startup" }],
    ["autohand.hook.sessionEnd", { reason: "clear", duration: 500 }],
    ["autohand.hook.sessionStart", { sessionType: "clear" }],
    ["autohand.hook.sessionEnd", { reason: "quit", duration: 100 }],
    ["autohand.agentEnd", { reason: "quit" }],
  ]);
});

test.each([
  ["quit", "quit"],
  ["completed", "exit"],
  ["aborted", "exit"],
  ["disconnected", "exit"],
  ["error", "error"],
] as const)(
  "AH-20: an agent that has %s ends its session for the reason %s, once, and sends nothing after that",
  async (kind, reason) => {
    const { host, heard, read } = await hosted([
      { event: "session-end", command: 'echo "$HOOK_SESSION_END_REASON" >> ends' },
    ]);
    await Promise.all([host.shutdown(kind), host.shutdown("error")]);
    expect(heard()).toEqual([
      ["autohand.hook.sessionEnd", { reason, duration: 0 }],
      ["autohand.agentEnd", { reason: kind }],
    ]);
    expect(read("ends")).toBe(`${reason}\n`);
    await expect(host.fire("stop")).rejects.toMatchObject({ code: "HOOK_ENGINE_CLOSED" });
    expect(heard()).toHaveLength(2);
  },
);

test("AH-20: an error is reported once for each prompt", async () => {
  const { host, heard } = await hosted([]);
  await host.prompt("first", ["a.ts"]);
  expect(await host.reportError("boom", { code: "E1" })).not.toBeNull();
  expect(await host.reportError("boom again")).toBeNull();
  await host.prompt("second");
  await host.reportError("other", { context: { at: 2 } });
  expect(heard()).toEqual([
    ["autohand.hook.prePrompt", { instruction: "first", mentionedFiles: ["a.ts"] }],
    ["autohand.hook.sessionError", { error: "boom", code: "E1" }],
    ["autohand.hook.prePrompt", { instruction: "second", mentionedFiles: [] }],
    ["autohand.hook.sessionError", { error: "other", context: { at: 2 } }],
  ]);
});

test("an event that Autohand does not have throws", async () => {
  const { host } = await hosted([]);
  await expect(host.fire("pre_tool_use")).rejects.toMatchObject({ code: "HOOK_EVENT_UNKNOWN" });
});
