import { type Address, isInBlock, parseBlock } from "./address.ts";

/**
 * Where an address leads. `public`: the internet. `loopback`: this machine. `private`: a private network, or an address
 * that is not routed. `never`: an address that no rule may send to.
 */
export type AddressKind = "public" | "loopback" | "private" | "never";

export interface AddressRange {
  readonly kind: AddressKind;
  /** The end of the sentence "10.0.0.1 is …". */
  readonly what: string;
}

const METADATA = "an address of cloud metadata";

/**
 * Blocks of IPv4 addresses. The first block with the address counts. Sources: the IANA registries of special-purpose
 * addresses, and cloud providers' documentation of their metadata addresses, which give credentials to every caller.
 */
const IPV4: readonly (readonly [block: string, kind: AddressKind, what: string])[] = [
  ["0.0.0.0/8", "never", "the unspecified address, which leads to this machine"],
  ["169.254.169.254/32", "never", METADATA],
  ["169.254.0.0/16", "never", "a link-local address, where clouds keep metadata"],
  ["168.63.129.16/32", "never", METADATA],
  ["100.100.100.200/32", "never", METADATA],
  ["192.0.0.192/32", "never", METADATA],
  ["224.0.0.0/4", "never", "a multicast address"],
  ["255.255.255.255/32", "never", "the broadcast address"],
  ["127.0.0.0/8", "loopback", "an address of this machine"],
  ["10.0.0.0/8", "private", "a private address"],
  ["172.16.0.0/12", "private", "a private address"],
  ["192.168.0.0/16", "private", "a private address"],
  ["100.64.0.0/10", "private", "an address behind a carrier's NAT"],
  ["192.0.0.0/24", "private", "an address for protocols"],
  ["192.0.2.0/24", "private", "an address for documentation"],
  ["192.88.99.0/24", "private", "an address of the former 6to4 relays"],
  ["198.18.0.0/15", "private", "an address for benchmarks"],
  ["198.51.100.0/24", "private", "an address for documentation"],
  ["203.0.113.0/24", "private", "an address for documentation"],
  ["240.0.0.0/4", "private", "a reserved address"],
  ["0.0.0.0/0", "public", "a public address"],
];

/** Blocks of IPv6 addresses, of which only the global unicast block is public. Unknown blocks count as private. */
const IPV6: readonly (readonly [block: string, kind: AddressKind, what: string])[] = [
  ["::/128", "never", "the unspecified address, which leads to this machine"],
  ["::1/128", "loopback", "an address of this machine"],
  ["fe80::/10", "never", "a link-local address"],
  ["fd00:ec2::/32", "never", METADATA],
  ["fd20:ce::/64", "never", METADATA],
  ["fd00:42::42/128", "never", METADATA],
  ["fd00:c1::a9fe:a9fe/128", "never", METADATA],
  ["ff00::/8", "never", "a multicast address"],
  ["fc00::/7", "private", "a private address"],
  ["fec0::/10", "private", "a site-local address"],
  ["100::/64", "private", "an address that discards"],
  ["2001::/23", "private", "an address for protocols"],
  ["2001:db8::/32", "private", "an address for documentation"],
  ["2002::/16", "private", "a 6to4 address"],
  ["2620:4f:8000::/48", "private", "an address of AS112"],
  ["3ffe::/16", "private", "an address of the 6bone"],
  ["3fff::/20", "private", "an address for documentation"],
  ["2000::/3", "public", "a public address"],
  ["::/0", "private", "not an address of the internet"],
];

const RANGES = [...IPV4, ...IPV6].map(([text, kind, what]) => ({ block: parseBlock(text), range: { kind, what } }));

/** Returns the range of an address, without regard to an IPv4 address that it may carry. */
export function rangeOf(address: Address): AddressRange {
  const found = RANGES.find(({ block }) => isInBlock(address, block));
  return found?.range ?? { kind: "never", what: "not an address" };
}
