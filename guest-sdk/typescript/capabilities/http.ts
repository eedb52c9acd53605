import type { Host } from "../host.ts";
import { nameValue } from "../name-value.ts";
import { requireText } from "./require-text.ts";

/** Requests to the hosts that the rule grants, for guards that want `hosts`. A URL of any other host ends the call. */
export interface Http {
  /**
   * Sends a request and waits for the answer, whatever its status is. Follows the redirects that the rule allows.
   *
   * @throws HttpError if there is no answer, or an incomplete one
   */
  request(request: HttpRequest): HttpResponse;
}

export interface HttpRequest {
  /** The absolute URL, with `https:` or `http:`. */
  readonly url: string;
  /** The method. Default: `GET`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. For JSON, use `JSON.stringify(value)` and set the header `content-type`. */
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** Whether the status is from 200 to 299. */
  readonly ok: boolean;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the body. Bytes that are not UTF-8 become U+FFFD. */
  text(): string;
  /**
   * Returns the body as JSON. Its form is not checked, so check the values before you decide by them.
   * @throws HttpError if the body is not JSON
   */
  json(): unknown;
}

/** Thrown for a failed request. If a guard does not catch this error, the call fails, and a gate denies the action. */
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
      if (answer === undefined) throw new HttpError(`${called}: there was no answer`);
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

/** Checks a request. The check runs although types exist, because some authors have no compiler. */
function checked(request: HttpRequest): HttpRequest & { readonly method: string } {
  if (typeof request !== "object" || request === null) {
    throw new TypeError(`http: request expects { url, … }, got ${nameValue(request)}`);
  }
  const stray = Object.keys(request).find((name) => !FIELDS.includes(name));
  if (stray !== undefined) throw new TypeError(`http: there is no field ${stray}; the fields are ${FIELDS.join(", ")}`);
  const { url, method = "GET", headers = {}, body } = request;
  requireText("http", "url", url);
  requireText("http", "method", method);
  if (body !== undefined) requireText("http", "body", body);
  for (const [name, value] of Object.entries(headers)) requireText("http", `header ${name}`, value);
  return { url, method: method.toUpperCase(), headers, ...(body === undefined ? {} : { body }) };
}
