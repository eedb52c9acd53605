import { isIP } from "node:net";
import type { Target } from "./target.ts";

/**
 * Hosts that a rule grants: `https://NAME`, `http://NAME:PORT`. A NAME that begins with `*.` stands for all names that
 * end so, but not for the rest alone. Without a scheme it is https, without a port the scheme's own. Every host has one
 * spelling here, so that whoever reads it and whoever compares a request with it see the same one; what a URL reader would
 * fold into another host is refused.
 */

export interface HostPattern {
  readonly protocol: "http:" | "https:";
  /** As `Target` has it. */
  readonly host: string;
  readonly port: number;
  /** Whether it stands for the names that end in `.HOST`. */
  readonly isSuffix: boolean;
}

/** Why a text stands for no host. */
export interface HostFlaw {
  readonly message: string;
  readonly hint?: string;
}

type Part<Value> = { readonly value: Value } | { readonly refused: HostFlaw };

const MAX_NAME_LENGTH = 253;
const DEFAULT_PORT = { "http:": 80, "https:": 443 } as const;

const refused = (message: string, hint?: string): { readonly refused: HostFlaw } => ({
  refused: hint === undefined ? { message } : { message, hint },
});

export function readHostPattern(text: string): Part<HostPattern> {
  const [, scheme = "https", rest = ""] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?(.*)$/s.exec(text) ?? [];
  const protocol = `${scheme.toLowerCase()}:`;
  if (protocol !== "http:" && protocol !== "https:")
    return refused(`"${scheme}" is no scheme that a guard can use`, "write https:// or http://, or nothing for https");
  if (rest === "*" || rest.startsWith("*:"))
    return refused("everybody is not a host", "name the hosts; *.example.com stands for all names that end so");
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
  if (isSuffix && isIP(host) !== 0) return refused("an address has no names below it");
  if (isSuffix && !host.includes("."))
    return refused(`"*.${host}" would be half of the world`, "at least two parts have to follow the *");
  return { value: { protocol, host, port: port.value ?? DEFAULT_PORT[protocol], isSuffix } };
}

/** The one spelling. */
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
  { pattern: /[\s\p{Cc}\p{Cf}\p{Cs}]/u, message: "a host has no blanks, and nothing that cannot be seen" },
  { pattern: /@/, message: "a user name has no place here", hint: "the guard itself sends what proves who it is" },
  { pattern: /[?#]/, message: "a query has no place here", hint: "a host is granted as a whole" },
  { pattern: /[/\\]/, message: "a path has no place here", hint: "a host is granted as a whole: leave the path out" },
  { pattern: /%/, message: "a host has no percent signs" },
  {
    pattern: /^.+\*|^\*(?!\.)/s,
    message: "a * stands in front, for all names that end so",
    hint: "such as *.example.com",
  },
];

function splitPort(text: string): Part<{ readonly host: string; readonly port: string | undefined }> {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::([^:]*))?$/s.exec(text);
  if (parts !== null) return { value: { host: parts[1] ?? "", port: parts[2] } };
  return isIP(text) === 6
    ? refused("an IPv6 address stands in brackets", `write [${text}]`)
    : refused("this is neither a name nor an address, with or without a port");
}

function portOf(text: string | undefined): Part<number | undefined> {
  if (text === undefined) return { value: undefined };
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535) return { value: Number(text) };
  return refused(`"${text}" is no port`, "a port is a number from 1 to 65535");
}

function hostOf(spelled: string): Part<string> {
  const url = parsed(`https://${spelled}`);
  if (url === undefined) return refused(`"${spelled}" is neither a name nor an address`);
  const { hostname } = url;
  // However it is written, it is the same address, and nothing else.
  if (hostname.startsWith("[")) return { value: hostname.slice(1, -1) };
  const host = hostname.replace(/\.$/, "");
  // Numbers in other bases, letters that look like others: the reader of the file would take it for something else.
  const isFolded = /^[\x20-\x7e]*$/.test(spelled)
    ? spelled.toLowerCase().replace(/\.$/, "") !== host
    : !host.split(".").some((label) => label.startsWith("xn--"));
  if (isFolded) return refused(`"${spelled}" is another spelling of ${host}`, `write ${host}`);
  if (isIP(host) === 4 || isName(host)) return { value: host };
  return refused(`"${spelled}" is neither a name nor an address`);
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isName(host: string): boolean {
  const isLabel = (label: string): boolean => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
  return host.length <= MAX_NAME_LENGTH && host.split(".").every(isLabel);
}
