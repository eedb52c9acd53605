import { isIP } from "node:net";
import type { Target } from "./target.ts";

/**
 * Hosts that a rule grants: `https://NAME`, `http://NAME:PORT`. A NAME that begins with `*.` matches all names below
 * the rest, and not the rest itself. The default scheme is https, and the default port is the scheme's. Each host has
 * one form. Text that a URL parser would turn into another host is refused, so that the reader of a file and the
 * comparison with a request see the same host.
 */

export interface HostPattern {
  readonly protocol: "http:" | "https:";
  /** The host in the form of `Target.host`. */
  readonly host: string;
  readonly port: number;
  /** Whether the pattern matches the names that end in `.HOST`. */
  readonly isSuffix: boolean;
}

/** The reason why a text is not a host. */
interface HostProblem {
  readonly message: string;
  readonly hint?: string;
}

type Part<Value> = { readonly value: Value } | { readonly refused: HostProblem };

const MAX_NAME_LENGTH = 253;
const DEFAULT_PORT = { "http:": 80, "https:": 443 } as const;

const refused = (message: string, hint?: string): { readonly refused: HostProblem } => ({
  refused: hint === undefined ? { message } : { message, hint },
});

export function readHostPattern(text: string): Part<HostPattern> {
  const [, scheme = "https", rest = ""] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?(.*)$/s.exec(text) ?? [];
  const protocol = `${scheme.toLowerCase()}:`;
  if (protocol !== "http:" && protocol !== "https:")
    return refused(`a guard cannot use the scheme "${scheme}"`, "write https:// or http://; the default is https://");
  if (rest === "*" || rest.startsWith("*:"))
    return refused('"*" is not allowed as a host', "list the hosts; *.example.com matches all names below example.com");
  const foreign = FOREIGN.find(({ pattern }) => pattern.test(rest));
  if (foreign !== undefined) return refused(foreign.message, foreign.hint);

  const isSuffix = rest.startsWith("*.");
  const authority = splitPort(isSuffix ? rest.slice(2) : rest);
  if ("refused" in authority) return authority;
  const port = portOf(authority.value.port);
  if ("refused" in port) return port;
  const read = hostOf(authority.value.host);
  if ("refused" in read) return read;
  const host = read.value;
  if (isSuffix && isIP(host) !== 0) return refused("an IP address has no names below it, so *. cannot precede it");
  if (isSuffix && !host.includes("."))
    return refused(
      `"*.${host}" matches a whole top-level domain`,
      "at least two parts must follow *., such as *.example.com",
    );
  return { value: { protocol, host, port: port.value ?? DEFAULT_PORT[protocol], isSuffix } };
}

/** Returns a host in the form that is shown and compared. */
export function spelledHost({ protocol, host, port, isSuffix }: HostPattern): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return `${protocol}//${isSuffix ? "*." : ""}${name}${port === DEFAULT_PORT[protocol] ? "" : `:${port}`}`;
}

export function fitsHostPattern({ url, host, port }: Target, pattern: HostPattern): boolean {
  if (url.protocol !== pattern.protocol || port !== pattern.port) return false;
  return pattern.isSuffix ? isIP(host) === 0 && host.endsWith(`.${pattern.host}`) : host === pattern.host;
}

const FOREIGN: readonly { readonly pattern: RegExp; readonly message: string; readonly hint?: string }[] = [
  { pattern: /^$/, message: "a host is missing" },
  { pattern: /[\s\p{Cc}\p{Cf}\p{Cs}]/u, message: "a host cannot contain blanks or invisible characters" },
  {
    pattern: /@/,
    message: "a host cannot contain a user name",
    hint: "the guard sends its own credentials in a header",
  },
  {
    pattern: /[?#]/,
    message: "a host cannot contain a query",
    hint: "a grant covers the whole host: remove the query",
  },
  { pattern: /[/\\]/, message: "a host cannot contain a path", hint: "a grant covers the whole host: remove the path" },
  { pattern: /%/, message: "a host cannot contain a percent sign" },
  {
    pattern: /^.+\*|^\*(?!\.)/s,
    message: "* is allowed only as the first part of a name",
    hint: "for example *.example.com",
  },
];

function splitPort(text: string): Part<{ readonly host: string; readonly port: string | undefined }> {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::([^:]*))?$/s.exec(text);
  if (parts !== null) return { value: { host: parts[1] ?? "", port: parts[2] } };
  return isIP(text) === 6
    ? refused("an IPv6 address must be in brackets", `write [${text}]`)
    : refused("not a host name or address, with or without a port");
}

function portOf(text: string | undefined): Part<number | undefined> {
  if (text === undefined) return { value: undefined };
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535) return { value: Number(text) };
  return refused(`"${text}" is not a port`, "a port is a number from 1 to 65535");
}

function hostOf(spelled: string): Part<string> {
  const url = parsed(`https://${spelled}`);
  if (url === undefined) return refused(`"${spelled}" is not a host name or address`);
  const { hostname } = url;
  // An IPv6 address has no misleading forms, so every form is accepted.
  if (hostname.startsWith("[")) return { value: hostname.slice(1, -1) };
  const host = hostname.replace(/\.$/, "");
  // Numbers in other bases and letters that look like other letters would mislead the reader of the file.
  const isFolded = /^[\x20-\x7e]*$/.test(spelled)
    ? spelled.toLowerCase().replace(/\.$/, "") !== host
    : !host.split(".").some((label) => label.startsWith("xn--"));
  if (isFolded) return refused(`"${spelled}" is another form of ${host}`, `write ${host}`);
  if (isIP(host) === 4 || isName(host)) return { value: host };
  return refused(`"${spelled}" is not a host name or address`);
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isName(host: string): boolean {
  const isLabel = (label: string): boolean => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
  return host.length <= MAX_NAME_LENGTH && host.split(".").every(isLabel);
}
