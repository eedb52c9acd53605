import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Failure } from "../outcome.ts";
import type { StopSignal } from "../stop-signal.ts";
import { connectionFailure, isClosedConnection, isImpostor } from "./connection-failure.ts";
import { bodyTooLarge, closedEarly, headFailure, type ResponseLimits, refuseDetours } from "./response-checks.ts";

/** Sends a request and reads the whole response. `streamed-response.ts` reads a response as a stream. */

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body. Empty for a redirect, because no caller reads that body. */
  readonly body: Buffer;
  /** The IP address of the server. */
  readonly remoteAddress: string;
}

export type ExchangeResult =
  | { readonly ok: true; readonly answer: Answer }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** Whether the request used a kept connection that the server closed before the response began. */
      readonly stale: boolean;
      /** Whether the server's certificate is not trusted, so that the request was not sent. */
      readonly impostor?: boolean;
    };

export const REDIRECTS = [301, 302, 303, 307, 308];

/** Sends `body` and resolves to the response. `stop.reason` must be a `Failure`. Never rejects. */
export function exchange(
  request: ClientRequest,
  body: string | Uint8Array | undefined,
  limits: ResponseLimits,
  stop: StopSignal,
): Promise<ExchangeResult> {
  const { peer } = limits;
  return new Promise((resolve) => {
    let answering = false;
    let settled = false;
    const settle = (result: ExchangeResult): void => {
      settled = true;
      stop.removeEventListener("abort", onStop);
      resolve(result);
    };
    const fail = (failure: Failure, stale = false): void => {
      // After the response, the agent may have given the connection to another request.
      if (settled) return;
      settle({ ok: false, failure, stale, impostor: isImpostor(request.socket) });
      request.destroy();
    };
    const onStop = (): void => fail(stop.reason as Failure);
    const onClose = (): void => fail(closedEarly(peer));

    request.on("error", (error) => {
      if (answering && isClosedConnection(error)) onClose();
      else fail(connectionFailure(error, peer), request.reusedSocket && !answering && isClosedConnection(error));
    });
    refuseDetours(request, peer, fail);
    request.on("response", (response) => {
      answering = true;
      const remoteAddress = response.socket.remoteAddress ?? "";
      const { statusCode: status = 0, headers } = response;
      const done = (content: Buffer): void =>
        settle({ ok: true, answer: { status, headers, body: content, remoteAddress } });
      if (REDIRECTS.includes(status)) {
        done(Buffer.alloc(0));
        request.destroy();
      } else if (request.method === "HEAD") {
        // The headers describe a body that the server does not send.
        response.on("error", onClose);
        response.on("end", () => done(Buffer.alloc(0)));
        response.resume();
      } else readBody(response, limits, { done, fail });
    });
    request.on("close", onClose);
    if (stop.aborted) onStop();
    else {
      stop.addEventListener("abort", onStop);
      // Node sends a string in one packet with the headers, and bytes in a second packet.
      request.end(body);
    }
  });
}

function readBody(
  response: IncomingMessage,
  limits: ResponseLimits,
  { done, fail }: { readonly done: (content: Buffer) => void; readonly fail: (failure: Failure) => void },
): void {
  response.on("error", () => fail(closedEarly(limits.peer)));
  const failure = headFailure(response, limits);
  if (failure !== undefined) {
    fail(failure);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > limits.maxBodyBytes) fail(bodyTooLarge(bytes, limits));
    else chunks.push(chunk);
  });
  response.on("end", () => {
    if (response.complete) done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    else fail(closedEarly(limits.peer));
  });
}
