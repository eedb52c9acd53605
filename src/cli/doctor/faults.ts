import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describeThrown } from "../../errors.ts";
import { parseJsonObject } from "../../json.ts";
import { packageFolder } from "../../package-info.ts";
import { type Check, checksOf } from "./check.ts";
import { healthOf } from "./server.ts";

/** Injects faults into a server of its own, with a socket, folders and rules of its own, and shows what a call gets. */

const { ok, problem } = checksOf("faults");

interface Answer {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long the agent of these calls waits, in seconds. */
const PATIENCE = 8;
const SHORT_PATIENCE = 3;
/** More calls than a server's queue for guards has places. */
const MANY = 320;

export async function* checkFaults(): AsyncGenerator<Check> {
  const world = new World();
  try {
    for (const { id, what, run } of FAULTS) {
      try {
        const answers = await run(world);
        const open = answers.filter((answer) => !isShut(answer));
        const [first] = open.length > 0 ? open : answers;
        const said = first === undefined ? "no answer" : saidIn(first);
        const count = answers.length === 1 ? "" : `${answers.length - open.length} of ${answers.length} calls `;
        yield open.length === 0 && first !== undefined
          ? ok(id, `${what}: ${count}refused: ${said}`)
          : problem(id, `${what}: a call would run: ${said}`, "please report this");
      } catch (error) {
        yield problem(id, `${what}: the fault could not be tried: ${describeThrown(error)}`);
      }
    }
  } finally {
    await world.end();
  }
}

/** Whether an agent with Claude Code's replies would not run the call. */
function isShut({ exitCode, stdout }: Answer): boolean {
  if (exitCode === 2) return true;
  const reply = parseJsonObject(stdout);
  const specific = reply?.["hookSpecificOutput"] as { permissionDecision?: unknown } | undefined;
  return exitCode === 0 && specific?.permissionDecision === "deny";
}

function saidIn({ exitCode, stdout, stderr }: Answer): string {
  const reply = parseJsonObject(stdout)?.["hookSpecificOutput"] as { permissionDecisionReason?: string } | undefined;
  const said = reply?.permissionDecisionReason ?? stderr;
  return said.trim() === "" ? `exit code ${exitCode}, without a text` : said.trim().split("\n").slice(0, 2).join(" ");
}

/** Folders, a server and calls that have nothing to do with the user's own. */
class World {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "hb-")));
  readonly socket = join(this.folder, "s");
  readonly #main = realpathSync(process.argv[1] ?? "");
  readonly #started: ChildProcess[] = [];
  readonly #standIns: Server[] = [];
  #projects = 0;

  constructor() {
    chmodSync(this.folder, 0o700);
  }

  /** Creates a project whose gate has these hooks. */
  project(...hooks: readonly object[]): string {
    const folder = join(this.folder, `project-${this.#projects++}`);
    mkdirSync(folder);
    // The user's own file, because a project's file needs the user's approval.
    const text = JSON.stringify({ version: 1, hooks: { PreToolUse: [{ matcher: "*", hooks }] } });
    mkdirSync(join(folder, "config"));
    writeFileSync(join(folder, "config/rules.json"), text);
    mkdirSync(join(folder, "work"));
    return folder;
  }

  environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const below = (name: string): string => join(this.folder, name);
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: below("home"),
      XDG_CONFIG_HOME: below("config"),
      XDG_CACHE_HOME: below("cache"),
      XDG_STATE_HOME: below("state"),
      ...more,
    };
  }

  async serve(args: readonly string[] = []): Promise<ChildProcess> {
    const child = this.#spawn(process.execPath, [
      this.#main,
      "serve",
      "--supervised",
      "--socket",
      this.socket,
      ...args,
    ]);
    for (let waited = 0; typeof (await healthOf(this.socket)) === "string"; waited += 50) {
      if (waited > 30_000 || child.exitCode !== null) throw new Error("the server did not start");
      await sleep(50);
    }
    return child;
  }

  /** Calls through a relay, as an agent does. */
  call(project: string, patience: number, more: readonly string[] = ["--node", process.execPath]): Promise<Answer> {
    const entry = [
      "claude-code",
      "--socket",
      this.socket,
      "--main",
      this.#main,
      "--event",
      "PreToolUse",
      "--patience",
      `${patience}`,
    ];
    const native = join(packageFolder(), "relay", `relay-${process.platform}-${process.arch}`);
    const command = existsSync(native) ? [native] : [process.execPath, this.#main, "relay"];
    return this.#answer([...command, ...entry, ...more, ...this.#config(project)], project);
  }

  run(project: string, more: Readonly<Record<string, string>> = {}, before: readonly string[] = []): Promise<Answer> {
    return this.#answer(
      [...before, process.execPath, this.#main, "run", "--patience", `${PATIENCE}`, ...this.#config(project)],
      project,
      more,
    );
  }

  #config(project: string): readonly string[] {
    return ["--config", `hookbox:${join(project, "config/rules.json")}`];
  }

  #answer(command: readonly string[], project: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const [file = "", ...args] = command;
    const child = this.#spawn(file, args, join(project, "work"), more);
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout?.on("data", (chunk: Buffer) => out.push(chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => err.push(chunk.toString()));
    child.stdin?.on("error", () => {});
    child.stdin?.end(HARMFUL_CALL);
    return new Promise((done, reject) => {
      child.on("error", reject);
      child.on("close", (exitCode) => done({ exitCode, stdout: out.join(""), stderr: err.join("") }));
    });
  }

  /** Sends calls at once without a relay. */
  callMany(project: string): Promise<readonly Answer[]> {
    const texts = [
      `cwd=${join(project, "work")}`,
      `main=${this.#main}`,
      ...["--event", "PreToolUse", "--patience", "20", ...this.#config(project)].map((arg) => `arg=${arg}`),
      "waited=0",
    ];
    const context = Buffer.from(texts.map((text) => `${text}\0`).join(""));
    const body = Buffer.concat([context, Buffer.from(HARMFUL_CALL)]);
    const headers = {
      "Content-Type": "application/vnd.hookbox.call",
      "Hookbox-Context": context.byteLength,
      "Content-Length": body.byteLength,
    };
    const one = (): Promise<Answer> =>
      new Promise((done) => {
        const asked = request(
          { socketPath: this.socket, method: "POST", path: "/v1/hooks/claude-code", agent: false, headers },
          async (response) => {
            const chunks: Buffer[] = [];
            for await (const chunk of response) chunks.push(chunk as Buffer);
            const [, exitCode, bytes] = String(response.headers["hookbox-reply"]).split(" ").map(Number);
            const whole = Buffer.concat(chunks);
            done({
              exitCode: exitCode ?? null,
              stdout: whole.toString("utf8", 0, bytes),
              stderr: whole.toString("utf8", bytes),
            });
          },
        );
        // A relay refuses a call that it cannot deliver.
        asked.on("error", (error) => done({ exitCode: 2, stdout: "", stderr: error.message }));
        asked.end(body);
      });
    return Promise.all(Array.from({ length: MANY }, one));
  }

  /** Listens in place of the server, and answers with these bytes. */
  async standIn(answer: string | undefined): Promise<void> {
    rmSync(this.socket, { force: true });
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {
        if (answer !== undefined) socket.end(answer);
      });
      server.once("close", () => socket.destroy());
    });
    await new Promise<void>((listening) => server.listen(this.socket, listening));
    this.#standIns.push(server);
  }

  async stop(): Promise<void> {
    for (const child of this.#started.splice(0))
      if (child.exitCode === null && child.signalCode === null) await kill(child);
    for (const server of this.#standIns.splice(0)) {
      server.emit("close");
      server.close();
    }
    // A relay may have started a server.
    const health = await healthOf(this.socket);
    if (typeof health === "object" && typeof health["pid"] === "number") process.kill(health["pid"], "SIGKILL");
    rmSync(this.socket, { force: true });
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(file: string, args: readonly string[], cwd = "/", more: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = spawn(file, args, { cwd, env: this.environment(more) });
    this.#started.push(child);
    return child;
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await ended;
}

const HARMFUL_CALL = JSON.stringify({
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "rm -rf /" },
  session_id: "hookbox-doctor",
});
const GUARD = { type: "wasm", module: "builtin:shell-guard" };
const hostile = (name: string): string => join(packageFolder(), "dist/guards/hostile", `${name}.wasm`);

interface Fault {
  readonly id: string;
  readonly what: string;
  run(world: World): Promise<readonly Answer[]>;
}

/** Runs the calls, then ends everything that this fault has started. */
const fault = (id: string, what: string, run: (world: World) => Promise<Answer | readonly Answer[]>): Fault => ({
  id,
  what,
  run: async (world) => {
    try {
      return [await run(world)].flat();
    } finally {
      await world.stop();
    }
  },
});

const FAULTS: readonly Fault[] = [
  fault("no-server", "no server runs, and none can be started", (world) =>
    world.call(world.project(GUARD), SHORT_PATIENCE, ["--node", "/nowhere/node"]),
  ),
  fault("killed", "the server was killed", async (world) => {
    const project = world.project(GUARD);
    await kill(await world.serve());
    return world.call(project, 60);
  }),
  fault("stopped", "the server is stopped (SIGSTOP)", async (world) => {
    (await world.serve()).kill("SIGSTOP");
    return world.call(world.project(GUARD), SHORT_PATIENCE);
  }),
  fault("garbage", "another program answers at the socket", async (world) => {
    await world.standIn("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    return world.call(world.project(GUARD), SHORT_PATIENCE);
  }),
  fault("half", "the answer ends in the middle", async (world) => {
    await world.standIn("HTTP/1.1 200 OK\r\nHookbox-Reply: 1 0 99 0\r\nContent-Length: 99\r\n\r\n{}");
    return world.call(world.project(GUARD), SHORT_PATIENCE);
  }),
  fault("silent", "the server never answers", async (world) => {
    await world.standIn(undefined);
    return world.call(world.project(GUARD), SHORT_PATIENCE);
  }),
  fault("loop", "a guard never ends", async (world) => {
    await world.serve();
    return world.call(world.project({ type: "wasm", module: hostile("endless-loop"), timeoutMs: 1_000 }), PATIENCE);
  }),
  fault("missing", "the file of a guard is missing", async (world) => {
    await world.serve();
    return world.call(world.project({ type: "wasm", module: "gone.wasm" }), PATIENCE);
  }),
  fault("digest", "the bytes of a guard have changed", async (world) => {
    await world.serve();
    return world.call(world.project({ type: "wasm", module: hostile("silent"), sha256: "0".repeat(64) }), PATIENCE);
  }),
  fault("queue", `${MANY} calls at once wait for a guard that never ends`, async (world) => {
    await world.serve(["--threads", "1"]);
    return world.callMany(world.project({ type: "wasm", module: hostile("endless-loop"), timeoutMs: 1_000 }));
  }),
  fault("cache", "the cache and state folders cannot be written", async (world) => {
    const file = join(world.folder, "a-file");
    writeFileSync(file, "");
    return world.run(world.project(GUARD), { XDG_CACHE_HOME: file, XDG_STATE_HOME: file });
  }),
  fault("disk-full", "no byte can be written to a disk", (world) =>
    world.run(
      world.project(GUARD),
      {},
      process.platform === "win32" ? [] : ["/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh"],
    ),
  ),
];
