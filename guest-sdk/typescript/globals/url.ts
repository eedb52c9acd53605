import { percentEncode, USERINFO } from "./percent-encoding.ts";
import { HostError } from "./url-host.ts";
import { changePart, NotUrl, parseUrl, toScalars } from "./url-parser.ts";
import { showHost, showOrigin, showPath, showUrl, type UrlRecord } from "./url-record.ts";
import { URLSearchParams } from "./url-search-params.ts";

/**
 * A URL, parsed as the URL standard says, so that a guard sees the host that a client will connect to. Hosts that are
 * not ASCII are refused, because their tables are too large. Hosts in `xn--` form are accepted unchanged.
 */
export class URL {
  #url: UrlRecord;
  #params: URLSearchParams | undefined;

  /** @throws TypeError for an invalid URL */
  constructor(url: string | URL, base?: string | URL) {
    this.#url = parseWithBase(String(url), base === undefined ? undefined : String(base));
  }

  static canParse(url: string | URL, base?: string | URL): boolean {
    return URL.parse(url, base) !== null;
  }

  static parse(url: string | URL, base?: string | URL): URL | null {
    try {
      return new URL(url, base);
    } catch (error) {
      if (error instanceof InvalidUrl) return null;
      throw error;
    }
  }

  get href(): string {
    return showUrl(this.#url);
  }

  set href(value: string) {
    this.#url = parseWithBase(String(value), undefined);
    this.#refresh();
  }

  get origin(): string {
    if (this.#url.scheme !== "blob") return showOrigin(this.#url);
    const inner = URL.parse(showPath(this.#url));
    return inner?.protocol === "http:" || inner?.protocol === "https:" ? inner.origin : "null";
  }

  get protocol(): string {
    return `${this.#url.scheme}:`;
  }

  set protocol(value: string) {
    changePart(this.#url, `${String(value)}:`, "scheme start");
  }

  get username(): string {
    return this.#url.username;
  }

  set username(value: string) {
    if (this.#hasAuthority()) this.#url.username = percentEncode(toScalars(String(value)), USERINFO);
  }

  get password(): string {
    return this.#url.password;
  }

  set password(value: string) {
    if (this.#hasAuthority()) this.#url.password = percentEncode(toScalars(String(value)), USERINFO);
  }

  get host(): string {
    return showHost(this.#url);
  }

  set host(value: string) {
    if (typeof this.#url.path !== "string") changePart(this.#url, String(value), "host");
  }

  get hostname(): string {
    return this.#url.host ?? "";
  }

  set hostname(value: string) {
    if (typeof this.#url.path !== "string") changePart(this.#url, String(value), "hostname");
  }

  get port(): string {
    return this.#url.port === null ? "" : String(this.#url.port);
  }

  set port(value: string) {
    if (!this.#hasAuthority()) return;
    if (String(value) === "") this.#url.port = null;
    else changePart(this.#url, String(value), "port");
  }

  get pathname(): string {
    return showPath(this.#url);
  }

  set pathname(value: string) {
    if (typeof this.#url.path === "string") return;
    this.#url.path = [];
    changePart(this.#url, String(value), "path start");
  }

  get search(): string {
    return this.#url.query === null || this.#url.query === "" ? "" : `?${this.#url.query}`;
  }

  set search(value: string) {
    const text = String(value).replace(/^\?/, "");
    if (String(value) === "") this.#url.query = null;
    else {
      this.#url.query = "";
      changePart(this.#url, text, "query");
    }
    this.#refresh();
  }

  get searchParams(): URLSearchParams {
    this.#params ??= URLSearchParams.of(this.#url.query ?? "", (query) => {
      this.#url.query = query === "" ? null : query;
    });
    return this.#params;
  }

  get hash(): string {
    return this.#url.fragment === null || this.#url.fragment === "" ? "" : `#${this.#url.fragment}`;
  }

  set hash(value: string) {
    const text = String(value).replace(/^#/, "");
    if (String(value) === "") this.#url.fragment = null;
    else {
      this.#url.fragment = "";
      changePart(this.#url, text, "fragment");
    }
  }

  toString(): string {
    return this.href;
  }

  toJSON(): string {
    return this.href;
  }

  #hasAuthority(): boolean {
    const { host, scheme } = this.#url;
    return host !== null && host !== "" && scheme !== "file";
  }

  #refresh(): void {
    if (this.#params !== undefined) URLSearchParams.refresh(this.#params, this.#url.query ?? "");
  }
}

class InvalidUrl extends TypeError {}
InvalidUrl.prototype.name = "TypeError";

function parseWithBase(text: string, base: string | undefined): UrlRecord {
  try {
    return parseUrl(text, base === undefined ? undefined : parseUrl(base, undefined));
  } catch (error) {
    if (error instanceof HostError) throw new InvalidUrl(`Invalid URL: it has ${error.message}`);
    if (error instanceof NotUrl) throw new InvalidUrl("Invalid URL");
    throw error;
  }
}
