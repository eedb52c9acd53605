import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { Worker } from "node:worker_threads";
import { createEngine, type Engine, type JsonObject } from "hookbox";
import { type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";

/** Measures each type of hook, compared with the bare operation that it consists of. */

const REPLY = {
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
};
const DENY = JSON.stringify(REPLY);
const COMMAND = `cat >/dev/null; echo '${DENY}'`;

const PAYLOAD: JsonObject = {
  session_id: "bench",
  cwd: process.cwd(),
  tool_name: "Bash",
  tool_input: { command: "rm -rf /", description: "remove everything" },
};
const INPUT = JSON.stringify({ ...PAYLOAD, hook_event_name: "PreToolUse" });

async function engineWith(hook: object): Promise<Engine> {
  const engine = await createEngine({ config: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } } });
  const verdict = await engine.dispatch("PreToolUse", PAYLOAD);
  const isExpected = hook["type" as never] === "context" ? verdict.additionalContext : verdict.decision === "deny";
  if (!isExpected) throw new Error(`not what was expected: ${JSON.stringify(verdict)}`);
  return engine;
}

/** Runs the same command with the same input, by Node alone, without checks and cleanup. */
async function bareSpawn(): Promise<unknown> {
  const child = spawn("/bin/sh", ["-c", COMMAND]);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stdin.end(INPUT);
  await once(child, "close");
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Sends the same request on a kept connection, by Node alone, without checks of address, length and time. */
async function bareRequest(url: string, agent: Agent): Promise<unknown> {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(INPUT) };
  const outgoing = request(url, { agent, method: "POST", headers });
  outgoing.end(INPUT);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const judge = (event: JsonObject): JsonObject => (event["tool_name"] === "Bash" ? REPLY : {});

async function run(rounds: number): Promise<readonly Figure[]> {
  const server = new Worker(new URL("./hook-server.mjs", import.meta.url), { workerData: { reply: DENY } });
  const [port] = (await once(server, "message")) as [number];
  const url = `http://127.0.0.1:${port}/`;
  const agent = new Agent({ keepAlive: true });
  const engines = {
    command: await engineWith({ type: "command", command: COMMAND }),
    http: await engineWith({ type: "http", url }),
    function: await engineWith({ type: "function", run: judge }),
    context: await engineWith({ type: "context", text: "be careful" }),
    wasm: await engineWith({ type: "wasm", module: "builtin:shell-guard" }),
  };
  const ask = (name: keyof typeof engines) => ({
    name,
    run: () => engines[name].dispatch("PreToolUse", PAYLOAD),
  });

  try {
    return await measure(
      [
        { name: "bare function", perBlock: 400, run: async () => judge(JSON.parse(INPUT) as JsonObject) },
        { ...ask("function"), perBlock: 400 },
        { ...ask("context"), perBlock: 400 },
        { name: "bare request", perBlock: 100, run: () => bareRequest(url, agent) },
        { ...ask("http"), perBlock: 100 },
        { name: "bare spawn", perBlock: 20, run: bareSpawn },
        { ...ask("command"), perBlock: 20 },
        { ...ask("wasm"), perBlock: 100 },
      ],
      rounds,
    );
  } finally {
    await Promise.all(Object.values(engines).map((engine) => engine.close()));
    agent.destroy();
    await server.terminate();
  }
}

const GOALS: readonly Goal[] = [
  { name: "a command hook", of: "command", against: "bare spawn", atMost: 1.3 },
  { name: "a web hook", of: "http", against: "bare request", atMost: 1.3 },
];

export const executors: Scope = {
  name: "executors",
  question: "one decision of each type of hook, compared with a bare function call, request and process",
  floor: "bare request",
  run,
  goals: GOALS,
};
