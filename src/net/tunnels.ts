import { type Address, type Block, fromGroups, isInBlock, parseBlock } from "./address.ts";

/** An IPv6 address that carries IPv4 addresses, to which packets may be delivered. */
interface Tunnel {
  readonly what: string;
  /**
   * `same`: this system sends to the IPv4 address. `gateway`: a translator in the network sends to it, so a loopback
   * address means the translator. `carrier`: the IPv6 address also leads to a destination of its own.
   */
  readonly way: "same" | "gateway" | "carrier";
  readonly inner: readonly Address[];
}

type Groups = readonly [number, number, number, number, number, number, number, number];

const last = (groups: Groups): Address => fromGroups(groups[6], groups[7]);

const FORMS: readonly {
  readonly block: Block;
  readonly what: string;
  readonly way: Tunnel["way"];
  readonly inner: (groups: Groups) => readonly Address[];
}[] = [
  { block: parseBlock("::ffff:0:0/96"), what: "an IPv4-mapped address", way: "same", inner: (g) => [last(g)] },
  { block: parseBlock("64:ff9b::/96"), what: "a NAT64 address", way: "gateway", inner: (g) => [last(g)] },
  {
    // RFC 6052 allows several prefix lengths; the following two are in use.
    block: parseBlock("64:ff9b:1::/48"),
    what: "a local NAT64 address",
    way: "carrier",
    inner: (g) => [last(g), fromGroups(g[3], ((g[4] & 0xff) << 8) | (g[5] >>> 8))],
  },
  { block: parseBlock("::ffff:0:0:0/96"), what: "an IPv4-translated address", way: "carrier", inner: (g) => [last(g)] },
  { block: parseBlock("::/96"), what: "an IPv4-compatible address", way: "carrier", inner: (g) => [last(g)] },
  { block: parseBlock("2002::/16"), what: "a 6to4 address", way: "carrier", inner: (g) => [fromGroups(g[1], g[2])] },
  {
    // The server's address is stored unchanged, the client's address with all bits inverted.
    block: parseBlock("2001::/32"),
    what: "a Teredo address",
    way: "carrier",
    inner: (g) => [fromGroups(g[2], g[3]), fromGroups(g[6] ^ 0xffff, g[7] ^ 0xffff)],
  },
];

/** Returns the tunnel of an address, or `undefined`. Callers handle `::` and `::1` first. */
export function tunnelOf(address: Address): Tunnel | undefined {
  if (address.version === 4) return undefined;
  const groups = address.parts as unknown as Groups;
  const form = FORMS.find(({ block }) => isInBlock(address, block));
  if (form !== undefined) return { what: form.what, way: form.way, inner: form.inner(groups) };
  // ISATAP marks the interface part in any network. The masked bit says that the address is globally unique.
  const isIsatap = (groups[4] & ~0x0200) === 0 && groups[5] === 0x5efe;
  return isIsatap ? { what: "an ISATAP address", way: "carrier", inner: [last(groups)] } : undefined;
}
