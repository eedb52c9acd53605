/** An IP address as numbers: four of 8 bits, or eight of 16. */
export interface Address {
  readonly version: 4 | 6;
  readonly parts: readonly number[];
}

/**
 * Parses an address in the form that `node:dns` and `URL` return. Returns `undefined` for other text, and for an
 * address with a zone, because a zone names an interface of this machine.
 */
export function parseAddress(text: string): Address | undefined {
  if (IPV4.test(text)) return { version: 4, parts: text.split(".").map(Number) };
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]/`)) return undefined;
  // The URL standard gives each address one form: hexadecimal groups, and "::" at most once.
  const spelled = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [head = "", tail] = spelled.split("::");
  const before = groupsOf(head);
  const behind = groupsOf(tail ?? "");
  const missing = 8 - before.length - behind.length;
  return { version: 6, parts: [...before, ...Array<number>(missing).fill(0), ...behind] };
}

/** Matches an IPv4 address in its usual form. Guards use this file too, and have no `node:net`. */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** Builds an IPv4 address from two 16-bit groups. */
export function fromGroups(high: number, low: number): Address {
  return { version: 4, parts: [high >>> 8, high & 0xff, low >>> 8, low & 0xff] };
}

/** A block of addresses, such as `10.0.0.0/8`. */
export interface Block {
  readonly base: Address;
  readonly bits: number;
}

export function parseBlock(text: string): Block {
  const [address = "", bits] = text.split("/");
  const base = parseAddress(address);
  if (base === undefined) throw new RangeError(`${text} is not a block of addresses`);
  return { base, bits: Number(bits) };
}

export function isInBlock({ version, parts }: Address, { base, bits }: Block): boolean {
  if (version !== base.version) return false;
  const width = version === 4 ? 8 : 16;
  return parts.every((part, index) => {
    const counted = Math.min(width, Math.max(0, bits - index * width));
    return part >>> (width - counted) === (base.parts[index] as number) >>> (width - counted);
  });
}
