import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ABSENT } from "../helpers/folders.ts";
import { bashCall, hookbox, MAIN, ownFolders, project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** `run --lines`: one line for each question, one line for each answer, one process. */

type Answer = Readonly<Record<string, unknown>> & {
  readonly error?: { readonly code: string; readonly message: string };
};

const answersOf = (stdout: string): readonly Answer[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Answer);

const call = (id: unknown, command: string, more: object = {}): string =>
  JSON.stringify({ id, ...(JSON.parse(bashCall(command)) as object), ...more });

const decisionOf = ({ stdout }: Answer): string | undefined =>
  stdout === ""
    ? undefined
    : (JSON.parse(String(stdout)) as { hookSpecificOutput?: { permissionDecision?: string } }).hookSpecificOutput
        ?.permissionDecision;

/** Refuses any event whose payload contains "no". */
const REFUSES_NO = `grep -q '"command":"no' && { echo refused >&2; exit 2; }; exit 0`;

async function served(hook: object, lines: readonly (string | Buffer)[], ...options: string[]) {
  const config = project().configure("PreToolUse", hook);
  const stdin = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from("\n")]));
  const result = await inProcess(["run", "--lines", "--config", config, ...options], { stdin });
  return { ...result, answers: answersOf(result.stdout) };
}

describe("an answer line", () => {
  test("has the id of its question, and the output and exit code of a process for this event", async () => {
    const hook = { type: "command", command: REFUSES_NO };
    const { answers, exitCode } = await served(hook, [
      call(7, "no"),
      call("seven", "yes"),
      call(null, "no"),
      bashCall("yes"),
    ]);
    expect(exitCode).toBe(0);
    expect(answers.map(({ id, exitCode: code }) => [id, code])).toEqual([
      [7, 0],
      ["seven", 0],
      [null, 0],
      [undefined, 0],
    ]);
    expect(answers.map(decisionOf)).toEqual(["deny", undefined, "deny", undefined]);
    const config = project().configure("PreToolUse", hook);
    const alone = await inProcess(["run", "--config", config], { stdin: bashCall("no") });
    expect(answers[0]).toEqual({ id: 7, exitCode: alone.exitCode, stdout: alone.stdout, stderr: alone.stderr });
  });

  test("comes in the order of the questions, although later answers are ready first", async () => {
    const slowFirst = `grep -q '"command":"slow' && sleep 0.3; exit 0`;
    const lines = ["slow", ...Array.from({ length: 9 }, (_, index) => `quick ${index}`)];
    const { answers } = await served(
      { type: "command", command: slowFirst },
      lines.map((command, index) => call(index, command)),
    );
    expect(answers.map(({ id }) => id)).toEqual(lines.map((_, index) => index));
  });

  test("does not wait for the answer to the question before it", async () => {
    const { answers, elapsedMs } = await served(
      { type: "command", command: "sleep 0.25; exit 0" },
      Array.from({ length: 20 }, (_, index) => call(index, "x")),
    );
    expect(answers).toHaveLength(20);
    expect(elapsedMs).toBeLessThan(20 * 250);
  });

  test("is the whole verdict with --json", async () => {
    const { answers } = await served({ type: "command", command: REFUSES_NO }, [call(1, "no"), "nope"], "--json");
    expect(answers[0]).toMatchObject({ id: 1, verdict: { event: "PreToolUse", decision: "deny", rules: [{}] } });
    expect(Object.keys(answers[1] ?? {})).toEqual(["error"]);
  });

  test("refuses with the list of problems if the configuration cannot be used", async () => {
    const { answers, stderr } = await served({ type: "comand", command: "x" }, [call(1, "ls")]);
    expect(answers[0]).toMatchObject({
      id: 1,
      exitCode: 2,
      stderr: expect.stringContaining("until the configuration"),
    });
    expect(stderr).toMatch(/^hookbox: .*HOOK_CONFIG_/);
  });
});

describe("a line that is no question", () => {
  const bad: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ["no JSON", "nope", /not valid JSON/],
    ["nothing", "", /is empty/],
    ["half an object", '{"hook_event_name":"PreToolUse",', /not valid JSON/],
    ["a list", "[1]", /must be a JSON object/],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), /not valid UTF-8/],
    ["longer than 16 MiB", Buffer.alloc(16 * 1_048_576 + 1, 0x20), /longer than 16777216 bytes/],
    ["an event of nobody", '{"hook_event_name":"Nope"}', /unknown event "Nope"/],
    ["no event", '{"tool_name":"Bash"}', /no hook_event_name/],
    ["no tool", '{"hook_event_name":"PreToolUse"}', /needs the field "tool_name"/],
    ["another agent's event", '{"hook_event_name":"pre_tool_use","tool_name":"shell"}', /unknown event/],
    ["an id that is an object", '{"id":{},"hook_event_name":"PreToolUse","tool_name":"Bash"}', /id must be/],
  ];

  test("is refused in its place, and the next line is answered", async () => {
    const lines = bad.flatMap(([, line]) => [line, call("next", "no")]);
    const { answers, exitCode } = await served({ type: "command", command: REFUSES_NO }, lines);
    expect(exitCode).toBe(0);
    expect(answers).toHaveLength(lines.length);
    for (const [index, [what, , message]] of bad.entries()) {
      const [refused, next] = answers.slice(2 * index);
      expect([what, refused?.["exitCode"], refused?.error?.message]).toEqual([what, 2, expect.stringMatching(message)]);
      expect(refused?.["stderr"]).toContain(refused?.error?.message);
      expect(next && decisionOf(next)).toBe("deny");
    }
  });

  test("is answered with its id, if it has one", async () => {
    const { answers } = await served({ type: "command", command: "exit 0" }, ['{"id":5,"hook_event_name":"Nope"}']);
    expect(answers).toMatchObject([{ id: 5, exitCode: 2, error: { code: "HOOK_EVENT_UNKNOWN" } }]);
  });

  test("does not block an agent from stopping", async () => {
    const config = project().configure("SubagentStop", { type: "command", command: "exit 0" });
    const stdin = '{"tool_name":1}\n';
    const { stdout } = await inProcess(["run", "--lines", "--event", "SubagentStop", "--config", config], { stdin });
    expect(answersOf(stdout)).toMatchObject([{ exitCode: 0 }]);
  });
});

test("with --dialect auto each line may belong to another agent, and is answered in its format", async () => {
  const docker = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "no" } };
  const { answers } = await served(
    { type: "command", command: REFUSES_NO },
    [call(1, "no"), JSON.stringify({ id: 2, ...docker }), '{"id":3,"x":1}', call(4, "no")],
    "--dialect",
    "auto",
  );
  expect(decisionOf(answers[0] as Answer)).toBe("deny");
  expect(JSON.parse(String(answers[1]?.["stdout"]))).toMatchObject({
    hook_specific_output: { permission_decision: "deny" },
  });
  expect(answers[2]).toMatchObject({ id: 3, exitCode: 2, error: { message: expect.stringContaining("it has x") } });
  expect(JSON.parse(String(answers[2]?.["stdout"]))).toMatchObject({
    blockingError: expect.stringContaining("it has x"),
  });
  expect(decisionOf(answers[3] as Answer)).toBe("deny");
});

describe("for Autohand", () => {
  const toolCall = (id: unknown, command: string): string =>
    JSON.stringify({
      id,
      session_id: "s",
      cwd: "/x",
      hook_event_name: "pre-tool",
      tool_name: "run_command",
      tool_input: { command },
      tool_use_id: `call-${id}`,
    });

  test("notifications of an event come before the answer, and the output of hooks never mixes with them", async () => {
    const hook = { type: "command", command: `echo '{"jsonrpc":"2.0","method":"forged"}'; ${REFUSES_NO}` };
    const lines = [toolCall(1, "no"), toolCall(2, "yes")];
    const { answers } = await served(hook, lines, "--dialect", "autohand");
    expect(answers).toMatchObject([
      { jsonrpc: "2.0", method: "autohand.hook.preTool", params: { toolId: "call-1", args: { command: "no" } } },
      { jsonrpc: "2.0", id: 1, result: { exitCode: 0, stdout: expect.stringContaining('"decision":"deny"') } },
      { jsonrpc: "2.0", method: "autohand.hook.preTool", params: { toolId: "call-2", toolName: "run_command" } },
      { jsonrpc: "2.0", id: 2, result: expect.objectContaining({ stderr: expect.any(String) }) },
    ]);
  });

  test("each of several events at the same time has its own notifications before its answer", async () => {
    const lines = Array.from({ length: 12 }, (_, index) => toolCall(index, "x"));
    const { answers } = await served({ type: "command", command: "exit 0" }, lines, "--dialect", "autohand");
    expect(answers.map((one) => one["id"] ?? (one["params"] as { toolId: string }).toolId)).toEqual(
      lines.flatMap((_, index) => [`call-${index}`, index]),
    );
  });

  test.each<[string, string, number, number | null]>([
    ["no JSON", "nope", -32_700, null],
    ["no object", "[1]", -32_600, null],
    ["an event of nobody", '{"id":4,"hook_event_name":"pre-nothing"}', -32_600, 4],
    ["no tool", '{"id":5,"hook_event_name":"pre-tool"}', -32_600, 5],
  ])("a line that is %s is an error of JSON-RPC", async (_, line, code, id) => {
    const { answers } = await served({ type: "command", command: "exit 0" }, [line], "--dialect", "autohand");
    expect(answers).toMatchObject([{ jsonrpc: "2.0", id, error: { code, message: expect.any(String) } }]);
  });
});

test("for OpenClaw an answer is what its hook would have returned", async () => {
  const hook = { type: "command", command: REFUSES_NO };
  const toolCall = (id: number, command: string): string =>
    JSON.stringify({ id, hook: "before_tool_call", event: { toolName: "exec", params: { command } }, ctx: {} });
  const unread = '{"id":4,"hook":"message_sending","event":7}';
  const lines = [toolCall(1, "no"), toolCall(2, "yes"), '{"id":3}', unread];
  const { answers } = await served(hook, lines, "--dialect", "openclaw");
  expect(answers[0]).toEqual({ id: 1, block: true, blockReason: expect.stringContaining("refused") });
  expect(answers[1]).toEqual({ id: 2 });
  for (const [at, id] of [
    [2, 3],
    [3, 4],
  ] as const)
    expect(answers[at]).toMatchObject({ id, block: true, cancel: true, error: { code: "HOOK_PAYLOAD_INVALID" } });
});

test("async hooks are started without waiting, and have ended before the process does", async () => {
  const place = project();
  const mark = join(place.folder, "mark");
  const config = place.configure("PreToolUse", {
    type: "command",
    command: `sleep 0.2; echo done >>${mark}`,
    async: true,
  });
  const stdin = `${call(1, "x")}\n${call(2, "x")}\n`;
  const { stdout } = await inProcess(["run", "--lines", "--config", config], { stdin });
  expect(answersOf(stdout)).toHaveLength(2);
  expect(readFileSync(mark, "utf8")).toBe("done\ndone\n");
});

describe("the process", () => {
  const start = (config: string) =>
    spawn(process.execPath, [MAIN, "run", "--lines", "--config", config], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env["PATH"] ?? "", ...ownFolders() },
    });

  test("answers a question before the next question is asked", async () => {
    const child = start(project().configure("PreToolUse", { type: "command", command: REFUSES_NO }));
    for (const command of ["no", "yes"]) {
      child.stdin.write(`${call(command, command)}\n`);
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      expect(JSON.parse(chunk.toString())).toMatchObject({ id: command, exitCode: 0 });
    }
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
  });

  test("ends cleanly on SIGTERM: open questions are refused, and their hooks are ended", async () => {
    const place = project();
    const mark = join(place.folder, "started");
    const child = start(
      place.configure("PreToolUse", { type: "command", command: `echo >${mark}; sleep 600`, timeoutMs: 500_000 }),
    );
    child.stdin.write(`${call(1, "x")}\n`);
    while (!existsSync(mark)) await new Promise((resolve) => setTimeout(resolve, 20));
    const [chunk] = await Promise.all([once(child.stdout, "data"), child.kill("SIGTERM")]);
    expect(JSON.parse(String(chunk[0]))).toMatchObject({
      id: 1,
      exitCode: 2,
      stderr: expect.stringMatching(/cancelled/),
    });
    expect(await once(child, "close")).toEqual([0, null]);
  });

  test("reports a missing configuration before it reads anything", async () => {
    const { exitCode, stdout, stderr } = await hookbox(["run", "--lines", "--config", `${ABSENT}.json`], {
      stdin: `${call(1, "ls")}\n`,
    });
    expect({ exitCode, stdout: stdout.length > 0 }).toEqual({ exitCode: 0, stdout: true });
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, exitCode: 2 });
    expect(stderr).toContain("HOOK_CONFIG_NOT_FOUND");
  });
});
