import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Failure } from "../outcome.ts";
import { connectionFailure, isClosedConnection, isImpostor } from "./connection-failure.ts";

/** One request and its answer, on one connection. */

/** Tells a request to stop; `reason` is a `Failure`. An `AbortSignal` is one. */
export interface Stopping {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a redirect, whose body nobody reads. */
  readonly body: Buffer;
  /** Of the other end of the connection. */
  readonly remoteAddress: string;
}

export type ExchangeResult =
  | { readonly ok: true; readonly answer: Answer }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** The connection had been kept from an earlier request, and was closed before anything of an answer came. */
      readonly stale: boolean;
      /** Nobody whom this machine trusts has signed that this is the host, so nothing was sent. */
      readonly impostor?: boolean;
    };

export const REDIRECTS = [301, 302, 303, 307, 308];

/** Answers such as 102 may come before the real one, and somebody could send them for ever. */
const MAX_INTERIM_ANSWERS = 8;

export function exchange(
  request: ClientRequest,
  body: string | Uint8Array | undefined,
  { peer, maxBodyBytes }: { readonly peer: string; readonly maxBodyBytes: number },
  stop: Stopping,
): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    let answering = false;
    let interimAnswers = 0;
    let settled = false;
    const settle = (result: ExchangeResult): void => {
      settled = true;
      stop.removeEventListener("abort", onStop);
      resolve(result);
    };
    const fail = (failure: Failure, stale = false): void => {
      // By now the connection may serve somebody else.
      if (settled) return;
      settle({ ok: false, failure, stale, impostor: isImpostor(request.socket) });
      request.destroy();
    };
    const onStop = (): void => fail(stop.reason as Failure);
    const closedEarly = (): void =>
      fail({ kind: "unavailable", message: `${peer} closed the connection in the middle of its answer` });

    request.on("error", (error) => {
      if (answering && isClosedConnection(error)) closedEarly();
      else fail(connectionFailure(error, peer), request.reusedSocket && !answering && isClosedConnection(error));
    });
    request.on("information", () => {
      interimAnswers += 1;
      if (interimAnswers <= MAX_INTERIM_ANSWERS) return;
      const message = `${peer} sent more than ${MAX_INTERIM_ANSWERS} interim answers`;
      fail({ kind: "output-too-large", message, limit: MAX_INTERIM_ANSWERS, value: interimAnswers });
    });
    request.on("upgrade", (_, socket) => {
      socket.destroy();
      fail({ kind: "invalid-output", message: `${peer} wants to speak another protocol` });
    });
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
        // Its headers are about a body that does not come.
        response.on("error", closedEarly);
        response.on("end", () => done(Buffer.alloc(0)));
        response.resume();
      } else readBody(response, { peer, maxBodyBytes }, { done, fail, closedEarly });
    });
    request.on("close", closedEarly);
    if (stop.aborted) onStop();
    else {
      stop.addEventListener("abort", onStop);
      // As text: Node puts it into one packet with the headers then.
      request.end(body);
    }
  });
}

function readBody(
  response: IncomingMessage,
  { peer, maxBodyBytes }: { readonly peer: string; readonly maxBodyBytes: number },
  on: {
    readonly done: (content: Buffer) => void;
    readonly fail: (failure: Failure) => void;
    readonly closedEarly: () => void;
  },
): void {
  response.on("error", on.closedEarly);
  // We asked for none; to unpack what a stranger has packed is how a small answer becomes a large one.
  const encoding = response.headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    on.fail({ kind: "invalid-output", message: `${peer} answered with a content-encoding, which was not asked for` });
    return;
  }
  const tooLarge = (bytes: number): void =>
    on.fail({
      kind: "output-too-large",
      message: `the answer of ${peer} has ${bytes} bytes or more, over the limit of ${maxBodyBytes}`,
      limit: maxBodyBytes,
      value: bytes,
    });
  const announced = Number(response.headers["content-length"] ?? 0);
  if (announced > maxBodyBytes) {
    tooLarge(announced);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > maxBodyBytes) tooLarge(bytes);
    else chunks.push(chunk);
  });
  response.on("end", () => {
    if (response.complete) on.done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    else on.closedEarly();
  });
}
