import { validateHeaderName, validateHeaderValue } from "node:http";

/** Prepares the headers of a web hook. */

type PreparedHeaders =
  | {
      readonly ok: true;
      /** The headers to send, with names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** The configured names of headers that hookbox or the connection sets itself. */
      readonly ignored: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/** Headers that a rule cannot set, because they decide where a request ends and which host it is for. */
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

/** Expands variables in the headers. A failure names the header and never its value, which may be a secret. */
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
    if (Object.hasOwn(headers, lowerCase)) return { ok: false, message: `the header ${said} is set twice` };
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

/** Expands `$NAME` and `${NAME}` once. A variable that is not listed or not set becomes empty. */
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
