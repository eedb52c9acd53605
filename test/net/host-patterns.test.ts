import { describe, expect, test } from "vitest";
import { fitsHostPattern, readHostPattern, spelledHost } from "../../src/net/host-patterns.ts";
import { checkTarget } from "../../src/net/target.ts";
import fc from "../helpers/fc.ts";

function fits(url: string, pattern: string): boolean {
  const read = readHostPattern(pattern);
  if ("refused" in read) throw new Error(`${pattern} ${read.refused.message}`);
  const checked = checkTarget(url, { network: "private" });
  return checked.ok && fitsHostPattern(checked.target, read.value);
}

describe("a granted host", () => {
  test.each([
    ["api.example.com", "https://api.example.com/v1?x#y"],
    ["api.example.com", "https://API.Example.COM"],
    ["api.example.com", "https://api.example.com."],
    ["api.example.com", "https://api.example.com:443/"],
    ["api.example.com", "https://%61pi.example.com/"],
    ["api.example.com", "https:\\\\api.example.com\\x"],
    ["api.example.com", "https://ａｐｉ.example。com/"],
    ["API.example.com.", "https://api.example.com/"],
    ["HTTPS://api.example.com", "https://api.example.com/"],
    ["https://api.example.com:8443", "https://api.example.com:8443/"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/"],
    ["http://127.0.0.1:8080", "http://2130706433:8080/"],
    ["http://localhost:8080", "http://localhost.:8080/"],
    ["http://[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080/"],
    ["*.example.org", "https://a.example.org/"],
    ["*.example.org", "https://a.b.example.org./"],
    ["http://*.example.org:81", "http://a.example.org:81/"],
    ["bücher.example", "https://xn--bcher-kva.example/"],
    ["xn--bcher-kva.example", "https://BÜCHER.example/"],
    ["https://example.com:443", "https://example.com/"],
    ["http://example.com:80", "http://example.com/"],
  ])("%s is that of %s", (pattern, url) => {
    expect(fits(url, pattern)).toBe(true);
  });

  test.each([
    ["api.example.com", "http://api.example.com/"],
    ["api.example.com", "https://api.example.com:8443/"],
    ["api.example.com", "https://example.com/"],
    ["api.example.com", "https://x.api.example.com/"],
    ["api.example.com", "https://api.example.com.evil.test/"],
    ["api.example.com", "https://api.example.com@evil.test/"],
    ["api.example.com", "https://evil.test/api.example.com"],
    ["api.example.com", "https://evil.test/?https://api.example.com"],
    ["api.example.com", "https://evil.test#api.example.com"],
    ["api.example.com", "https://evil.test\\@api.example.com"],
    ["api.example.com", "https://api.example.com%2eevil.test/"],
    ["api.example.com", "https://api-example.com/"],
    ["api.example.com", "https://аpi.example.com/"],
    ["http://api.example.com", "https://api.example.com/"],
    ["*.example.org", "https://example.org/"],
    ["*.example.org", "https://evilexample.org/"],
    ["*.example.org", "https://a.example.org.evil.test/"],
    ["*.example.org", "https://.example.org/"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8081/"],
    ["http://127.0.0.1:8080", "http://localhost:8080/"],
    ["http://localhost:8080", "http://127.0.0.1:8080/"],
    ["http://127.0.0.1", "http://[::ffff:127.0.0.1]/"],
  ])("%s is not that of %s", (pattern, url) => {
    expect(fits(url, pattern)).toBe(false);
  });

  test.each([
    "",
    "*",
    "*.",
    "*.*.example.com",
    "api.*.com",
    "a*.example.com",
    "ftp://example.com",
    "//example.com",
    "https:example.com",
    "https://example.com/",
    "https://example.com/path",
    "*.com",
    "127.1",
    "0x7f.0.0.1",
    "ｅxample.com",
    "https://example.com?x",
    "https://example.com#x",
    "https://user@example.com",
    "https://user:pass@example.com",
    "https://example.com:0",
    "https://example.com:99999",
    "https://example.com:port",
    "https://example.com:",
    "exa mple.com",
    "exam%70le.com",
    "example..com",
    ".example.com",
    "*.127.0.0.1",
    "*.[::1]",
    "[::1",
    "[fe80::1%eth0]",
    `${"a".repeat(300)}.com`,
  ])("is not %j", (text) => {
    expect(readHostPattern(text)).toMatchObject({ refused: { message: expect.any(String) } });
  });

  test.each([
    ["API.example.com.", "https://api.example.com"],
    ["http://[0:0::1]:8080", "http://[::1]:8080"],
    ["https://*.Example.org:443", "https://*.example.org"],
  ])("%s has one spelling, %s", (text, spelling) => {
    const read = readHostPattern(text);
    if ("refused" in read) throw new Error(read.refused.message);
    expect(spelledHost(read.value)).toBe(spelling);
    expect(readHostPattern(spelling)).toEqual(read);
  });

  const label = fc.constantFrom("a", "b", "com");
  const name = fc.array(label, { minLength: 2, maxLength: 3 }).map((labels) => labels.join("."));
  const port = fc.constantFrom("", ":80", ":443");
  const scheme = fc.constantFrom("http://", "https://");

  test("matches the same as an independent comparison of labels from the end", () => {
    const portOf = (way: string, text: string): string => text.slice(1) || (way === "http://" ? "80" : "443");
    const sameEnd = (long: readonly string[], short: readonly string[]): boolean =>
      short.every((one, at) => long[long.length - short.length + at] === one);
    let fitting = 0;
    fc.assert(
      fc.property(scheme, name, port, scheme, name, port, fc.boolean(), (s1, n1, p1, s2, n2, p2, isWild) => {
        const [asked, granted] = [n1.split("."), n2.split(".")];
        const sameName = isWild
          ? asked.length > granted.length && sameEnd(asked, granted)
          : asked.length === granted.length && sameEnd(asked, granted);
        const expected = s1 === s2 && portOf(s1, p1) === portOf(s2, p2) && sameName;
        if (expected) fitting += 1;
        expect(fits(`${s1}${n1}${p1}/x`, `${s2}${isWild ? "*." : ""}${n2}${p2}`)).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
    expect(fitting).toBeGreaterThan(5);
  });

  test("is compared with the parsed URL, whatever the text looks like", () => {
    const odd = fc.string({
      unit: fc.constantFrom("a", ".", "@", ":", "/", "\\", "#", "?", "%2e", "%40", "。", "[", "]", "\t"),
    });
    fc.assert(
      fc.property(odd, odd, (before, behind) => {
        const text = `https://${before}api.example.com${behind}`;
        // The platform's own result for where a request with this URL would go.
        const host = URL.canParse(text) ? new URL(text).hostname.replace(/\.$/, "") : undefined;
        if (fits(text, "api.example.com")) expect(host).toBe("api.example.com");
        if (fits(text, "*.example.com")) expect(host).toMatch(/^[^.].*\.example\.com$/);
      }),
      { numRuns: 2_000 },
    );
  });
});
