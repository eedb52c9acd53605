import type { Host } from "../host.ts";
import { nameValue } from "../name-value.ts";
import { requireText } from "./require-text.ts";

/** Requests to the hosts that the rule grants, for guards that want `hosts`. A URL of any other host ends the call. */
export interface Http {
  /**
   * Sends a request and waits for the answer, whatever its status is. Redirects are followed as far as the rule allows.
   *
   * @throws HttpError if nobody answers, or not to the end
   */
  request(request: HttpRequest): HttpResponse;
}

export interface HttpRequest {
  /** Absolute, with `https:` or `http:`. */
  readonly url: string;
  /** Default: `GET`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For JSON: `JSON.stringify(value)`, and a `content-type` among the headers. */
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** Whether the status is from 200 to 299. */
  readonly ok: boolean;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body. Bytes that are not UTF-8 become U+FFFD. */
  text(): string;
  /**
   * The body as JSON. Nobody has checked what it is: look before deciding by it.
   *
   * @throws HttpError if it is none
   */
  json(): unknown;
}

/** A request that has come to nothing. A guard that does not catch it fails: at a gate, the action is denied. */
export class HttpError extends Error {
  override readonly name = "HttpError";
}

const FIELDS = ["url", "method", "headers", "body"];

export function makeHttp({ request: send }: Host): Http {
  return Object.freeze({
    request(request: HttpRequest): HttpResponse {
      const { url, method, headers, body } = checked(request);
      const called = `${method} ${url}`;
      const answer = send(JSON.stringify({ url, method, headers }), body);
      if (answer === undefined) throw new HttpError(`${called}: nobody answered`);
      const { status, body: text } = answer;
      return Object.freeze({
        status,
        ok: status >= 200 && status < 300,
        headers: JSON.parse(answer.headers) as Record<string, string>,
        text: () => text,
        json() {
          try {
            return JSON.parse(text) as unknown;
          } catch (error) {
            throw new HttpError(`${called}: the answer is not JSON`, { cause: error });
          }
        },
      });
    },
  });
}

/** The types vouch for authors who have a compiler. */
function checked(request: HttpRequest): HttpRequest & { readonly method: string } {
  if (typeof request !== "object" || request === null) {
    throw new TypeError(`http: request wants { url, … }, got ${nameValue(request)}`);
  }
  const stray = Object.keys(request).find((name) => !FIELDS.includes(name));
  if (stray !== undefined) throw new TypeError(`http: there is no field ${stray}; there is ${FIELDS.join(", ")}`);
  const { url, method = "GET", headers = {}, body } = request;
  requireText("http", "url", url);
  requireText("http", "method", method);
  if (body !== undefined) requireText("http", "body", body);
  for (const [name, value] of Object.entries(headers)) requireText("http", `header ${name}`, value);
  return { url, method: method.toUpperCase(), headers, ...(body === undefined ? {} : { body }) };
}
