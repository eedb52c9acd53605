import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { Worker } from "node:worker_threads";
import { createEngine, type Engine, type JsonObject } from "hookbox";
import { type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { assemble, fileOf } from "./small-guards.ts";

/**
 * Measures a request of a guard, compared with the guard without the request and the same request by Node alone. The
 * floor is both in sequence, which takes more than the sum of the separate times.
 */

const PAYLOAD: JsonObject = {
  session_id: "bench",
  cwd: "/home/me/project",
  tool_name: "Bash",
  tool_input: { command: "rm -rf /", description: "remove everything" },
};

async function engineWith(module: string, origin: string, wanted: readonly object[]): Promise<Engine> {
  const config = Object.fromEntries(wanted.map((one, at) => [String(at), JSON.stringify(one)]));
  const hook = { type: "wasm", module, config, grants: { hosts: { allow: [origin], allowPrivate: true } } };
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } },
    sandbox: { threads: 1 },
    cacheDir: false,
  });
  const verdict = await engine.dispatch("PreToolUse", PAYLOAD);
  if (verdict.decision !== "deny" || verdict.rules[0]?.failure != null) throw new Error(JSON.stringify(verdict));
  return engine;
}

/** Sends a request on a kept or a new connection, without checks of address, length and time. */
async function bareRequest(origin: string, method: string, agent: Agent): Promise<Buffer> {
  const outgoing = request(origin, { agent, method });
  outgoing.end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const server = new Worker(new URL("./hook-server.mjs", import.meta.url), {
    workerData: { reply: '{"allowed":true}' },
  });
  const [port] = (await once(server, "message")) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const kept = new Agent({ keepAlive: true });
  const own = new Agent({ keepAlive: false });
  const module = fileOf("asks-a-server.wasm", assemble(new URL("guests/asks-a-server.wat", import.meta.url)));
  const engines = {
    without: await engineWith(module, origin, []),
    get: await engineWith(module, origin, [{ url: `${origin}/` }]),
    post: await engineWith(module, origin, [{ url: `${origin}/`, method: "POST" }]),
  };
  const ask = (name: keyof typeof engines): Promise<unknown> => engines[name].dispatch("PreToolUse", PAYLOAD);
  try {
    return await measure(
      [
        { name: "no request", perBlock: 200, run: () => ask("without") },
        { name: "bare GET", perBlock: 100, run: () => bareRequest(origin, "GET", kept) },
        {
          name: "floor of a GET",
          perBlock: 100,
          run: async () => {
            await ask("without");
            await bareRequest(origin, "GET", kept);
          },
        },
        { name: "guard's GET", perBlock: 100, run: () => ask("get") },
        { name: "bare POST", perBlock: 100, run: () => bareRequest(origin, "POST", own) },
        {
          name: "floor of a POST",
          perBlock: 100,
          run: async () => {
            await ask("without");
            await bareRequest(origin, "POST", own);
          },
        },
        { name: "guard's POST", perBlock: 100, run: () => ask("post") },
      ],
      rounds,
    );
  } finally {
    await Promise.all(Object.values(engines).map((engine) => engine.close()));
    for (const agent of [kept, own]) agent.destroy();
    await server.terminate();
  }
}

const GOALS: readonly Goal[] = [
  { name: "a guard that makes a request", of: "guard's GET", against: "floor of a GET", atMost: 1.3 },
  { name: "a guard that changes something", of: "guard's POST", against: "floor of a POST", atMost: 1.3 },
];

export const grantedHttp: Scope = {
  name: "granted-http",
  question: "a guard's request: on a kept connection, on a new one",
  floor: "floor of a GET",
  run,
  goals: GOALS,
};
