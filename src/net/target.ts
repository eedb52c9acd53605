import { isIP } from "node:net";
import type { Network } from "../grants.ts";
import { refusalOf } from "./allowed-addresses.ts";
import { fitsUrlLists } from "./url-patterns.ts";

/** The destination of a request, after all checks that need no name server. */
export interface Target {
  readonly url: URL;
  /** The host in the form that `node:http` takes: without brackets and without a dot at the end. */
  readonly host: string;
  readonly port: number;
}

export type TargetCheck =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly message: string };

export interface TargetLimits {
  readonly network: Network;
  /** Lists of URL patterns. The URL must match a pattern of each list. Default: any URL. */
  readonly allowedUrls?: readonly (readonly string[])[] | undefined;
}

const MAX_URL_LENGTH = 4_096;
const MAX_HOST_LENGTH = 253;
const DEFAULT_PORT: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * Parses and checks a URL. Callers use only the parsed URL, because the URL standard turns many forms of an address
 * into one, and parsers disagree about the text.
 */
export function checkTarget(text: string, limits: TargetLimits, base?: URL): TargetCheck {
  if (text.length > MAX_URL_LENGTH)
    return refused(`the URL is ${text.length} characters long, over the limit of ${MAX_URL_LENGTH}`);
  // The URL standard removes some of these characters silently.
  if (/[\u0000-\u0020\u007f]/.test(text)) return refused("the URL contains blanks or control characters");
  const url = parseUrl(text, base);
  if (url === undefined) return refused("this is not a valid URL");
  const defaultPort = DEFAULT_PORT[url.protocol];
  if (defaultPort === undefined) return refused(`the URL must begin with http: or https:, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "") return refused("the URL contains a user name or a password");
  if (url.port === "0") return refused("the URL names port 0");
  const { hostname } = url;
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.replace(/\.$/, "");
  if (host === "" || host.endsWith(".") || host.startsWith(".") || host.includes("..") || host.length > MAX_HOST_LENGTH)
    return refused("the URL's host is not a valid name");
  // Node does not look up addresses, so the checked lookup would never see them.
  const refusal = isIP(host) === 0 ? refusalOfName(host, limits.network) : refusalOf(host, limits.network);
  if (refusal !== undefined) return refused(refusal);
  if (!fitsUrlLists(url, limits.allowedUrls))
    return refused(`allowedHttpHookUrls does not list ${url.origin}${url.pathname}`);
  return { ok: true, target: { url, host, port: url.port === "" ? defaultPort : Number(url.port) } };
}

/** Returns why a rule may not send to a name. `localhost` always resolves to this machine (RFC 6761). */
function refusalOfName(host: string, network: TargetLimits["network"]): string | undefined {
  if (host !== "localhost") return undefined;
  const refusal = refusalOf("127.0.0.1", network);
  return refusal === undefined ? undefined : `localhost leads to 127.0.0.1: ${refusal}`;
}

function parseUrl(text: string, base: URL | undefined): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function refused(message: string): TargetCheck {
  return { ok: false, message };
}
