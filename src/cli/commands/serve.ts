import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { request } from "node:http";
import { dirname, join, resolve } from "node:path";
import { HookError } from "../../errors.ts";
import { type Claim, takeClaim, untilFree } from "../../processes/work-claims.ts";
import { EXIT } from "../exit-codes.ts";
import { checkSocket, defaultSocket, refuseSecond } from "../serve/socket-file.ts";
import { timeMs } from "../time-option.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

const OPTIONS = {
  socket: { type: "string" },
  http: { type: "boolean", default: false },
  port: { type: "string" },
  idle: { type: "string" },
  threads: { type: "string", default: "2" },
  status: { type: "boolean", default: false },
  stop: { type: "boolean", default: false },
  "listen-fd": { type: "string" },
  "lock-fd": { type: "string" },
  supervised: { type: "boolean", default: false },
} as const;

export const serve: Verb = {
  summary: "keep engines warm and answer the relays and web hooks of agents",
  usage: `usage: hookbox serve [options]

  --socket FILE   the Unix socket. Default: server.sock in the state folder
  --http          serve loopback HTTP too, for agents that send web hooks. The URL and the token are in http.json
                  next to the socket, which only you can read
  --port PORT     the port for --http. Default: a free one
  --idle TIME     stop after this time without a call, such as 30m or 90s. Default: never
  --threads N     worker threads for the guards of all projects. Default: 2
  --status        show the server that runs: its version, projects and counts, as JSON
  --stop          stop the server that runs. It answers its open calls first

The server reads each project's configuration as "hookbox run" does. If a file changes, the rules in force answer until
the new ones are loaded. If the new ones have errors, or a file is gone, the old rules stay in force.`,
  options: () => OPTIONS,
  run: serveVerb,
};

async function serveVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  if (positionals.length > 0) throw usageError(`serve takes no argument such as "${positionals[0]}"`);
  const socket = resolve(console.cwd, values.socket ?? defaultSocket());
  if (values.status) return ask(socket, "GET", "/health", console);
  if (values.stop) return ask(socket, "POST", "/v1/stop", console);
  const listenFd = count("--listen-fd", values["listen-fd"]);
  // The relay starts the next server itself, so its server needs no supervisor.
  if (listenFd === undefined && !values.supervised) {
    await refuseSecond(socket);
    return supervise([...args, "--socket", socket], console);
  }
  const claim = listenFd === undefined ? await claimOf(socket) : undefined;
  const { runServer } = await import("../serve/run-server.ts");
  await runServer({
    socket,
    listenFd,
    lockFd: count("--lock-fd", values["lock-fd"]),
    port: values.http ? (count("--port", values.port) ?? 0) : undefined,
    tokenFile: join(dirname(socket), "http.json"),
    idleMs: timeMs("--idle", values.idle),
    threads: count("--threads", values.threads) ?? 2,
    main: realpathSync(process.argv[1] ?? ""),
    interrupted: console.untilInterrupted(),
    print: console.writeError,
    onListening: () => void claim?.end(),
  });
  return EXIT.done;
}

const CLAIM = "the start of the server";
const STARTING_MS = 30_000;

/** Waits for a server that another process is starting. Throws if it listens then. */
async function claimOf(socket: string): Promise<Claim | undefined> {
  await checkSocket(socket);
  let claim = await takeClaim(dirname(socket), CLAIM);
  while (claim === "taken") {
    await untilFree(dirname(socket), CLAIM, { maxWaitMs: STARTING_MS });
    await refuseSecond(socket);
    claim = await takeClaim(dirname(socket), CLAIM);
  }
  try {
    await refuseSecond(socket);
  } catch (error) {
    await claim?.end();
    throw error;
  }
  return claim;
}

/** Crashes in a row, each within `CRASH_MS` of the start, until the supervisor gives up. */
const MOST_CRASHES = 5;
const CRASH_MS = 10_000;

/** Runs the server in a child process, and starts it again after a crash. */
async function supervise(args: readonly string[], console: Console): Promise<number> {
  let isOver = false;
  let child: ReturnType<typeof spawn> | undefined;
  void console.untilInterrupted().then(() => {
    isOver = true;
    child?.kill("SIGTERM");
  });
  for (let crashes = 0; crashes < MOST_CRASHES; ) {
    const startedAt = performance.now();
    const command = [...process.execArgv, process.argv[1] ?? "", "serve", ...args, "--supervised"];
    child = spawn(process.execPath, command, { stdio: ["ignore", "inherit", "inherit"] });
    const code = await new Promise<number | null>((settle) => {
      child?.once("error", () => settle(EXIT.refused));
      child?.once("exit", (exitCode) => settle(exitCode));
    });
    // A server that ends with an exit code has stopped on purpose, or cannot start.
    if (isOver || code !== null) return code ?? EXIT.done;
    crashes = performance.now() - startedAt < CRASH_MS ? crashes + 1 : 1;
    console.writeError("hookbox: the server ended without an exit code; starting it again\n");
  }
  throw new HookError("HOOK_SERVER_RUNNING", `the server crashed ${MOST_CRASHES} times in a row`, {
    hint: "hookbox doctor",
  });
}

function ask(socketPath: string, method: string, path: string, console: Console): Promise<number> {
  return new Promise((settle, reject) => {
    const asked = request({ socketPath, method, path, timeout: 5_000 }, async (response) => {
      for await (const chunk of response) console.write(String(chunk));
      settle(EXIT.done);
    });
    asked.on("timeout", () => asked.destroy(new Error("no answer within 5 s")));
    asked.on("error", (error) =>
      reject(
        new HookError("HOOK_SERVER_RUNNING", `no server answers at ${socketPath}: ${error.message}`, {
          hint: "hookbox serve starts one",
        }),
      ),
    );
    asked.end();
  });
}

function count(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text)) throw usageError(`${option} is ${JSON.stringify(text)}; expected a number`);
  return Number(text);
}
