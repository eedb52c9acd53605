/** The parts of a URL, each in the form in which it is shown. */
export interface UrlRecord {
  scheme: string;
  username: string;
  password: string;
  /** The host. `null` if there is no host, as in `mailto:`; empty in `file:///`. */
  host: string | null;
  /** The port. `null` for the scheme's default port. */
  port: number | null;
  /** The path. A string if the path is opaque, as in `mailto:`. */
  path: string[] | string;
  query: string | null;
  fragment: string | null;
}

const DEFAULT_PORTS: Readonly<Record<string, number | null>> = {
  ftp: 21,
  file: null,
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
};

export function isSpecial({ scheme }: UrlRecord): boolean {
  return Object.hasOwn(DEFAULT_PORTS, scheme);
}

export function isSpecialScheme(scheme: string): boolean {
  return Object.hasOwn(DEFAULT_PORTS, scheme);
}

export function defaultPort(scheme: string): number | null {
  return DEFAULT_PORTS[scheme] ?? null;
}

export function hasCredentials({ username, password }: UrlRecord): boolean {
  return username !== "" || password !== "";
}

export function showPath({ path }: UrlRecord): string {
  return typeof path === "string" ? path : path.map((segment) => `/${segment}`).join("");
}

export function showHost({ host, port }: UrlRecord): string {
  if (host === null) return "";
  return port === null ? host : `${host}:${port}`;
}

export function showUrl(url: UrlRecord): string {
  const { scheme, username, password, host, path, query, fragment } = url;
  let text = `${scheme}:`;
  if (host !== null) {
    text += "//";
    if (hasCredentials(url)) text += `${username}${password === "" ? "" : `:${password}`}@`;
    text += showHost(url);
  } else if (typeof path !== "string" && path.length > 1 && path[0] === "") {
    // Without this prefix, the empty segment would be read as the beginning of a host.
    text += "/.";
  }
  text += showPath(url);
  if (query !== null) text += `?${query}`;
  return fragment === null ? text : `${text}#${fragment}`;
}

/** Returns scheme, host and port, or `null` for schemes that have no origin. */
export function showOrigin(url: UrlRecord): string {
  return ["ftp", "http", "https", "ws", "wss"].includes(url.scheme) ? `${url.scheme}://${showHost(url)}` : "null";
}
