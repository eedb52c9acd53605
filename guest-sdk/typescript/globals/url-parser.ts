import { CONTROL, FRAGMENT, PATH, percentEncode, QUERY, SPECIAL_QUERY, USERINFO } from "./percent-encoding.ts";
import { HostError, parseHost } from "./url-host.ts";
import { defaultPort, hasCredentials, isSpecial, isSpecialScheme, type UrlRecord } from "./url-record.ts";

/**
 * The state machine of the URL standard, state by state. Guards decide by its result, and a simpler parser would
 * disagree in some case with the client that fetches the URL.
 */
export type State =
  | "scheme start"
  | "scheme"
  | "no scheme"
  | "special relative or authority"
  | "path or authority"
  | "relative"
  | "relative slash"
  | "special authority slashes"
  | "special authority ignore slashes"
  | "authority"
  | "host"
  | "hostname"
  | "port"
  | "file"
  | "file slash"
  | "file host"
  | "path start"
  | "path"
  | "opaque path"
  | "query"
  | "fragment";

/** Thrown for a text that is not a URL. */
export class NotUrl extends Error {}

/** @throws NotUrl, or HostError for an invalid host */
export function parseUrl(text: string, base: UrlRecord | undefined): UrlRecord {
  const url: UrlRecord = {
    scheme: "",
    username: "",
    password: "",
    host: null,
    port: null,
    path: [],
    query: null,
    fragment: null,
  };
  run(toScalars(text).replace(/^[\0-\x20]+|[\0-\x20]+$/g, ""), base, url, undefined);
  return url;
}

/** Changes one part, like the setters of `URL`. If a part of the text is invalid, the text before it is used. */
export function changePart(url: UrlRecord, text: string, state: State): void {
  try {
    run(toScalars(text), undefined, url, state);
  } catch (error) {
    if (!(error instanceof HostError || error instanceof NotUrl)) throw error;
  }
}

/** Replaces lone surrogates, because they cannot be encoded. */
export function toScalars(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, "\ufffd");
}

function run(text: string, base: UrlRecord | undefined, url: UrlRecord, override: State | undefined): void {
  const input = [...text.replace(/[\t\n\r]/g, "")];
  let state: State = override ?? "scheme start";
  let buffer = "";
  let buffered = 0;
  let seenAt = false;
  let seenPassword = false;
  let inBrackets = false;
  const clear = (): void => {
    buffer = "";
    buffered = 0;
  };
  const hold = (char: string): void => {
    buffer += char;
    buffered += 1;
  };

  for (let at = 0; at <= input.length; at++) {
    // The character is empty at the end of the input.
    const char = input[at] ?? "";
    const isEnd = at >= input.length;
    const next = input[at + 1];
    const slash = char === "/" || (char === "\\" && isSpecial(url));
    const endsAuthority = isEnd || slash || char === "?" || char === "#";

    switch (state) {
      case "scheme start":
        if (/[A-Za-z]/.test(char)) {
          hold(char.toLowerCase());
          state = "scheme";
        } else {
          if (override !== undefined) throw new NotUrl();
          state = "no scheme";
          at -= 1;
        }
        break;

      case "scheme":
        if (/[A-Za-z0-9+\-.]/.test(char)) hold(char.toLowerCase());
        else if (char === ":") {
          if (override !== undefined) {
            if (isSpecial(url) !== isSpecialScheme(buffer)) return;
            if (buffer === "file" && (hasCredentials(url) || url.port !== null)) return;
            if (url.scheme === "file" && url.host === "") return;
            url.scheme = buffer;
            if (url.port === defaultPort(buffer)) url.port = null;
            return;
          }
          url.scheme = buffer;
          clear();
          if (url.scheme === "file") state = "file";
          else if (isSpecial(url)) {
            state = base?.scheme === url.scheme ? "special relative or authority" : "special authority slashes";
          } else if (next === "/") {
            state = "path or authority";
            at += 1;
          } else {
            url.path = "";
            state = "opaque path";
          }
        } else {
          if (override !== undefined) throw new NotUrl();
          clear();
          state = "no scheme";
          at = -1;
        }
        break;

      case "no scheme":
        if (base === undefined || (typeof base.path === "string" && char !== "#")) throw new NotUrl();
        if (typeof base.path === "string") {
          url.scheme = base.scheme;
          url.path = base.path;
          url.query = base.query;
          url.fragment = "";
          state = "fragment";
        } else {
          state = base.scheme === "file" ? "file" : "relative";
          at -= 1;
        }
        break;

      case "special relative or authority":
        if (char === "/" && next === "/") {
          state = "special authority ignore slashes";
          at += 1;
        } else {
          state = "relative";
          at -= 1;
        }
        break;

      case "path or authority":
        if (char === "/") state = "authority";
        else {
          state = "path";
          at -= 1;
        }
        break;

      case "relative": {
        const from = base as UrlRecord;
        url.scheme = from.scheme;
        if (char === "/" || (char === "\\" && isSpecial(url))) {
          state = "relative slash";
          break;
        }
        copyAuthority(from, url);
        url.path = [...from.path];
        url.query = from.query;
        if (char === "?") {
          url.query = "";
          state = "query";
        } else if (char === "#") {
          url.fragment = "";
          state = "fragment";
        } else if (!isEnd) {
          url.query = null;
          shorten(url);
          state = "path";
          at -= 1;
        }
        break;
      }

      case "relative slash":
        if (isSpecial(url) && slash) state = "special authority ignore slashes";
        else if (char === "/") state = "authority";
        else {
          copyAuthority(base as UrlRecord, url);
          state = "path";
          at -= 1;
        }
        break;

      case "special authority slashes":
        state = "special authority ignore slashes";
        if (char === "/" && next === "/") at += 1;
        else at -= 1;
        break;

      case "special authority ignore slashes":
        if (char !== "/" && char !== "\\") {
          state = "authority";
          at -= 1;
        }
        break;

      case "authority":
        if (char === "@") {
          // Only the last `@` ends the user's name and password.
          for (const one of seenAt ? `%40${buffer}` : buffer) {
            if (one === ":" && !seenPassword) seenPassword = true;
            else if (seenPassword) url.password += percentEncode(one, USERINFO);
            else url.username += percentEncode(one, USERINFO);
          }
          seenAt = true;
          clear();
        } else if (endsAuthority) {
          if (seenAt && buffer === "") throw new NotUrl();
          at -= buffered + 1;
          clear();
          state = "host";
        } else hold(char);
        break;

      case "host":
      case "hostname":
        if (override !== undefined && url.scheme === "file") {
          at -= 1;
          state = "file host";
        } else if (char === ":" && !inBrackets) {
          if (buffer === "" || override === "hostname") throw new NotUrl();
          url.host = parseHost(buffer, isSpecial(url));
          clear();
          state = "port";
        } else if (endsAuthority) {
          at -= 1;
          if (isSpecial(url) && buffer === "") throw new NotUrl();
          if (override !== undefined && buffer === "" && (hasCredentials(url) || url.port !== null)) throw new NotUrl();
          url.host = buffer === "" ? "" : parseHost(buffer, isSpecial(url));
          clear();
          state = "path start";
          if (override !== undefined) return;
        } else {
          if (char === "[") inBrackets = true;
          if (char === "]") inBrackets = false;
          hold(char);
        }
        break;

      case "port":
        if (/[0-9]/.test(char)) hold(char);
        else if (endsAuthority || override !== undefined) {
          if (buffer !== "") {
            const port = Number(buffer);
            if (port > 65_535) throw new NotUrl();
            url.port = port === defaultPort(url.scheme) ? null : port;
            clear();
            if (override !== undefined) return;
          }
          if (override !== undefined) throw new NotUrl();
          state = "path start";
          at -= 1;
        } else throw new NotUrl();
        break;

      case "file":
        url.scheme = "file";
        url.host = "";
        if (char === "/" || char === "\\") state = "file slash";
        else if (base?.scheme === "file") {
          url.host = base.host;
          url.path = [...base.path];
          url.query = base.query;
          if (char === "?") {
            url.query = "";
            state = "query";
          } else if (char === "#") {
            url.fragment = "";
            state = "fragment";
          } else if (!isEnd) {
            url.query = null;
            if (startsWithDrive(input, at)) url.path = [];
            else shorten(url);
            state = "path";
            at -= 1;
          }
        } else {
          state = "path";
          at -= 1;
        }
        break;

      case "file slash":
        if (char === "/" || char === "\\") state = "file host";
        else {
          if (base?.scheme === "file") {
            url.host = base.host;
            const [drive] = base.path;
            if (!startsWithDrive(input, at) && drive !== undefined && /^[A-Za-z]:$/.test(drive))
              pathOf(url).push(drive);
          }
          state = "path";
          at -= 1;
        }
        break;

      case "file host":
        if (isEnd || char === "/" || char === "\\" || char === "?" || char === "#") {
          at -= 1;
          // A drive letter is the beginning of a path.
          if (override === undefined && /^[A-Za-z][:|]$/.test(buffer)) state = "path";
          else if (buffer === "") {
            url.host = "";
            if (override !== undefined) return;
            state = "path start";
          } else {
            const host = parseHost(buffer, true);
            url.host = host === "localhost" ? "" : host;
            if (override !== undefined) return;
            clear();
            state = "path start";
          }
        } else hold(char);
        break;

      case "path start":
        if (isSpecial(url)) {
          state = "path";
          if (!slash) at -= 1;
        } else if (override === undefined && char === "?") {
          url.query = "";
          state = "query";
        } else if (override === undefined && char === "#") {
          url.fragment = "";
          state = "fragment";
        } else if (!isEnd) {
          state = "path";
          if (char !== "/") at -= 1;
        } else if (override !== undefined && url.host === null) pathOf(url).push("");
        break;

      case "path":
        if (isEnd || slash || (override === undefined && (char === "?" || char === "#"))) {
          endSegment(url, buffer, slash);
          clear();
          if (char === "?" && !slash) {
            url.query = "";
            state = "query";
          } else if (char === "#") {
            url.fragment = "";
            state = "fragment";
          }
        } else hold(percentEncode(char, PATH));
        break;

      case "opaque path":
        if (char === "?") {
          url.query = "";
          state = "query";
        } else if (char === "#") {
          url.fragment = "";
          state = "fragment";
        } else url.path = `${url.path}${percentEncode(char, CONTROL)}`;
        break;

      case "query":
        if (isEnd || (override === undefined && char === "#")) {
          url.query = `${url.query}${percentEncode(buffer, isSpecial(url) ? SPECIAL_QUERY : QUERY)}`;
          clear();
          if (char === "#") {
            url.fragment = "";
            state = "fragment";
          }
        } else hold(char);
        break;

      case "fragment":
        url.fragment = `${url.fragment}${percentEncode(char, FRAGMENT)}`;
        break;
    }
  }
}

function endSegment(url: UrlRecord, segment: string, slash: boolean): void {
  const path = pathOf(url);
  const dots = segment.replace(/%2e/gi, ".");
  if (dots === "..") {
    shorten(url);
    if (!slash) path.push("");
  } else if (dots === ".") {
    if (!slash) path.push("");
  } else if (url.scheme === "file" && path.length === 0 && /^[A-Za-z][:|]$/.test(segment)) path.push(`${segment[0]}:`);
  else path.push(segment);
}

/** Removes the last segment of the path, except a drive letter. */
function shorten(url: UrlRecord): void {
  const path = pathOf(url);
  if (url.scheme === "file" && path.length === 1 && /^[A-Za-z]:$/.test(path[0] as string)) return;
  path.pop();
}

function pathOf({ path }: UrlRecord): string[] {
  return path as string[];
}

function copyAuthority(from: UrlRecord, to: UrlRecord): void {
  to.username = from.username;
  to.password = from.password;
  to.host = from.host;
  to.port = from.port;
}

function startsWithDrive(input: readonly string[], at: number): boolean {
  const [letter = "", colon = "", after] = input.slice(at, at + 3);
  return /^[A-Za-z][:|]$/.test(letter + colon) && (after === undefined || /[/\\?#]/.test(after));
}
