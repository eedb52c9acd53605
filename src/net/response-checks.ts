import type { ClientRequest, IncomingMessage } from "node:http";
import type { Failure } from "../outcome.ts";

/** The checks of a response that all requests share: web hooks, guards' requests, models and MCP servers. */

export interface ResponseLimits {
  /** The server's host and port, for messages. */
  readonly peer: string;
  /** The maximum length of the body. A response without `content-length` counts while it arrives. */
  readonly maxBodyBytes: number;
}

/** The maximum number of interim responses, such as 102. Without a limit, a hostile server never has to stop. */
const MAX_INTERIM_RESPONSES = 8;

/** Calls `fail` if the server sends too many interim responses or wants to upgrade the connection. */
export function refuseDetours(request: ClientRequest, peer: string, fail: (failure: Failure) => void): void {
  let interimResponses = 0;
  request.on("information", () => {
    interimResponses += 1;
    if (interimResponses <= MAX_INTERIM_RESPONSES) return;
    const message = `${peer} sent more than ${MAX_INTERIM_RESPONSES} interim answers`;
    fail({ kind: "output-too-large", message, limit: MAX_INTERIM_RESPONSES, value: interimResponses });
  });
  request.on("upgrade", (_, socket) => {
    socket.destroy();
    fail({ kind: "invalid-output", message: `${peer} asks to switch to another protocol` });
  });
}

/** Returns why the body must not be read, judged by the headers. `undefined`: the body may be read. */
export function headFailure({ headers }: IncomingMessage, limits: ResponseLimits): Failure | undefined {
  // Requests ask for "identity", because a small compressed response of a hostile server could become large.
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    const message = `${limits.peer} answered with a content-encoding, which was not asked for`;
    return { kind: "invalid-output", message };
  }
  const announcedBytes = Number(headers["content-length"] ?? 0);
  return announcedBytes > limits.maxBodyBytes ? bodyTooLarge(announcedBytes, limits) : undefined;
}

export function bodyTooLarge(bytes: number, { peer, maxBodyBytes }: ResponseLimits): Failure {
  const message = `the answer of ${peer} has ${bytes} bytes or more, over the limit of ${maxBodyBytes}`;
  return { kind: "output-too-large", message, limit: maxBodyBytes, value: bytes };
}

/** Returns the failure of a response whose connection the server closed too early. */
export function closedEarly(peer: string): Failure {
  return { kind: "unavailable", message: `${peer} closed the connection in the middle of its answer` };
}
