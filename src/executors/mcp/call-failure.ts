import { describeThrown } from "../../errors.ts";
import { FetchFailed } from "../../net/fetch-failed.ts";
import type { Failure } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";
import type { Sdk } from "./http-transport.ts";

const MAX_MESSAGE_LENGTH = 500;

/** Turns an error of the library into a failure. The message does not contain the server's name. */
export function callFailure(sdk: Sdk, error: unknown): Failure {
  const { cause, data } = error as { readonly cause?: unknown; readonly data?: unknown };
  // The error has hookbox's own class, so a server cannot have put it into an answer.
  const broken = [error, cause, data].find((one) => one instanceof FetchFailed);
  if (broken !== undefined) return { ...broken.failure, message: `failed: ${broken.failure.message}` };
  if (sdk.ProtocolError.isInstance(error))
    return unavailable(`answered with error ${error.code}: ${said(error.message)}`, error.code);
  if (sdk.SdkHttpError.isInstance(error)) {
    const { status } = error.data as { readonly status: number };
    return unavailable(`answered with status ${status}`, status);
  }
  if (sdk.SdkError.isInstance(error) && UNREADABLE.has(error.code))
    return { kind: "invalid-output", message: `gave an answer that is none to this request: ${said(error.message)}` };
  return unavailable(`could not be asked: ${said(describeThrown(error))}`);
}

const UNREADABLE: ReadonlySet<string> = new Set([
  "INVALID_RESULT",
  "UNSUPPORTED_RESULT_TYPE",
  "CLIENT_HTTP_UNEXPECTED_CONTENT",
]);

/** Whether the server does not know the session, for example after a restart. The request was then not executed. */
export function isLostSession(sdk: Sdk, error: unknown, sessionId: string | undefined): boolean {
  if (sessionId === undefined) return false;
  return sdk.SdkHttpError.isInstance(error) && (error.data as { readonly status: number }).status === 404;
}

function unavailable(message: string, value?: number): Failure {
  return { kind: "unavailable", message, ...(value === undefined ? {} : { value }) };
}

function said(text: string): string {
  return cleanLine(text, MAX_MESSAGE_LENGTH);
}
