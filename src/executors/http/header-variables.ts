import { validateHeaderName, validateHeaderValue } from "node:http";

/** The headers that a rule configures -> those that are sent. */

export type PreparedHeaders =
  | {
      readonly ok: true;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** Names, as written, of headers that are ours or the connection's to set. */
      readonly ignored: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/** Who sets these decides where a request ends and whose it is. */
const NOT_THE_RULES = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const VARIABLE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;
const MAX_HEADERS = 64;
const MAX_HEADERS_LENGTH = 8_192;

/** A failure names the header, and never its value: that may hold a secret. */
export function prepareHeaders(
  configured: Readonly<Record<string, string>>,
  allowedVariables: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): PreparedHeaders {
  const headers: Record<string, string> = {};
  const ignored: string[] = [];
  let length = 0;
  for (const [name, template] of Object.entries(configured)) {
    const lowerCase = name.toLowerCase();
    const said = JSON.stringify(name.slice(0, 100));
    if (NOT_THE_RULES.has(lowerCase)) {
      if (lowerCase !== "content-type" || !/^application\/json\s*(;|$)/i.test(template)) ignored.push(name);
      continue;
    }
    if (Object.hasOwn(headers, lowerCase)) return { ok: false, message: `the header ${said} stands there twice` };
    const value = expandVariables(template, allowedVariables, environment);
    if (!isAccepted(() => validateHeaderName(name)))
      return { ok: false, message: `${said} is not the name of a header` };
    if (!isAccepted(() => validateHeaderValue(name, value)))
      return { ok: false, message: `the value of the header ${said} contains characters that a header cannot have` };
    length += name.length + value.length;
    headers[lowerCase] = value;
  }
  if (Object.keys(headers).length > MAX_HEADERS || length > MAX_HEADERS_LENGTH)
    return {
      ok: false,
      message: `more than ${MAX_HEADERS} headers, or more than ${MAX_HEADERS_LENGTH} characters of them`,
    };
  return { ok: true, headers, ignored };
}

/** `$NAME` and `${NAME}`; nothing for a variable that is not listed, or not set. What comes out is not looked at again. */
export function expandVariables(
  template: string,
  allowed: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return template.replace(VARIABLE, (_, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? bare ?? "";
    return allowed.includes(name) ? (environment[name] ?? "") : "";
  });
}

function isAccepted(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
