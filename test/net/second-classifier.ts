/**
 * A second classifier of addresses, to compare with the first: integers and ranges as in the registries, while the code
 * under test has blocks and bits. It shares no code with it.
 */

export type Kind = "public" | "loopback" | "private" | "never";

export const V4_RANGES: readonly (readonly [first: string, last: string, kind: Kind])[] = [
  ["0.0.0.0", "0.255.255.255", "never"],
  ["10.0.0.0", "10.255.255.255", "private"],
  ["100.64.0.0", "100.100.100.199", "private"],
  ["100.100.100.200", "100.100.100.200", "never"],
  ["100.100.100.201", "100.127.255.255", "private"],
  ["127.0.0.0", "127.255.255.255", "loopback"],
  ["168.63.129.16", "168.63.129.16", "never"],
  ["169.254.0.0", "169.254.255.255", "never"],
  ["172.16.0.0", "172.31.255.255", "private"],
  ["192.0.0.0", "192.0.0.191", "private"],
  ["192.0.0.192", "192.0.0.192", "never"],
  ["192.0.0.193", "192.0.0.255", "private"],
  ["192.0.2.0", "192.0.2.255", "private"],
  ["192.88.99.0", "192.88.99.255", "private"],
  ["192.168.0.0", "192.168.255.255", "private"],
  ["198.18.0.0", "198.19.255.255", "private"],
  ["198.51.100.0", "198.51.100.255", "private"],
  ["203.0.113.0", "203.0.113.255", "private"],
  ["224.0.0.0", "239.255.255.255", "never"],
  ["240.0.0.0", "255.255.255.254", "private"],
  ["255.255.255.255", "255.255.255.255", "never"],
];

const F = "ffff:ffff:ffff";

export const V6_RANGES: readonly (readonly [first: string, last: string, kind: Kind])[] = [
  ["0:0:0:0:0:0:0:0", "0:0:0:0:0:0:0:0", "never"],
  ["0:0:0:0:0:0:0:1", "0:0:0:0:0:0:0:1", "loopback"],
  ["2001:0:0:0:0:0:0:0", `2001:1ff:${F}:${F}`, "private"],
  ["2001:db8:0:0:0:0:0:0", `2001:db8:${F}:${F}`, "private"],
  ["2002:0:0:0:0:0:0:0", `2002:ffff:${F}:${F}`, "private"],
  ["2620:4f:8000:0:0:0:0:0", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "private"],
  ["3ffe:0:0:0:0:0:0:0", `3ffe:ffff:${F}:${F}`, "private"],
  ["3fff:0:0:0:0:0:0:0", `3fff:fff:${F}:${F}`, "private"],
  ["fd00:42:0:0:0:0:0:42", "fd00:42:0:0:0:0:0:42", "never"],
  ["fd00:c1:0:0:0:0:a9fe:a9fe", "fd00:c1:0:0:0:0:a9fe:a9fe", "never"],
  ["fd00:ec2:0:0:0:0:0:0", `fd00:ec2:${F}:${F}`, "never"],
  ["fd20:ce:0:0:0:0:0:0", "fd20:ce:0:0:ffff:ffff:ffff:ffff", "never"],
  ["fe80:0:0:0:0:0:0:0", `febf:ffff:${F}:${F}`, "never"],
  ["ff00:0:0:0:0:0:0:0", `ffff:ffff:${F}:${F}`, "never"],
];

const UNICAST = [v6Number("2000:0:0:0:0:0:0:0"), v6Number(`3fff:ffff:${F}:${F}`)] as const;

export function v4Number(text: string): bigint {
  return text.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

/** Eight groups, none left out. */
export function v6Number(text: string): bigint {
  return text.split(":").reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
}

export function v4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
}

export function v6Text(value: bigint): string {
  return Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).join(
    ":",
  );
}

export function kindOfV4(value: bigint): Kind {
  return V4_RANGES.find(([first, last]) => v4Number(first) <= value && value <= v4Number(last))?.[2] ?? "public";
}

/** For an IPv6 address, with the addresses that it contains. */
export function kindOfV6(value: bigint): Kind {
  const range = V6_RANGES.find(([first, last]) => v6Number(first) <= value && value <= v6Number(last))?.[2];
  if (range === "never" || range === "loopback") return range;
  const isUnicast = UNICAST[0] <= value && value <= UNICAST[1];
  const own = range ?? (isUnicast ? "public" : "private");
  const low = value & 0xffff_ffffn;
  const top = (bits: bigint): bigint => value >> (128n - bits);
  if (top(96n) === 0xffffn) return kindOfV4(low);
  if (top(96n) === 0x64_ff9b_0000_0000_0000_0000n) {
    const kind = kindOfV4(low);
    return kind === "loopback" ? "private" : kind;
  }
  const carried: bigint[] = [];
  if (top(48n) === 0x64_ff9b_0001n)
    carried.push(
      low,
      (((value >> 64n) & 0xffffn) << 16n) | (((value >> 48n) & 0xffn) << 8n) | ((value >> 40n) & 0xffn),
    );
  if (top(96n) === 0xffff_0000n || top(96n) === 0n) carried.push(low);
  if (top(16n) === 0x2002n) carried.push((value >> 80n) & 0xffff_ffffn);
  if (top(32n) === 0x2001_0000n) carried.push((value >> 64n) & 0xffff_ffffn, low ^ 0xffff_ffffn);
  const marker = (value >> 32n) & 0xffff_ffffn;
  if (carried.length === 0 && (marker === 0x5efen || marker === 0x0200_5efen)) carried.push(low);
  const kinds = carried.map(kindOfV4);
  if (kinds.includes("never")) return "never";
  return kinds.every((kind) => kind === "public") ? own : "private";
}

export const MAY: Readonly<Record<"public" | "loopback" | "private", readonly Kind[]>> = {
  public: ["public"],
  loopback: ["public", "loopback"],
  private: ["public", "loopback", "private"],
};
