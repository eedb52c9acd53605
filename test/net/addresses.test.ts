import { describe, expect, test } from "vitest";
import { parseAddress } from "../../src/net/address.ts";
import { judgeAddress, networkAfter, refusalOf } from "../../src/net/allowed-addresses.ts";
import fc from "../helpers/fc.ts";
import {
  type Kind,
  kindOfV4,
  kindOfV6,
  MAY,
  V4_RANGES,
  V6_RANGES,
  v4Number,
  v4Text,
  v6Number,
  v6Text,
} from "./second-classifier.ts";

const NETWORKS = ["public", "loopback", "private"] as const;

function kindOf(text: string): Kind {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${text} is not an address`);
  return judgeAddress(address).kind;
}

describe("an address", () => {
  test.each<[Kind, string, readonly string[]]>([
    ["public", "of the internet", ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "2001:4860:4860::8888"]],
    ["never", "that is unspecified", ["0.0.0.0", "0.0.0.1", "0.255.255.255", "::"]],
    ["loopback", "of this machine", ["127.0.0.1", "127.0.0.0", "127.1.2.3", "127.255.255.255", "::1"]],
    ["private", "of RFC 1918", ["10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1"]],
    ["private", "behind a carrier's NAT", ["100.64.0.0", "100.127.255.255"]],
    ["never", "of a link", ["169.254.0.1", "169.254.169.254", "169.254.170.2", "fe80::1", "febf::1"]],
    ["never", "of metadata", ["168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"]],
    ["never", "of metadata on IPv6 elsewhere", ["fd00:42::42", "fd00:c1::a9fe:a9fe", "fd00:ec2::253"]],
    ["private", "for protocols", ["192.0.0.1", "192.88.99.1", "2001:20::1", "2001:1::1"]],
    ["private", "for documentation", ["192.0.2.1", "198.51.100.9", "203.0.113.7", "2001:db8::1", "3fff::1"]],
    ["private", "for benchmarks", ["198.18.0.1", "198.19.255.255", "2001:2::1"]],
    ["never", "of many receivers", ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"]],
    ["private", "that is reserved", ["240.0.0.1", "255.255.255.254"]],
    ["never", "of everybody", ["255.255.255.255"]],
    ["private", "of IPv6 that is local", ["fc00::1", "fdff::1", "fec0::1", "feff::1"]],
    ["private", "of IPv6 that nobody has", ["100::1", "100:0:0:1::1", "4000::1", "5f00::1", "8000::1", "1::1"]],
    ["public", "that is mapped, as the one inside", ["::ffff:8.8.8.8"]],
    ["loopback", "that is mapped, as the one inside,", ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:127.9.9.9"]],
    ["private", "that is mapped, as the one inside;", ["::ffff:10.0.0.1", "::ffff:c0a8:101"]],
    ["never", "that is mapped, as the one inside:", ["::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::ffff:0.0.0.0"]],
    ["public", "of NAT64 that leads to the internet", ["64:ff9b::8.8.8.8"]],
    ["private", "of NAT64 that leads inside", ["64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1"]],
    ["never", "of NAT64 that leads to metadata", ["64:ff9b::a9fe:a9fe", "64:ff9b:1::169.254.169.254"]],
    ["never", "of a local NAT64, at its other place for it,", ["64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1::8.8.8.8"]],
    [
      "private",
      "that is compatible or translated",
      ["::127.0.0.1", "::8.8.8.8", "::ffff:0:10.0.0.1", "::ffff:0:8.8.8.8"],
    ],
    ["never", "that is compatible or translated", ["::169.254.169.254", "::ffff:0:169.254.169.254"]],
    ["private", "of 6to4", ["2002:808:808::1", "2002:7f00:1::1", "2002:a00:1::1"]],
    ["never", "of 6to4 that leads to metadata", ["2002:a9fe:a9fe::1", "2002::1"]],
    ["private", "of Teredo", ["2001:0:808:808::f7f7:f7f7", "2001:0:a00:1::f7f7:f7f7", "2001:0:808:808::f5ff:fffe"]],
    ["never", "of Teredo, by its server", ["2001:0:a9fe:a9fe::f7f7:f7f7"]],
    ["never", "of Teredo, by its client", ["2001:0:808:808::5601:5601"]],
    ["public", "of ISATAP that leads to the internet", ["2606::5efe:8.8.8.8", "2606::200:5efe:8.8.8.8"]],
    ["private", "of ISATAP that leads inside", ["2606::5efe:10.0.0.1", "2606::200:5efe:127.0.0.1"]],
    ["never", "of ISATAP that leads to metadata", ["2606::5efe:169.254.169.254", "fe80::5efe:8.8.8.8"]],
  ])("is %s %s", (kind, _, addresses) => {
    expect(addresses.map((text) => [text, kindOf(text)])).toEqual(addresses.map((text) => [text, kind]));
  });

  test.each([
    "fe80::1%eth0",
    "::1%lo",
    "2606:4700::1111%1",
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "1.2.3.4.5",
    "::g",
    "[::1]",
  ])("is invalid if it is %j, and is refused by every network", (text) => {
    expect(parseAddress(text)).toBeUndefined();
    for (const network of NETWORKS) expect(refusalOf(text, network)).toContain("not an IP address");
  });

  test("is refused with its kind and the networks of the rule", () => {
    expect(refusalOf("127.0.0.1", "public")).toBe(
      "127.0.0.1 is an address of this machine, and this rule may only send to the public internet",
    );
    expect(refusalOf("10.0.0.1", "loopback")).toBe(
      "10.0.0.1 is a private address, and this rule may only send to the public internet and to this machine",
    );
    expect(refusalOf("::ffff:a9fe:a9fe", "private")).toBe(
      "::ffff:a9fe:a9fe is an IPv4-mapped address that carries an address of cloud metadata, and no rule may send there",
    );
  });
});

const atEdges = (
  ranges: readonly (readonly [string, string, Kind])[],
  number: (text: string) => bigint,
  most: bigint,
) =>
  ranges
    .flatMap(([first, last]) => [
      number(first) - 1n,
      number(first),
      number(first) + 1n,
      number(last) - 1n,
      number(last),
      number(last) + 1n,
    ])
    .filter((value) => value >= 0n && value <= most);

const V4_EDGES = atEdges(V4_RANGES, v4Number, 2n ** 32n - 1n);
const V6_EDGES = atEdges(V6_RANGES, v6Number, 2n ** 128n - 1n);

const v4 = fc.oneof(fc.constantFrom(...V4_EDGES), fc.bigInt(0n, 2n ** 32n - 1n));

/** Each way in which an IPv6 address contains IPv4 addresses, and the neighbours of its prefix, which contain none. */
const carrying = fc
  .tuple(v4, v4, fc.bigInt(0n, 2n ** 64n - 1n), fc.constantFrom(-1n, 0n, 0n, 0n, 1n))
  .chain(([a, b, filler, off]) =>
    fc.constantFrom(
      ((0xffffn + off) << 32n) | a,
      ((0xffff_0000n + off) << 32n) | a,
      a,
      ((0x64_ff9b_0000_0000_0000_0000n + off) << 32n) | a,
      ((0x64_ff9b_0001n + off) << 80n) | ((filler & 0xffff_ffff_ffffn) << 32n) | a,
      (0x64_ff9b_0001n << 80n) | ((a >> 16n) << 64n) | ((a & 0xffffn) << 40n) | (b & 0xffff_ffffn),
      ((0x2002n + off) << 112n) | (a << 80n) | filler,
      ((0x2001_0000n + off) << 96n) | (a << 64n) | ((filler & 0xffff_ffffn) << 32n) | (b ^ 0xffff_ffffn),
      (filler << 64n) | ((0x5efen + off) << 32n) | a,
      (filler << 64n) | (0x0200_5efen << 32n) | a,
    ),
  )
  .map((value) => BigInt.asUintN(128, value));

const v6 = fc.oneof(
  fc.constantFrom(...V6_EDGES),
  fc.bigInt(0n, 2n ** 128n - 1n),
  fc.bigInt(0n, 2n ** 125n - 1n).map((value) => value | (1n << 125n)),
  carrying,
);

describe("any address", () => {
  test("of IPv4 is classified as by a second classifier, at every edge and elsewhere", () => {
    for (const value of V4_EDGES)
      expect([v4Text(value), kindOf(v4Text(value))]).toEqual([v4Text(value), kindOfV4(value)]);
    fc.assert(
      fc.property(v4, (value) => {
        expect(kindOf(v4Text(value))).toBe(kindOfV4(value));
      }),
      { numRuns: 2_000 },
    );
  });

  test("of IPv6 is classified as by a second classifier, at every edge, in every tunnel and elsewhere", () => {
    for (const value of V6_EDGES)
      expect([v6Text(value), kindOf(v6Text(value))]).toEqual([v6Text(value), kindOfV6(value)]);
    fc.assert(
      fc.property(v6, (value) => {
        expect(kindOf(v6Text(value))).toBe(kindOfV6(value));
      }),
      { numRuns: 8_000 },
    );
  });

  test("is classified the same in every spelling that Node accepts", () => {
    fc.assert(
      fc.property(v6, fc.boolean(), fc.boolean(), (value, dotted, upper) => {
        const groups = v6Text(value).split(":");
        const tail = v4Text(value & 0xffff_ffffn);
        const full = dotted
          ? [...groups.slice(0, 6), tail].join(":")
          : groups.map((group) => group.padStart(4, "0")).join(":");
        const short = full.replace(/(?:^|:)0+(?::0+)+(?=:|$)/, "::").replace(":::", "::");
        for (const text of [full, short].map((one) => (upper ? one.toUpperCase() : one)))
          expect([text, kindOf(text)]).toEqual([text, kindOfV6(value)]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is open to a wider network if it is to a narrower one, and to none if it never is", () => {
    fc.assert(
      fc.property(fc.oneof(v4.map(v4Text), v6.map(v6Text)), (text) => {
        const kind = text.includes(":") ? kindOfV6(v6Number(text)) : kindOfV4(v4Number(text));
        const open = NETWORKS.map((network) => refusalOf(text, network) === undefined);
        expect(open).toEqual(NETWORKS.map((network) => MAY[network].includes(kind)));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the addresses that a redirect may reach", () => {
  test.each([
    ["8.8.8.8", "private", "public"],
    ["2606:4700::1111", "loopback", "public"],
    ["127.0.0.1", "loopback", "loopback"],
    ["::ffff:127.0.0.1", "loopback", "loopback"],
    ["10.0.0.1", "private", "private"],
    ["127.0.0.1", "public", "public"],
    ["", "private", "public"],
  ] as const)(
    "from %s are at most those that the server at that address reaches itself: %s, %s",
    (from, network, after) => {
      expect(networkAfter(from, network)).toBe(after);
    },
  );
});
