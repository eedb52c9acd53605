import { type ChildProcess, fork } from "node:child_process";
import { createEngine, type Engine } from "hookbox";
import { Piscina } from "piscina";
import { type Figure, measure } from "./blocks.ts";
import type { Scope } from "./scope.ts";
import { assemble, fileOf } from "./small-guards.ts";

/** Measures a guard in its own process, compared with the message round trips that it needs. */

const PAYLOAD = {
  session_id: "bench",
  cwd: "/home/me/project",
  tool_name: "Bash",
  tool_input: { command: "rm -rf /", description: "remove everything" },
};

async function engineWith(boundary: "thread" | "process", module: string): Promise<Engine> {
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module }] }] } },
    sandbox: { threads: 1, boundary },
    cacheDir: false,
  });
  const verdict = await engine.dispatch("PreToolUse", PAYLOAD);
  if (verdict.decision !== "deny" || verdict.rules[0]?.failure != null) throw new Error(JSON.stringify(verdict));
  return engine;
}

/** Sends one message and waits for its return, without any work. */
function roundTrip(child: ChildProcess, message: object): Promise<unknown> {
  return new Promise((resolve) => {
    child.once("message", resolve);
    child.send(message);
  });
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const small = fileOf("denies.wasm", assemble(new URL("guests/denies.wat", import.meta.url)));
  const pool = new Piscina({
    filename: new URL("./echo-worker.mjs", import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
  });
  const echo = fork(new URL("./echo-process.mjs", import.meta.url), { serialization: "advanced", execArgv: [] });
  const engines = {
    thread: await engineWith("thread", small),
    process: await engineWith("process", small),
    "shell-guard, process": await engineWith("process", "builtin:shell-guard"),
  };
  const input = JSON.stringify(PAYLOAD);
  const ask = (name: keyof typeof engines) => ({
    name,
    perBlock: 400,
    run: () => engines[name].dispatch("PreToolUse", PAYLOAD),
  });
  try {
    return await measure(
      [
        { name: "piscina", perBlock: 400, run: () => pool.run({ input }) },
        { name: "ipc", perBlock: 400, run: () => roundTrip(echo, { input }) },
        {
          name: "piscina + ipc",
          perBlock: 400,
          run: async () => {
            await pool.run({ input });
            await roundTrip(echo, { input });
          },
        },
        ask("thread"),
        ask("process"),
        ask("shell-guard, process"),
      ],
      rounds,
    );
  } finally {
    await Promise.all(Object.values(engines).map((engine) => engine.close()));
    await pool.destroy();
    echo.disconnect();
  }
}

export const processBoundary: Scope = {
  name: "process-boundary",
  question: "one decision of a guard in its own process, compared with a thread and the bare round trips",
  floor: "piscina + ipc",
  run,
  goals: [{ name: "a decision in a process", of: "process", against: "piscina + ipc", atMost: 2 }],
};
