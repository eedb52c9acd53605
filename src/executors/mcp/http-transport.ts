import { ReadableStream } from "node:stream/web";
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  StreamableHTTPClientTransport,
  Transport,
} from "@modelcontextprotocol/client";
import { type CheckedFetch, openCheckedFetch } from "../../net/checked-fetch.ts";
import type { McpServer } from "../../rule.ts";
import type { McpLimits } from "./limits.ts";

export type Sdk = typeof import("@modelcontextprotocol/client");
export type HttpServer = Extract<McpServer, { kind: "http" }>;

/** An answer that breaks off may be fetched again so often, after this long at most. */
const MAX_RECONNECTIONS = 2;
const MAX_RECONNECTION_DELAY_MS = 2_000;

/** Each question of a server's costs a connection, and a short answer has room for thousands. Others go unanswered. */
const MAX_QUESTIONS = 4;

/**
 * The library's transport for streamable HTTP, with four things of ours: it opens no stream for what the server might
 * want to say by itself (nothing of that could be served); a request that is given up ends its connection as well; an
 * answer that ends before the result has come fails at once; and a server has few questions of its own at a time.
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #checked: CheckedFetch;
  readonly #endMs: number;
  /** Requests without an answer. */
  readonly #open = new Map<string | number, AbortController>();
  /** Questions of the server's that have not been told that nobody answers them. */
  readonly #questions = new Set<string | number>();
  /** What broke the last answer off. */
  #broken: unknown;

  constructor(sdk: Sdk, server: HttpServer, { messageBytes, killGraceMs }: McpLimits) {
    this.#endMs = killGraceMs;
    this.#checked = openCheckedFetch({ network: server.network, maxBodyBytes: messageBytes });
    this.#inner = new sdk.StreamableHTTPClientTransport(new URL(server.url), {
      fetch: (url, init) => this.#fetch(url, init),
      requestInit: { headers: { ...server.headers } },
      reconnectionOptions: {
        initialReconnectionDelay: 100,
        maxReconnectionDelay: MAX_RECONNECTION_DELAY_MS,
        reconnectionDelayGrowFactor: 2,
        maxRetries: MAX_RECONNECTIONS,
      },
      // Unheld: who waits for the answer has a deadline, and a server may ask for any delay.
      reconnectionScheduler: (reconnect, delayMs) => {
        const timer = setTimeout(reconnect, Math.min(delayMs, MAX_RECONNECTION_DELAY_MS)).unref();
        return () => clearTimeout(timer);
      },
    });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
      if (!("method" in message) && message.id !== undefined) this.#open.delete(message.id);
      if ("method" in message && "id" in message && !this.#takesQuestion(message.id)) return;
      this.onmessage?.(message, extra);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message)) {
      return this.#inner.send(message).finally(() => this.#questions.delete(message.id as string | number));
    }
    if (!("id" in message)) {
      const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
      return this.#inner.send(message).finally(() => this.#abort(cancelled));
    }
    const { id } = message;
    const request = new AbortController();
    this.#open.set(id, request);
    const onRequestStreamEnd = (): void => this.#failUnanswered(id);
    try {
      await this.#inner.send(message, { requestSignal: request.signal, onRequestStreamEnd });
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  /** Tells the server that the session is over, waits a moment for it to hear so, and ends all connections. */
  async close(_why?: string): Promise<void> {
    for (const request of this.#open.values()) request.abort();
    this.#open.clear();
    const timer = setTimeout(() => void this.#inner.close(), this.#endMs);
    await this.#inner.terminateSession().catch(() => {});
    clearTimeout(timer);
    await this.#inner.close();
    await this.#checked.close();
  }

  async #fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    if (isListening(init)) return new Response(null, { status: 405 });
    const response = await this.#checked.fetch(url, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const noted = ReadableStream.from(this.#noted(response.body));
    return new Response(noted as BodyInit, { status, statusText, headers });
  }

  /** The library tells of an answer that breaks off in words only. */
  async *#noted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      this.#broken = error;
      throw error;
    }
  }

  #takesQuestion(id: string | number): boolean {
    if (this.#questions.has(id) || this.#questions.size === MAX_QUESTIONS) return false;
    this.#questions.add(id);
    return true;
  }

  #failUnanswered(id: string | number): void {
    if (!this.#open.delete(id)) return;
    const message = "the answer ended before the result had come";
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_603, message, data: this.#broken } });
  }

  #abort(id: unknown): void {
    const request = this.#open.get(id as string | number);
    this.#open.delete(id as string | number);
    request?.abort();
  }
}

function isListening(init: RequestInit): boolean {
  return init.method === "GET" && !new Headers(init.headers).has("last-event-id");
}
