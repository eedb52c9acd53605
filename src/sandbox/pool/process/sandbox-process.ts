import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GuestAnswer, GuestSetup, GuestTask } from "../../guest/protocol.ts";
import { GuestLost, type ServeAsk } from "../guest-pool.ts";
import type { BrokenLimit } from "../self-test.ts";
import { type FromProcess, readFromProcess } from "./child-messages.ts";
import { FrameReader, ProtocolBreach } from "./frames.ts";
import {
  callFrame,
  DESCRIPTORS,
  FROM_PROCESS,
  MAX_SETUPS,
  OUT_OF_MEMORY,
  replyFrame,
  setupFrame,
  spinFrame,
  startFrame,
} from "./messages.ts";
import { ProcessCall, unexpectedMessage } from "./process-call.ts";

/** How a sandbox process is started. Tests of the self-test pass other values than the defaults. */
export interface ProcessOptions {
  readonly file: URL;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: SpawnOptions["stdio"] & readonly unknown[];
  /** Working directory. Default: a new empty folder, which is removed before the process takes its first call. */
  readonly folder?: string;
  readonly probe?: Uint8Array;
  /** The signal that kills the process. Default: `SIGKILL`. */
  readonly killSignal?: NodeJS.Signals;
}

/** Callbacks for the states of a process. */
interface ProcessKeeper {
  onReady(process: SandboxProcess): void;
  onSpinning(process: SandboxProcess): void;
  onBrokenLimit(process: SandboxProcess, broken: BrokenLimit): void;
  /** Called when the process has ended for any reason, and its exit status was collected. */
  onEnd(process: SandboxProcess): void;
}

/** Thrown if the process ended without being killed by the pool. */
export class ProcessDied extends Error {
  override readonly name = "ProcessDied";
  /** Whether the guest has sent a request, which must not be repeated. */
  readonly hasAsked: boolean;

  constructor(message: string, hasAsked: boolean) {
    super(message);
    this.hasAsked = hasAsked;
  }
}

/** A process that runs one guest call at a time and can be killed. */
export class SandboxProcess {
  readonly #child: ChildProcess;
  readonly #keeper: ProcessKeeper;
  readonly #killSignal: NodeJS.Signals;
  readonly #reader = new FrameReader(FROM_PROCESS);
  /** Setups that were sent to the process, with their module keys, oldest first. */
  readonly #sentSetups = new Map<number, string>();
  #folder: string | undefined;
  #call: ProcessCall | undefined;
  #calls = 0;
  #state: "starting" | "ready" | "ended" = "starting";
  #lastWord = "";
  #wasReady = false;
  #end = "has not ended";
  #breach: ProtocolBreach | undefined;

  constructor(options: ProcessOptions, keeper: ProcessKeeper) {
    const { file, flags, env, stdio, folder, probe, killSignal = "SIGKILL" } = options;
    this.#keeper = keeper;
    this.#killSignal = killSignal;
    this.#folder = folder === undefined ? mkdtempSync(join(tmpdir(), "hookbox-sandbox-")) : undefined;
    this.#child = spawn(process.execPath, [...flags, fileURLToPath(file)], {
      env,
      cwd: folder ?? this.#folder,
      stdio,
      windowsHide: true,
    });
    this.#child.unref();
    // If the process could not be started, some versions of Node emit no `close`.
    this.#child.on("error", () => this.#onEnd("could not be started"));
    this.#child.on("close", (code, signal) => this.#onEnd(`ended with ${signal ?? `code ${code}`}`));
    this.#listen(DESCRIPTORS.lifeline, (bytes) => {
      this.#lastWord ||= String.fromCharCode(bytes[0] ?? 0);
    });
    this.#listen(DESCRIPTORS.channel, (bytes) => this.#read(bytes));
    this.#channel?.write(startFrame(probe));
  }

  /** Process id. `undefined` if the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get state(): "starting" | "ready" | "ended" {
    return this.#state;
  }

  /** Number of the last call that the process was given. */
  get callId(): number {
    return this.#calls;
  }

  /** Whether the guest waits for the engine to answer a request. */
  get isAsking(): boolean {
    return this.#call?.isAsking === true;
  }

  get isBusy(): boolean {
    return this.#call !== undefined;
  }

  /** Whether the process has passed the self-test. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  /** How the process ended, for error messages. */
  get end(): string {
    return this.#end;
  }

  get #channel(): Socket | undefined {
    return (this.#child.stdio as readonly unknown[])[DESCRIPTORS.channel] as Socket | undefined;
  }

  #listen(descriptor: number, onBytes: (bytes: Buffer) => void): void {
    const socket = (this.#child.stdio as readonly unknown[])[descriptor] as Socket | undefined;
    if (socket === undefined || socket === null) return;
    // The error is ignored, because the process ends too and its end is reported.
    socket.on("error", () => {});
    socket.on("data", onBytes);
    // Kills a process that closed its channel but still runs.
    socket.on("close", () => this.kill());
    socket.unref();
  }

  /**
   * Runs one call. Rejects with {@link ProcessDied}, or with {@link GuestLost} if the process used up its memory or
   * broke the protocol.
   */
  call(task: GuestTask, setup: GuestSetup, serve: ServeAsk | undefined): Promise<GuestAnswer> {
    this.#sendSetup(task.setupKey, setup);
    this.#calls += 1;
    const call = new ProcessCall(this.#calls, serve);
    this.#call = call;
    this.#channel?.write(callFrame(call.id, task));
    return call.answer;
  }

  #sendSetup(key: number, setup: GuestSetup): void {
    if (this.#sentSetups.has(key)) return;
    this.#channel?.write(setupFrame(key, setup, [...this.#sentSetups.values()].includes(setup.moduleKey)));
    const [oldest] = this.#sentSetups.keys();
    if (this.#sentSetups.size >= MAX_SETUPS && oldest !== undefined) this.#sentSetups.delete(oldest);
    this.#sentSetups.set(key, setup.moduleKey);
  }

  /** Makes the process run an endless loop, which ends only when the process is killed. */
  spin(): void {
    this.#channel?.write(spinFrame());
  }

  /** Kills the process. Its current call rejects when the process has ended. */
  kill(): void {
    this.#child.kill(this.#killSignal);
  }

  /** Kills the process and closes its streams. The process also ends itself when its lifeline is closed. */
  discard(): void {
    this.kill();
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#breach !== undefined) return;
    try {
      for (const frame of this.#reader.push(bytes)) this.#receive(readFromProcess(frame));
    } catch (error) {
      if (!(error instanceof ProtocolBreach)) throw error;
      this.#breach = error;
      this.kill();
    }
  }

  #receive(message: FromProcess): void {
    if (message.kind === "ask" || message.kind === "answer") {
      const call = this.#call;
      if (call === undefined) throw unexpectedMessage(message);
      const isOver = call.receive(message, (reply) => {
        if (this.#call === call) this.#channel?.write(replyFrame(reply));
      });
      if (isOver) this.#call = undefined;
      return;
    }
    if (message.kind === "spinning") {
      this.#keeper.onSpinning(this);
      return;
    }
    if (this.#state !== "starting") throw new ProtocolBreach("reported twice that it is ready");
    this.#removeFolder();
    if (message.kind === "broken") {
      this.#keeper.onBrokenLimit(this, message.broken);
      return;
    }
    this.#state = "ready";
    this.#wasReady = true;
    this.#keeper.onReady(this);
  }

  #onEnd(how: string): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#end = how;
    this.#removeFolder();
    const call = this.#call;
    this.#call = undefined;
    call?.lose(this.#lossOf(call, how));
    this.#keeper.onEnd(this);
  }

  #lossOf({ hasAsked }: ProcessCall, how: string): Error {
    if (this.#breach !== undefined) return new GuestLost(`the sandbox process ${this.#breach.message}`);
    if (this.#lastWord === OUT_OF_MEMORY) {
      const cause = Object.assign(new Error("out of memory"), { code: "ERR_WORKER_OUT_OF_MEMORY" });
      return new GuestLost("the sandbox process ran out of memory", { cause });
    }
    return new ProcessDied(`the sandbox process ${how}`, hasAsked);
  }

  /** Removes the working directory, so that no process can create files in it. */
  #removeFolder(): void {
    if (this.#folder === undefined) return;
    rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}
