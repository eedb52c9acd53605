import type { Socket } from "node:net";
import type { Failure } from "../outcome.ts";
import { cleanLine } from "../text.ts";
import { AddressRefused } from "./dns-lookup.ts";

/** Turns the error of a connection into the failure of a hook. */

/** The maximum length of the header and trailer lines of a response. */
export const MAX_HEADER_BYTES = 16_384;

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ECONNRESET: "closed the connection without an answer",
  EPIPE: "closed the connection without an answer",
  ETIMEDOUT: "did not accept the connection",
  EHOSTUNREACH: "cannot be reached",
  ENETUNREACH: "cannot be reached",
  ENOTFOUND: "has no address",
  EAI_AGAIN: "could not be looked up",
};

const MAX_MESSAGE_LENGTH = 300;

export function connectionFailure(error: Error, peer: string): Failure {
  const refused = refusalIn(error);
  if (refused !== undefined) return { kind: "capability", message: refused.message };
  const code = codeOf(error);
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = `the headers of ${peer} have more than ${MAX_HEADER_BYTES} bytes`;
    return { kind: "output-too-large", message, limit: MAX_HEADER_BYTES };
  }
  if (code.startsWith("HPE_")) return { kind: "unavailable", message: `${peer} did not answer in HTTP (${code})` };
  const known = WORDS[code];
  if (known !== undefined) return { kind: "unavailable", message: `${peer} ${known} (${code})` };
  return { kind: "unavailable", message: cleanLine(`${peer}: ${error.message}`, MAX_MESSAGE_LENGTH) };
}

/** Whether the server's certificate is not trusted. */
export function isImpostor(socket: Socket | null): boolean {
  const { authorizationError } = (socket ?? {}) as { readonly authorizationError?: unknown };
  return authorizationError !== undefined && authorizationError !== null;
}

/** Whether the server closed the connection. A server may close a kept connection at any time. */
export function isClosedConnection(error: Error): boolean {
  return ["ECONNRESET", "EPIPE"].includes(codeOf(error));
}

function refusalIn(error: Error): Error | undefined {
  if (error instanceof AggregateError) return error.errors.find((one) => one instanceof AddressRefused);
  return error instanceof AddressRefused ? error : undefined;
}

/** Returns the code of an error. If several addresses failed, returns the code of the first failure. */
function codeOf(error: NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] }): string {
  return error.code ?? error.errors?.[0]?.code ?? "";
}
