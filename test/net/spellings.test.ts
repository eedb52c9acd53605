import { isIP } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HttpClient } from "../../src/net/http-client.ts";
import { checkTarget } from "../../src/net/target.ts";
import fc from "../helpers/fc.ts";
import { post, summary } from "./posting.ts";
import { kindOfV4, kindOfV6, MAY, V4_RANGES, v4Number, v4Text, v6Number } from "./second-classifier.ts";
import { openTrap, type Trap } from "./traps.ts";

const NETWORKS = ["public", "loopback", "private"] as const;

let trap: Trap;
beforeAll(async () => {
  trap = await openTrap();
});
afterAll(() => trap.close());

/** All known ways to write an IPv4 address into a URL that have been used in attacks. */
function spellingsOf(value: bigint): readonly string[] {
  const text = v4Text(value);
  const parts = text.split(".").map(Number) as [number, number, number, number];
  const [a, b, c, d] = parts;
  const hex = (part: number): string => part.toString(16);
  const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
  const wide = (plain: string): string =>
    [...plain].map((char) => String.fromCodePoint(0xff10 + Number(char))).join("");
  return [
    text,
    `${text}.`,
    String(value),
    `0x${value.toString(16)}`,
    `0X${value.toString(16).toUpperCase()}`,
    `0${value.toString(8)}`,
    parts.map((part) => `0x${hex(part)}`).join("."),
    parts.map((part) => `0${part.toString(8)}`).join("."),
    parts.map((part) => `0000${part.toString(8)}`).join("."),
    `0x${hex(a)}.0${b.toString(8)}.${c}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    text.split(".").map(wide).join("."),
    parts.join("。"),
    parts.join("｡"),
    text.replaceAll(".", "%2e"),
    `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`,
    `[::ffff:${text}]`,
    `[::FFFF:${groups}]`,
    `[0:0:0:0:0:ffff:${text}]`,
    `[::${text}]`,
    `[::ffff:0:${text}]`,
    `[64:ff9b::${text}]`,
    `[64:ff9b:1::${text}]`,
    `[2002:${groups}::1]`,
    `[2001:0:${groups}::f7f7:f7f7]`,
    `[2001:0:808:808::${hex((a * 256 + b) ^ 0xffff)}:${hex((c * 256 + d) ^ 0xffff)}]`,
    `[2606:4700::5efe:${text}]`,
    `[2606:4700::200:5efe:${text}]`,
    `[fe80::5efe:${text}]`,
  ];
}

/** Texts around it that make a human reader, or a pattern, see another host. */
function urlsAt(host: string, port: number): readonly string[] {
  return [
    `http://${host}:${port}/`,
    `http://${host}:${port}?@example.com/`,
    `http://${host}:${port}#@example.com/`,
    `http:\\\\${host}:${port}\\@example.com/`,
    `http:/${host}:${port}/`,
    `http:${host}:${port}/`,
    `HTTP://${host}:${port}/`,
    `http:////${host}:${port}/`,
    `http://example.com@${host}:${port}/`,
    `http://example.com:80@${host}:${port}/`,
    `http://example.com%2f@${host}:${port}/`,
  ];
}

const EDGES = V4_RANGES.flatMap(([first, last]) => [
  v4Number(first),
  v4Number(last),
  v4Number(first) - 1n,
  v4Number(last) + 1n,
]).filter((value) => value >= 0n && value < 2n ** 32n);
const v4 = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt(0n, 2n ** 32n - 1n));

/** Returns the second classifier's result for a host that the URL standard has already normalised. */
function kindOfHost(host: string): string {
  if (isIP(host) === 4) return kindOfV4(v4Number(host));
  const [head = "", tail = ""] = host.split("::");
  const before = head === "" ? [] : head.split(":");
  const behind = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(8 - before.length - behind.length).fill("0");
  return kindOfV6(v6Number([...before, ...zeros, ...behind].join(":")));
}

describe("an address in a URL", () => {
  test("is classified the same in every spelling", () => {
    let refused = 0;
    let accepted = 0;
    fc.assert(
      fc.property(v4, fc.constantFrom(...NETWORKS), (value, network) => {
        for (const spelling of spellingsOf(value)) {
          for (const url of urlsAt(spelling, 8080)) {
            const check = checkTarget(url, { network });
            if (!check.ok) {
              refused += 1;
              continue;
            }
            accepted += 1;
            const { host } = check.target;
            expect([url, isIP(host) !== 0]).toEqual([url, true]);
            expect([url, MAY[network].includes(kindOfHost(host) as never)]).toEqual([url, true]);
          }
        }
      }),
      { numRuns: 150 },
    );
    // Both must occur, otherwise nothing was tested.
    expect(Math.min(refused, accepted)).toBeGreaterThan(100);
  });

  test("that may be used is not refused for its spelling", () => {
    for (const spelling of spellingsOf(v4Number("8.8.8.8")).slice(0, 20))
      expect([spelling, checkTarget(`http://${spelling}:8080/`, { network: "public" }).ok]).toEqual([spelling, true]);
  });

  test.each(["127.0.0.1", "127.1.2.3", "0.0.0.0", "127.255.255.254"])(
    "does not get a connection to this machine from a rule that may not: %s in every spelling",
    async (address) => {
      const client = new HttpClient();
      trap.caught();
      for (const spelling of spellingsOf(v4Number(address))) {
        for (const url of urlsAt(spelling, trap.port)) {
          const result = await post(url, { client, network: "public" });
          expect([url, result.ok ? "sent" : result.failure.kind]).toEqual([url, "capability"]);
        }
      }
      await client.close();
      expect(trap.caught()).toBe(0);
    },
  );

  test.each([
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:7f00:1]",
    "[::ffff:0:0]",
    "localhost",
    "LOCALHOST.",
    "runs.localhost",
  ])("does not get a connection to this machine by another name: %s", async (host) => {
    trap.caught();
    const result = await post(`http://${host}:${trap.port}/`, { network: "public", timeoutMs: 3_000 });
    expect(result.ok).toBe(false);
    expect(trap.caught()).toBe(0);
  });

  test.each([
    "127.0.0.1",
    "127.1.2.3",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost",
    "localhost.",
    "１２７.1",
  ])("gets a connection from a rule that may send there, which shows that the trap works: %s", async (host) => {
    trap.caught();
    expect(summary(await post(`http://${host}:${trap.port}/`, { network: "loopback" }))).toBe("200");
    expect(trap.caught()).toBe(1);
  });

  test.each(["0.0.0.0", "0", "[::]", "[::ffff:0.0.0.0]", "0x0", "00000000"])(
    "that is unspecified leads to this machine, and is open to no rule: %s",
    async (host) => {
      trap.caught();
      for (const network of NETWORKS)
        expect(summary(await post(`http://${host}:${trap.port}/`, { network }))).toMatch(
          /^capability: .*no rule may send there$/,
        );
      expect(trap.caught()).toBe(0);
    },
  );
});

describe("a URL", () => {
  test.each([
    ["ftp://example.com/", "the URL must begin with http: or https:, not ftp:"],
    ["file:///etc/passwd", "the URL must begin with http: or https:, not file:"],
    ["gopher://127.0.0.1:6379/_x", "the URL must begin with http: or https:, not gopher:"],
    ["data:,x", "the URL must begin with http: or https:, not data:"],
    ["javascript:0", "the URL must begin with http: or https:, not javascript:"],
    ["unix:/var/run/docker.sock", "the URL must begin with http: or https:, not unix:"],
    ["ws://example.com/", "the URL must begin with http: or https:, not ws:"],
    ["http://user@example.com/", "the URL contains a user name or a password"],
    ["http://:secret@example.com/", "the URL contains a user name or a password"],
    ["http://example.com:0/", "the URL names port 0"],
    ["http://example.com:65536/", "this is not a valid URL"],
    ["http://exa mple.com/", "the URL contains blanks or control characters"],
    ["http://example.com/\r\nHost: x", "the URL contains blanks or control characters"],
    ["ht\ntp://example.com/", "the URL contains blanks or control characters"],
    [" http://example.com/", "the URL contains blanks or control characters"],
    ["http://[fe80::1%25eth0]/", "this is not a valid URL"],
    ["http://[::1/", "this is not a valid URL"],
    ["http://1.2.3.4.5/", "this is not a valid URL"],
    ["http://256.1.1.1/", "this is not a valid URL"],
    ["http://example.com../", "the URL's host is not a valid name"],
    ["http://./", "the URL's host is not a valid name"],
    ["http://.example.com/", "the URL's host is not a valid name"],
    ["//example.com/", "this is not a valid URL"],
    ["example.com/hook", "this is not a valid URL"],
    ["", "this is not a valid URL"],
    [`http://example.com/${"x".repeat(4_096)}`, "the URL is 4115 characters long, over the limit of 4096"],
    [`http://${"a.".repeat(127)}a/`, "the URL's host is not a valid name"],
  ])("is rejected if it is %j", (url, message) => {
    expect(checkTarget(url, { network: "private" })).toEqual({ ok: false, message });
  });

  test.each([
    ["http://example.com.:8080/a?b#c", "example.com", 8080],
    ["https://EXAMPLE.com", "example.com", 443],
    ["http://[2606:4700::1111]/", "2606:4700::1111", 80],
    ["http://ex%61mple.com/", "example.com", 80],
  ])("is used as the standard reads it: %s", (url, host, port) => {
    expect(checkTarget(url, { network: "public" })).toMatchObject({ ok: true, target: { host, port } });
  });
});
