import type { ClientRequest, IncomingMessage } from "node:http";
import { connectionFailure } from "./connection-failure.ts";
import { FetchFailed } from "./fetch-failed.ts";
import { bodyTooLarge, closedEarly, headFailure, type ResponseLimits, refuseDetours } from "./response-checks.ts";

/** A request whose response is a `Response` with a body that is read while it arrives. */

/** The maximum number of bytes that are read before the caller asks for them. */
const BUFFERED_BYTES = 65_536;
const WITHOUT_BODY = [204, 205];

interface StreamedExchange {
  /** The response. The promise and the body reject with a `FetchFailed`, or with the reason given to `end`. */
  readonly response: Promise<Response>;
  /** Closes the connection. */
  end(reason: unknown): void;
}

export function streamedExchange(
  request: ClientRequest,
  body: Uint8Array | undefined,
  limits: ResponseLimits,
): StreamedExchange {
  // The first reason counts, because closing the connection causes further errors.
  let ending: { readonly reason: unknown } | undefined;
  const end = (reason: unknown): void => {
    ending ??= { reason };
    request.destroy();
  };
  const reasonOf = (error: Error | undefined): unknown => {
    ending ??= { reason: asFailed(error, limits) };
    return ending.reason;
  };
  const response = new Promise<Response>((resolve, reject) => {
    request.on("error", (error) => reject(reasonOf(error)));
    request.on("close", () => reject(reasonOf(undefined)));
    refuseDetours(request, limits.peer, (failure) => end(new FetchFailed(failure)));
    request.on("response", (incoming) => {
      // The body's reader also receives this error. Without a listener, the error would end the process.
      incoming.on("error", reasonOf);
      try {
        resolve(asResponse(incoming, limits, () => streamOf(incoming, limits, { end, reasonOf })));
      } catch (error) {
        const message = `the headers of ${limits.peer} cannot be read`;
        end(error instanceof FetchFailed ? error : new FetchFailed({ kind: "invalid-output", message }));
      }
    });
    request.end(body);
  });
  return { response, end };
}

function asResponse(incoming: IncomingMessage, limits: ResponseLimits, open: () => ReadableStream): Response {
  const { statusCode: status = 0 } = incoming;
  if (status >= 300 && status < 400) {
    const message = `${limits.peer} answered with status ${status}, a redirect, which is not followed`;
    throw new FetchFailed({ kind: "unavailable", message, value: status });
  }
  const failure = headFailure(incoming, limits);
  if (failure !== undefined) throw new FetchFailed(failure);
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (!WITHOUT_BODY.includes(status)) return new Response(open(), { status, headers });
  incoming.resume();
  return new Response(null, { status, headers });
}

function streamOf(
  incoming: IncomingMessage,
  limits: ResponseLimits,
  on: Pick<StreamedExchange, "end"> & { readonly reasonOf: (error: Error | undefined) => unknown },
): ReadableStream<Uint8Array> {
  let bytes = 0;
  let isOver = false;
  const once = (run: () => void): void => {
    if (isOver) return;
    isOver = true;
    run();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const fail = (error?: Error): void => once(() => controller.error(on.reasonOf(error)));
        incoming.on("data", (chunk: Buffer) => {
          bytes += chunk.byteLength;
          if (bytes > limits.maxBodyBytes) {
            on.end(new FetchFailed(bodyTooLarge(bytes, limits)));
            fail();
          }
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.on("end", () => {
          if (incoming.complete) once(() => controller.close());
          else fail();
        });
        incoming.on("error", fail);
        incoming.on("close", () => fail());
        incoming.pause();
      },
      pull: () => {
        incoming.resume();
      },
      cancel: (reason) => {
        isOver = true;
        on.end(reason);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }),
  );
}

/** Returns a `FetchFailed`. Without an error, the server closed the connection silently. */
function asFailed(error: Error | undefined, { peer }: ResponseLimits): FetchFailed {
  return error === undefined
    ? new FetchFailed(closedEarly(peer))
    : new FetchFailed(connectionFailure(error, peer), error);
}
