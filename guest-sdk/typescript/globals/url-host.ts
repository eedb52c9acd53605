import { CONTROL, percentDecode, percentEncode } from "./percent-encoding.ts";

/** Describes what is wrong with a host, because "Invalid URL" alone would not help an author. */
export class HostError extends Error {}

const FORBIDDEN = /[\0\t\n\r #/:<>?@[\\\]^|]/;
/** Matches characters that no domain has, including `%`, control characters, and DEL. */
const FORBIDDEN_IN_DOMAIN = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;

/**
 * Parses a host as the URL standard says, and returns it as a URL shows it. Hosts of special schemes (`http`, …) are
 * domains or addresses. IPv4 is accepted in all its old forms, because clients accept them too.
 *
 * A domain that is not ASCII is refused, because converting it to ASCII takes tables that are larger than the rest of a
 * guard. A guard that decides by host then fails, and the gate stays shut.
 */
export function parseHost(text: string, isSpecial: boolean): string {
  if (text.startsWith("[")) {
    if (!text.endsWith("]")) throw new HostError("an IPv6 address without a closing bracket");
    return `[${showIpv6(parseIpv6(text.slice(1, -1)))}]`;
  }
  if (!isSpecial) {
    if (FORBIDDEN.test(text)) throw new HostError("a character that no host has");
    return percentEncode(text, CONTROL);
  }
  const domain = percentDecode(text);
  if (/[^\0-\x7f]/.test(domain)) {
    throw new HostError("a host that is not ASCII; write it in its xn-- form");
  }
  const name = domain.toLowerCase();
  if (name === "" || FORBIDDEN_IN_DOMAIN.test(name)) throw new HostError("a character that no host has");
  return endsInNumber(name) ? parseIpv4(name) : name;
}

function endsInNumber(name: string): boolean {
  const parts = name.split(".");
  if (parts.at(-1) === "" && parts.length > 1) parts.pop();
  const last = parts.at(-1) as string;
  return /^[0-9]+$/.test(last) || /^0x[0-9a-f]*$/.test(last);
}

/** Parses an IPv4 address. `127.1`, `0x7f.1`, `017700000001` and `2130706433` are one address. */
function parseIpv4(name: string): string {
  const parts = name.split(".");
  if (parts.at(-1) === "" && parts.length > 1) parts.pop();
  if (parts.length > 4) throw new HostError("an IPv4 address with more than four parts");
  const numbers = parts.map(ipv4Number);
  const last = numbers.pop() as number;
  if (numbers.some((number) => number > 255) || last >= 256 ** (4 - numbers.length)) {
    throw new HostError("an IPv4 address with a number that is too large");
  }
  const address = numbers.reduce((sum, number, index) => sum + number * 256 ** (3 - index), last);
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

function ipv4Number(part: string): number {
  if (/^0x[0-9a-f]*$/.test(part)) return part.length === 2 ? 0 : Number.parseInt(part.slice(2), 16);
  if (/^0[0-7]+$/.test(part)) return Number.parseInt(part, 8);
  if (/^(0|[1-9][0-9]*)$/.test(part)) return Number(part);
  throw new HostError("an IPv4 address with a part that is not a number");
}

function parseIpv6(text: string): number[] {
  const pieces: number[] = [];
  let compress: number | undefined;
  let at = 0;
  const fail = (): never => {
    throw new HostError("an invalid IPv6 address");
  };
  if (text.startsWith(":")) {
    if (!text.startsWith("::")) fail();
    at = 2;
    compress = 0;
  }
  while (at < text.length) {
    if (pieces.length === 8) fail();
    if (text[at] === ":") {
      if (compress !== undefined) fail();
      at += 1;
      compress = pieces.length;
      continue;
    }
    const digits = /^[0-9a-fA-F]{0,4}/.exec(text.slice(at, at + 4))?.[0] as string;
    if (text[at + digits.length] === ".") {
      if (digits === "" || pieces.length > 6) fail();
      pieces.push(...(ipv4Pieces(text.slice(at)) ?? fail()));
      at = text.length;
      break;
    }
    at += digits.length;
    if (text[at] === ":") {
      at += 1;
      if (at === text.length) fail();
    } else if (at < text.length) fail();
    pieces.push(digits === "" ? 0 : Number.parseInt(digits, 16));
  }
  if (compress === undefined) {
    if (pieces.length !== 8) fail();
    return pieces;
  }
  if (pieces.length === 8) fail();
  pieces.splice(compress, 0, ...new Array<number>(8 - pieces.length).fill(0));
  return pieces;
}

/** Parses IPv4 inside of IPv6, only in the usual form. */
function ipv4Pieces(text: string): [number, number] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)) {
    return undefined;
  }
  const [a, b, c, d] = parts.map(Number) as [number, number, number, number];
  return [a * 256 + b, c * 256 + d];
}

/** Returns an IPv6 address as text. `::` replaces the first of the longest runs of zeros. */
function showIpv6(pieces: readonly number[]): string {
  let start = -1;
  let longest = 1;
  for (let at = 0; at < 8; at++) {
    let end = at;
    while (end < 8 && pieces[end] === 0) end += 1;
    if (end - at > longest) {
      start = at;
      longest = end - at;
    }
    if (end > at) at = end;
  }
  const show = (some: readonly number[]): string => some.map((piece) => piece.toString(16)).join(":");
  return start < 0 ? show(pieces) : `${show(pieces.slice(0, start))}::${show(pieces.slice(start + longest))}`;
}
