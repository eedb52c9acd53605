import type { CallToolResult } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../json.ts";
import type { Failure } from "../../outcome.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { CallSlots } from "../call-slots.ts";
import { type Asked, Connection, type ServerOptions } from "./connection.ts";
import { Restarts } from "./restarts.ts";

/** A server that rules and events of an engine share. The server starts when it is needed, and again after it ended. */
export class SharedServer {
  readonly #options: ServerOptions;
  readonly #slots: CallSlots;
  readonly #restarts: Restarts;
  #connection: Connection | undefined;
  #opening: Promise<Asked<Connection>> | undefined;
  /** Connections that are being closed or serve their last calls. */
  readonly #leaving = new Map<Connection, Promise<void>>();
  readonly #closing = new AbortController();
  #checkUp: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #users = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#slots = new CallSlots(options.limits.callsAtOnce, options.limits.waitingCalls);
    this.#restarts = new Restarts(options.limits);
  }

  /**
   * Calls a tool. Never rejects. The signal ends the wait for a slot, for the start of the server, and for the answer.
   * The start counts as work, because the server runs for its rules.
   */
  async call(tool: string, input: JsonObject, stop: StopSignal): Promise<Asked<CallToolResult>> {
    stop.enter?.("queue");
    const refusal = await this.#slots.take(stop);
    stop.enter?.("work");
    if (refusal !== undefined) return { ok: false, failure: refusal };
    try {
      const first = await this.#callOnce(tool, input, stop);
      if (first.ok || first.isLostSession !== true) return first;
      return await this.#callOnce(tool, input, stop);
    } finally {
      this.#slots.giveBack();
    }
  }

  /** Starts the server if it is not running, and returns the names of its tools. */
  async tools(): Promise<Asked<readonly string[]>> {
    return this.#using(async () => {
      const opened = await this.#open();
      return opened.ok ? opened.value.tools() : opened;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort("the engine is closed");
    clearTimeout(this.#idle);
    await this.#opening;
    this.#letGo((connection) => connection.close());
    await Promise.all([...this.#leaving].flatMap(([connection, left]) => [connection.close(), left]));
  }

  async #callOnce(tool: string, input: JsonObject, stop: StopSignal): Promise<Asked<CallToolResult>> {
    return this.#using(async () => {
      const opened = await untilStopped(this.#open(), stop);
      if (!opened.ok) return opened;
      const connection = opened.value;
      const call = new AbortController();
      const onStop = (): void => call.abort((stop.reason as Failure).message);
      stop.addEventListener("abort", onStop, { once: true });
      if (stop.aborted) onStop();
      const asked = await connection.call(tool, input, call.signal);
      stop.removeEventListener("abort", onStop);
      if (asked.ok) return asked;
      if (asked.isLostSession === true && connection === this.#connection) this.#letGo((lost) => lost.retire());
      if (!stop.aborted) return asked;
      this.#checkUp ??= this.#endIfStuck(connection);
      return { ok: false, failure: stop.reason as Failure };
    });
  }

  /** Counts the users of the server. Without users, the server ends and does not keep this process alive. */
  async #using<Value>(use: () => Promise<Value>): Promise<Value> {
    clearTimeout(this.#idle);
    this.#users += 1;
    if (this.#users === 1) this.#connection?.hold(true);
    try {
      return await use();
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#rest();
    }
  }

  #rest(): void {
    if (this.#connection === undefined) return;
    this.#connection.hold(false);
    this.#idle = setTimeout(() => this.#letGo((idle) => idle.close()), this.#options.limits.idleMs).unref();
  }

  #open(): Promise<Asked<Connection>> {
    if (this.#closing.signal.aborted) return Promise.resolve(failed("was asked after the engine was closed"));
    if (this.#connection !== undefined) return Promise.resolve({ ok: true, value: this.#connection });
    this.#opening ??= this.#start().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #start(): Promise<Asked<Connection>> {
    // A server at an address needs no process here, and its list of tools may change.
    const isProcess = this.#options.server.kind === "stdio";
    const refusal = isProcess ? this.#restarts.refusal() : undefined;
    if (refusal !== undefined) return { ok: false, failure: refusal };
    const opened = await Connection.open(this.#options, this.#closing.signal, (connection) => this.#onOver(connection));
    if (!opened.ok || opened.value.isOver) {
      const failure = opened.ok ? opened.value.failure : opened.failure;
      this.#restarts.noteFailure(failure);
      return { ok: false, failure };
    }
    this.#connection = opened.value;
    if (this.#users === 0) this.#rest();
    return opened;
  }

  #onOver(connection: Connection): void {
    if (connection !== this.#connection) return;
    this.#restarts.noteFailure(connection.failure);
    this.#letGo((dead) => dead.close());
  }

  /** Releases the connection, so that the next call opens another connection. */
  #letGo(end: (connection: Connection) => Promise<void>): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined) return;
    const left = end(connection).finally(() => this.#leaving.delete(connection));
    this.#leaving.set(connection, left);
  }

  /** Ends the server if it does not answer a ping after a cancelled call. Otherwise other calls continue. */
  async #endIfStuck(connection: Connection): Promise<void> {
    const isWell = connection.isOver || (await connection.answersPing());
    this.#checkUp = undefined;
    if (isWell || connection.isOver) return;
    if (connection !== this.#connection) return;
    const why = `did not answer a ping within ${this.#options.limits.pingMs} ms`;
    this.#restarts.noteFailure({ kind: "unavailable", message: why });
    this.#letGo((stuck) => stuck.close(`${why}, and was ended`));
  }
}

function untilStopped<Value>(asked: Promise<Asked<Value>>, stop: StopSignal): Promise<Asked<Value>> {
  return new Promise((resolve, reject) => {
    const onStop = (): void => resolve({ ok: false, failure: stop.reason as Failure });
    if (stop.aborted) onStop();
    else stop.addEventListener("abort", onStop, { once: true });
    asked.then(resolve, reject).finally(() => stop.removeEventListener("abort", onStop));
  });
}

function failed(message: string): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { kind: "unavailable", message } };
}
