import { isIP } from "node:net";
import type { Refused } from "./flaws.ts";

/**
 * One entry of `hosts`, as `scheme://name:port`. Every host has one spelling here, so that whoever reads the file and
 * whoever compares a request with it see the same one. What a URL reader would fold into another host is refused.
 */

const MAX_NAME_LENGTH = 253;
const DEFAULT_PORT: Readonly<Record<string, string>> = { https: "443", http: "80" };

type Part<Value> = { readonly value: Value } | { readonly refused: Refused };

const refused = (message: string, hint?: string): { readonly refused: Refused } => ({
  refused: hint === undefined ? { message } : { message, hint },
});

/** The entry as grants have it, or why it grants nothing. */
export function readHostEntry(text: string): Part<string> {
  const [, scheme = "https", rest = ""] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?(.*)$/s.exec(text) ?? [];
  const protocol = scheme.toLowerCase();
  const usualPort = DEFAULT_PORT[protocol];
  if (usualPort === undefined)
    return refused(`"${scheme}" is no scheme that a guard can use`, "write https:// or http://, or nothing for https");
  if (rest === "*" || rest.startsWith("*:"))
    return refused("everybody is not a host", "name the hosts; *.example.com stands for all names that end so");
  const foreign = FOREIGN.find(({ pattern }) => pattern.test(rest));
  if (foreign !== undefined) return refused(foreign.message, foreign.hint);

  const isWild = rest.startsWith("*.");
  const authority = splitPort(isWild ? rest.slice(2) : rest);
  if ("refused" in authority) return authority;
  const port = portOf(authority.value.port);
  if ("refused" in port) return port;
  const host = hostOf(authority.value.host);
  if ("refused" in host) return host;
  if (isWild) {
    if (isIP(host.value) !== 0 || host.value.startsWith("[")) return refused("an address has no names below it");
    if (!host.value.includes("."))
      return refused(`"*.${host.value}" would be half of the world`, "at least two parts have to follow the *");
  }
  const ending = port.value === undefined || port.value === usualPort ? "" : `:${port.value}`;
  return { value: `${protocol}://${isWild ? "*." : ""}${host.value}${ending}` };
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

function portOf(text: string | undefined): Part<string | undefined> {
  if (text === undefined) return { value: undefined };
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535) return { value: text };
  return refused(`"${text}" is no port`, "a port is a number from 1 to 65535");
}

function hostOf(spelled: string): Part<string> {
  const url = parsed(`https://${spelled}`);
  if (url === undefined) return refused(`"${spelled}" is neither a name nor an address`);
  const { hostname } = url;
  // However it is written, it is the same address, and nothing else.
  if (hostname.startsWith("[")) return { value: hostname };
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
