import type { ClientRequest, IncomingMessage } from "node:http";
import { connectionFailure } from "./connection-failure.ts";
import { FetchFailed } from "./fetch-failed.ts";

/** One request, and its answer as a `Response` whose body is read as it comes. */

interface Terms {
  readonly peer: string;
  readonly maxBodyBytes: number;
}

/** Answers such as 102 may come before the real one, and somebody could send them for ever. */
const MAX_INTERIM_ANSWERS = 8;
/** Read ahead of whoever reads the body. */
const BUFFERED_BYTES = 65_536;
const WITHOUT_BODY = [204, 205];

export interface StreamedExchange {
  /** Rejects with a `FetchFailed`, or with what it was ended with; until the body has ended, so does reading that. */
  readonly response: Promise<Response>;
  /** Gives up the connection. */
  end(reason: unknown): void;
}

export function streamedExchange(request: ClientRequest, body: Uint8Array | undefined, terms: Terms): StreamedExchange {
  // Ending a connection makes it report errors of its own, which are not why.
  let ending: { readonly reason: unknown } | undefined;
  const end = (reason: unknown): void => {
    ending ??= { reason };
    request.destroy();
  };
  const reasonOf = (error: Error | undefined): unknown => {
    ending ??= { reason: asFailed(error, terms) };
    return ending.reason;
  };
  const response = new Promise<Response>((resolve, reject) => {
    let interimAnswers = 0;
    request.on("error", (error) => reject(reasonOf(error)));
    request.on("close", () => reject(reasonOf(undefined)));
    request.on("information", () => {
      interimAnswers += 1;
      if (interimAnswers <= MAX_INTERIM_ANSWERS) return;
      const message = `${terms.peer} sent more than ${MAX_INTERIM_ANSWERS} interim answers`;
      const limit = MAX_INTERIM_ANSWERS;
      end(new FetchFailed({ kind: "output-too-large", message, limit, value: interimAnswers }));
    });
    request.on("upgrade", (_, socket) => {
      socket.destroy();
      end(invalid(`${terms.peer} wants to speak another protocol`));
    });
    request.on("response", (incoming) => {
      // Heard by whoever reads the body as well; an error that nobody hears would end the process.
      incoming.on("error", reasonOf);
      try {
        resolve(asResponse(incoming, terms, () => streamOf(incoming, terms, { end, reasonOf })));
      } catch (error) {
        end(error instanceof FetchFailed ? error : invalid(`the headers of ${terms.peer} cannot be read`));
      }
    });
    request.end(body);
  });
  return { response, end };
}

function asResponse(incoming: IncomingMessage, { peer, maxBodyBytes }: Terms, open: () => ReadableStream): Response {
  const { statusCode: status = 0 } = incoming;
  if (status >= 300 && status < 400) {
    const message = `${peer} answered with status ${status}, a redirect, which is not followed`;
    throw new FetchFailed({ kind: "unavailable", message, value: status });
  }
  const encoding = incoming.headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity")
    throw invalid(`${peer} answered with a content-encoding, which was not asked for`);
  const announced = Number(incoming.headers["content-length"] ?? 0);
  if (announced > maxBodyBytes) throw tooLarge(announced, { peer, maxBodyBytes });
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
  terms: Terms,
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
          if (bytes > terms.maxBodyBytes) {
            on.end(tooLarge(bytes, terms));
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

/** `undefined`: the connection was closed without a word. */
function asFailed(error: Error | undefined, { peer }: Terms): FetchFailed {
  if (error !== undefined) return new FetchFailed(connectionFailure(error, peer), error);
  const message = `${peer} closed the connection in the middle of its answer`;
  return new FetchFailed({ kind: "unavailable", message });
}

function invalid(message: string): FetchFailed {
  return new FetchFailed({ kind: "invalid-output", message });
}

function tooLarge(bytes: number, { peer, maxBodyBytes }: Terms): FetchFailed {
  return new FetchFailed({
    kind: "output-too-large",
    message: `the answer of ${peer} has ${bytes} bytes or more, over the limit of ${maxBodyBytes}`,
    limit: maxBodyBytes,
    value: bytes,
  });
}
