import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { JsonObject, JsonValue } from "../../src/json.ts";
import { answerBody, answerEvents } from "./stub-protocols.ts";

/**
 * A stand-in, on this machine, for the servers of model providers: Anthropic's Messages and OpenAI's Chat Completions.
 */

export interface StubRequest {
  readonly protocol: "anthropic" | "openai";
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** The number of the request; the first is 1. */
  readonly n: number;
  /** The path before the protocol's own path. With it, one server can imitate several. */
  readonly prefix: string;
}

export interface StubAnswer {
  /** Default: empty. */
  readonly text?: string;
  /** Tools that the model calls. */
  readonly calls?: readonly { readonly name: string; readonly input: JsonValue }[];
  /** A status other than 200 answers with an error in the provider's format; `text` is its message. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged in place of the provider's body, for streams as well. */
  readonly body?: string;
  /** Milliseconds before the first byte. */
  readonly delayMs?: number;
  /**
   * Keeps the connection open and sends nothing (`true`), nothing after half of the body (`body`), or bytes without end
   * (`dripping`).
   */
  readonly hangs?: boolean | "body" | "dripping";
  /** Closes the connection: before the answer (`true`), or after half of its body (`body`). */
  readonly hangsUp?: boolean | "body";
  /** The provider's own word for it. Default: the word that matches the answer. */
  readonly stopReason?: string;
  /** Default: 10 and 5. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export interface StubModel {
  /** Base URL of `anthropic`; that of `openai` is `${url}/v1`. */
  readonly url: string;
  readonly requests: readonly StubRequest[];
  openSockets(): number;
  close(): Promise<void>;
}

export type StubModelAnswers = (request: StubRequest) => StubAnswer | Promise<StubAnswer>;

const PROTOCOLS: Readonly<Record<string, StubRequest["protocol"]>> = {
  "/v1/messages": "anthropic",
  "/v1/chat/completions": "openai",
};
const PATH = /^(.*?)(\/v1\/(?:messages|chat\/completions))$/;

const DRIP_MS = 5;

export async function startStubModel(answer: StubModelAnswers): Promise<StubModel> {
  const requests: StubRequest[] = [];
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  const later = (run: () => void, ms: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    response.on("error", () => undefined);
    incoming.on("error", () => undefined);
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const [, prefix = "", path = ""] = PATH.exec(incoming.url ?? "") ?? [];
      const protocol = PROTOCOLS[path];
      if (incoming.method !== "POST" || protocol === undefined) {
        response.writeHead(404, { "content-type": "application/json" }).end("{}");
        return;
      }
      const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
      const request: StubRequest = { protocol, headers: incoming.headers, body, n: requests.length + 1, prefix };
      requests.push(request);
      Promise.resolve(answer(request)).then(
        (said) =>
          said.delayMs === undefined
            ? give(said, request, response, later)
            : later(() => give(said, request, response, later), said.delayMs),
        (error: unknown) => response.writeHead(599).end(String(error)),
      );
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    requests,
    openSockets: () => sockets.size,
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function give(
  answer: StubAnswer,
  { protocol, body: { model, stream } }: StubRequest,
  response: ServerResponse,
  later: (run: () => void, ms: number) => void,
): void {
  const { status = 200, hangs = false, hangsUp = false } = answer;
  if (hangs === true) return;
  if (hangsUp === true) {
    response.destroy();
    return;
  }
  const isStream = stream === true && status === 200;
  const words = { model: String(model), ...answer };
  const body = answer.body ?? (isStream ? answerEvents(protocol, words) : answerBody(protocol, words));
  const type = isStream ? "text/event-stream; charset=utf-8" : "application/json";
  response.writeHead(status, { "content-type": type, ...answer.headers });
  if (hangs === false && hangsUp === false) {
    response.end(body);
    return;
  }
  response.write(body.slice(0, middleOf(body, isStream)), () => {
    if (hangsUp === "body") response.destroy();
    if (hangs === "dripping") drip(response, isStream ? ": more to come\n\n" : " ", later);
  });
}

/** Returns the offset in the middle of a body; for a stream, between two events. */
function middleOf(body: string, isStream: boolean): number {
  const half = Math.floor(body.length / 2);
  return isStream ? body.lastIndexOf("\n\n", half) + 2 : half;
}

function drip(response: ServerResponse, drop: string, later: (run: () => void, ms: number) => void): void {
  if (response.destroyed || !response.writable) return;
  response.write(drop);
  later(() => drip(response, drop, later), DRIP_MS);
}
