import { describe, expect, test } from "vitest";
import { fitsUrlLists, fitsUrlPattern } from "../../src/net/url-patterns.ts";
import fc from "../helpers/fc.ts";
import { staysInProportion } from "../helpers/proportion.ts";

const fits = (url: string, pattern: string): boolean => fitsUrlPattern(new URL(url), pattern);

describe("a pattern of allowed URLs", () => {
  test.each([
    ["*", "http://127.0.0.1:1/x"],
    ["https://hooks.example.com/*", "https://hooks.example.com/a/b?c"],
    ["https://hooks.example.com/*", "https://hooks.example.com/"],
    ["https://hooks.example.com/a", "https://hooks.example.com/a"],
    ["https://hooks.example.com", "https://hooks.example.com/"],
    ["https://*.example.com/*", "https://a.b.example.com/x"],
    ["HTTPS://Hooks.Example.COM/*", "https://hooks.example.com/x"],
    ["https://hooks.example.com/*", "https://HOOKS.example.com./x"],
    ["https://hooks.example.com./*", "https://hooks.example.com/x"],
    ["http://hooks.example.com.:8080/*", "http://hooks.example.com:8080/x"],
    ["https://example.com:443/*", "https://example.com/x"],
    ["http://example.com:80/*", "http://example.com/x"],
    ["http://localhost:*", "http://localhost:3000/any/path"],
    ["http://localhost:*/hook", "http://localhost:3000/hook"],
    ["*://example.com/*", "http://example.com/"],
    ["https://*/hook?key=*", "https://example.com/hook?key=1"],
    ["http://[::1]:*/*", "http://[::1]:80/x".replace(":80", ":8080")],
  ])("matches: %s, %s", (pattern, url) => {
    expect(fits(url, pattern)).toBe(true);
  });

  test.each([
    ["https://hooks.example.com/*", "http://hooks.example.com/"],
    ["https://hooks.example.com/*", "https://hooks.example.com.evil.test/"],
    ["https://hooks.example.com/*", "https://hooks.example.com:8443/"],
    ["https://hooks.example.com/*", "https://evil.test/hooks.example.com/"],
    ["https://*.example.com/*", "https://evil.test/.example.com/"],
    ["https://*.example.com/*", "https://evil.test/?.example.com/"],
    ["https://*.example.com/*", "https://example.com/"],
    ["https://*.example.com/*", "https://evilexample.com/"],
    ["https://hooks.example.com", "https://hooks.example.com/x"],
    ["https://hooks.example.com/A", "https://hooks.example.com/a"],
    ["https://hooks.example.com/a", "https://hooks.example.com/a?b"],
    ["https://hooks.example.com/a/*", "https://hooks.example.com/a/../b"],
    ["hooks.example.com/*", "https://hooks.example.com/"],
    ["*.example.com", "https://hooks.example.com/"],
    ["https:*", "https://hooks.example.com/"],
    ["", "https://hooks.example.com/"],
  ])("does not match: %s, %s", (pattern, url) => {
    expect(fits(url, pattern)).toBe(false);
  });

  test("takes steps in proportion to both lengths, however many stars it has", async () => {
    const tries = (letters: number, stars: number): void => {
      const url = new URL(`https://example.com/${"a".repeat(letters)}`);
      expect(fitsUrlPattern(url, `https://example.com/${"*a".repeat(stars)}*b`)).toBe(false);
    };
    await staysInProportion((letters) => tries(letters, 500), 4_000);
    await staysInProportion((stars) => tries(4_000, stars), 500);
  });

  test("matches the same as a regular expression in which the star is .*", () => {
    const part = fc.array(fc.constantFrom("a", "b", "*", "/"), { maxLength: 8 }).map((chars) => chars.join(""));
    fc.assert(
      fc.property(part, part, (path, pattern) => {
        const url = new URL(`https://h/${path.replaceAll("*", "a")}`);
        const expression = new RegExp(`^/${pattern.replaceAll("*", ".*")}$`);
        expect(fitsUrlPattern(url, `https://h/${pattern}`)).toBe(expression.test(url.pathname));
      }),
    );
  });

  test("must match one of each list; no list allows all, and an empty list nothing", () => {
    const url = new URL("https://a.test/");
    expect(fitsUrlLists(url, undefined)).toBe(true);
    expect(fitsUrlLists(url, [])).toBe(true);
    expect(fitsUrlLists(url, [[]])).toBe(false);
    expect(fitsUrlLists(url, [["https://b.test/*", "https://a.test/*"]])).toBe(true);
    expect(fitsUrlLists(url, [["https://a.test/*"], ["https://*/*"]])).toBe(true);
    expect(fitsUrlLists(url, [["https://a.test/*"], ["https://b.test/*"]])).toBe(false);
  });
});
