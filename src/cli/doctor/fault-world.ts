import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packageFolder } from "../../package-info.ts";
import { healthOf } from "./server.ts";

export interface Answer {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Folders, a server and calls that have nothing to do with the user's own. */
export class FaultWorld {
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
    // The rules are outside of the working directory, so that they are the user's own.
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
      [...before, process.execPath, this.#main, "run", "--patience", "8", ...this.#config(project)],
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
  callMany(project: string, count: number): Promise<readonly Answer[]> {
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
    return Promise.all(Array.from({ length: count }, one));
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

export async function kill(child: ChildProcess): Promise<void> {
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
