import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { callersEnvironment } from "../../caller.ts";
import type { JsonObject } from "../../json.ts";
import type { Failure } from "../../outcome.ts";
import { packageInfo } from "../../package-info.ts";
import type { McpServer } from "../../rule.ts";
import { callFailure, isLostSession } from "./call-failure.ts";
import { HttpTransport, type Sdk } from "./http-transport.ts";
import type { McpLimits } from "./limits.ts";
import { startServer } from "./server-process.ts";
import { fillServer } from "./server-variables.ts";
import { StdioTransport } from "./stdio-transport.ts";

export interface ServerOptions {
  readonly server: McpServer;
  /** The environment that the server inherits; see `Codec`. */
  readonly inherit: "listed" | "most";
  readonly limits: McpLimits;
  readonly sdk: Sdk;
}

export type Asked<Value> =
  | { readonly ok: true; readonly value: Value }
  /** If `isLostSession` is set, the request was not executed, and a new connection may help. */
  | { readonly ok: false; readonly failure: Failure; readonly isLostSession?: boolean };

/** Disables the library's own timeout, because the caller's signal ends a request. */
const NO_TIMEOUT_MS = 2_147_483_647;

export class Connection {
  readonly #client: Client;
  readonly #transport: StdioTransport | HttpTransport;
  readonly #options: ServerOptions;
  #isOver = false;
  #inFlight = 0;
  #retired: (() => void) | undefined;

  private constructor(client: Client, transport: StdioTransport | HttpTransport, options: ServerOptions) {
    this.#client = client;
    this.#transport = transport;
    this.#options = options;
  }

  /** Starts or reaches the server and does the handshake. After a failure, no process or connection is left. */
  static async open(
    options: ServerOptions,
    signal: AbortSignal,
    onOver: (connection: Connection) => void,
  ): Promise<Asked<Connection>> {
    const { sdk, limits } = options;
    const made = makeTransport(options);
    if (!made.ok) return made;
    const transport = made.value;
    // No capabilities are declared, so a server that wants to ask a model or the user gets the protocol's error.
    const client = new sdk.Client({ name: "hookbox", version: packageInfo().version }, { capabilities: {} });
    const connection = new Connection(client, transport, options);
    client.onclose = () => {
      connection.#isOver = true;
      onOver(connection);
    };
    try {
      await client.connect(transport, { timeout: limits.connectMs, signal });
      return { ok: true, value: connection };
    } catch (error) {
      const failure = signal.aborted
        ? unavailable("was ended while it started")
        : (connection.#cause ?? handshakeFailure(options, transport, error));
      await connection.close();
      return { ok: false, failure };
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The failure of the connection, if the server caused it. */
  get #cause(): Failure | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.cause : undefined;
  }

  get failure(): Failure {
    return this.#cause ?? unavailable("was ended");
  }

  async call(tool: string, input: JsonObject, signal: AbortSignal): Promise<Asked<CallToolResult>> {
    return this.#ask(() => this.#client.callTool({ name: tool, arguments: input }, { signal, timeout: NO_TIMEOUT_MS }));
  }

  /** Returns the names of the server's tools. */
  async tools(): Promise<Asked<readonly string[]>> {
    // Without this check the library would print a line to stdout.
    if (this.#client.getServerCapabilities()?.tools === undefined) return { ok: true, value: [] };
    const { connectMs } = this.#options.limits;
    // One signal limits all pages, because the library limits only each page.
    const whole = new AbortController();
    const timer = setTimeout(() => whole.abort("too late"), connectMs);
    const options = { timeout: NO_TIMEOUT_MS, signal: whole.signal, cacheMode: "bypass" } as const;
    // Bypasses the library's cache, which would compile the server's schemas and run their patterns on this thread.
    const asked = await this.#ask(() => this.#client.listTools(undefined, options));
    clearTimeout(timer);
    if (asked.ok) return { ok: true, value: asked.value.tools.map(({ name }) => name) };
    if (!whole.signal.aborted) return asked;
    const message = `did not give the list of its tools within ${connectMs} ms`;
    return { ok: false, failure: { kind: "unavailable", message, limit: connectMs, value: connectMs } };
  }

  /** Whether the server answers a ping, even with an error. */
  async answersPing(): Promise<boolean> {
    const { sdk, limits } = this.#options;
    try {
      await this.#client.ping({ timeout: limits.pingMs });
      return true;
    } catch (error) {
      return sdk.ProtocolError.isInstance(error);
    }
  }

  /** Sets whether the connection keeps this process alive. */
  hold(isHeld: boolean): void {
    if (this.#transport instanceof StdioTransport) this.#transport.hold(isHeld);
  }

  /** Ends the server. Running calls fail with the reason `why`. */
  async close(why?: string): Promise<void> {
    await this.#transport.close(why);
  }

  /** Closes the connection after the running calls have their answers. */
  async retire(): Promise<void> {
    if (this.#inFlight > 0)
      await new Promise<void>((resolve) => {
        this.#retired = resolve;
      });
    await this.close();
  }

  async #ask<Value>(ask: () => Promise<Value>): Promise<Asked<Value>> {
    if (this.#isOver) return { ok: false, failure: this.failure };
    this.#inFlight += 1;
    try {
      return { ok: true, value: await ask() };
    } catch (error) {
      if (this.#isOver) return { ok: false, failure: this.failure };
      const { sdk } = this.#options;
      const isLost = this.#transport instanceof HttpTransport && isLostSession(sdk, error, this.#transport.sessionId);
      return { ok: false, failure: callFailure(sdk, error), isLostSession: isLost };
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#retired?.();
    }
  }
}

function makeTransport({
  server: written,
  inherit,
  limits,
  sdk,
}: ServerOptions): Asked<StdioTransport | HttpTransport> {
  const filled = fillServer(written, callersEnvironment());
  if (!filled.ok) return { ok: false, failure: unavailable(`cannot be asked: ${filled.reason}`) };
  const { server } = filled;
  if (server.kind === "http") return { ok: true, value: new HttpTransport(sdk, server, limits) };
  const started = startServer(server, inherit);
  if (started.ok) return { ok: true, value: new StdioTransport(started.child, limits) };
  // A command with a variable is not shown, because the model would see the variable's value.
  const isFilled = written.kind === "stdio" && written.command !== server.command;
  const reason = isFilled ? `there is no program ${written.command} that can be run` : started.reason;
  return { ok: false, failure: unavailable(`could not be started: ${reason}`) };
}

function unavailable(message: string): Failure {
  return { kind: "unavailable", message };
}

function handshakeFailure(
  { sdk, limits: { connectMs: limit } }: ServerOptions,
  transport: StdioTransport | HttpTransport,
  error: unknown,
): Failure {
  const isTimeout = sdk.SdkError.isInstance(error) && error.code === sdk.SdkErrorCode.RequestTimeout;
  if (!isTimeout) return callFailure(sdk, error);
  const lastLine = transport instanceof StdioTransport ? transport.lastLine : "";
  const message = `did not finish its handshake within ${limit} ms${lastLine}`;
  return { kind: "unavailable", message, limit, value: limit };
}
