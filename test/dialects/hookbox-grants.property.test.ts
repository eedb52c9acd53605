import { isIP } from "node:net";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { BUILTIN_DEFAULTS } from "../../src/config/layered-settings.ts";
import { readGrants } from "../../src/dialects/hookbox/grants/read-grants.ts";
import { writeGrants } from "../../src/dialects/hookbox/grants/write-grants.ts";
import { configJsonSchema } from "../../src/dialects/hookbox/schema.ts";
import { hookboxWriter } from "../../src/dialects/hookbox/write-config.ts";
import type { Grants } from "../../src/grants.ts";
import { readHostPattern, spelledHost } from "../../src/net/host-patterns.ts";
import type { Rule } from "../../src/rule.ts";
import { codePoint } from "../helpers/code-point.ts";
import fc from "../helpers/fc.ts";
import { accepts, type JsonSchema } from "./json-schema.ts";
import { parse, parseHandler } from "./parse.ts";

const USER = { layer: "user", baseDir: "/base/of the file" } as const;
const schema = configJsonSchema() as JsonSchema;

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,6}[a-z])?$/);
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => `${labels.join(".")}.example`);
const host = fc
  .tuple(
    fc.constantFrom("https", "http"),
    fc.constantFrom("", "*."),
    name,
    fc.option(fc.integer({ min: 1, max: 65_535 })),
  )
  .map(([scheme, star, host, port]) => {
    const isUsual = port === null || port === (scheme === "https" ? 443 : 80);
    return `${scheme}://${star}${host}${isUsual ? "" : `:${port}`}`;
  });
const part = fc
  .string({ unit: fc.constantFrom(..."aZ9 ._-=$\"'ö"), minLength: 1, maxLength: 8 })
  .filter((text) => !/^\.{1,2}$|^[A-Za-z]:/.test(text));
const pathName = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const place = fc
  .array(
    fc.stringMatching(/^[a-zA-Z0-9 ._-]{1,6}$/).filter((text) => !/^\.+$/.test(text)),
    { minLength: 1, maxLength: 4 },
  )
  .chain((parts) =>
    fc.constantFrom(`/${parts.join("/")}`, `./${parts.join("/")}`, `../${parts.join("/")}`, `~/${parts.join("/")}`),
  )
  .filter((path) => posix.basename(path).toLowerCase().startsWith("hookbox") === false);

const grants: fc.Arbitrary<Grants> = fc.record(
  {
    hosts: fc.record({
      allow: fc.uniqueArray(host, { minLength: 1, maxLength: 4 }),
      network: fc.constantFrom("public" as const, "private" as const),
      maxCalls: fc.oneof(fc.constant(8), fc.integer({ min: 1, max: 64 })),
      responseBytes: fc.oneof(fc.constant(262_144), fc.integer({ min: 1, max: 1_048_576 })),
    }),
    paths: fc
      .uniqueArray(
        fc.record({ name: pathName, written: place, access: fc.constantFrom("read" as const, "write" as const) }),
        {
          minLength: 1,
          maxLength: 4,
          selector: (one) => one.name.split("/")[0]?.toLowerCase(),
        },
      )
      .map((all) => all.map((one) => ({ ...one, path: "" }))),
    state: fc.record({
      maxKeys: fc.oneof(fc.constant(64), fc.integer({ min: 1, max: 1_024 })),
      maxBytes: fc.oneof(fc.constant(65_536), fc.integer({ min: 1, max: 1_048_576 })),
    }),
    clock: fc.constantFrom("fixed" as const, "real" as const),
    random: fc.constantFrom("seeded" as const, "real" as const),
    wasi: fc.constant(true),
  },
  { requiredKeys: [] },
);

/** Returns grants as from a file: with absolute paths. */
function fromFile(wanted: Grants): Grants | undefined {
  const paths = wanted.paths?.map(({ name, written = "", access }) => [name, { path: written, access }] as const);
  const written = {
    ...writeGrants({ ...wanted, paths: undefined } as never),
    ...(paths && { paths: Object.fromEntries(paths) }),
  };
  const read = readGrants(written, USER);
  expect(read.problems).toEqual([]);
  return read.grants;
}

test("grants that are written are read again unchanged, in the folder of their file and in any other", async () => {
  await fc.assert(
    fc.asyncProperty(grants, async (wanted) => {
      const given = fromFile(wanted);
      expect(readGrants(writeGrants(given, USER.baseDir), USER).grants).toEqual(given);
      // In another folder other texts mean the same places.
      const there = { layer: "user", baseDir: "/elsewhere/a/b" } as const;
      const meaning = (all: Grants | undefined) => ({
        ...all,
        paths: all?.paths?.map(({ written, apart, ...one }) => one),
      });
      for (const words of [writeGrants(given, there.baseDir), writeGrants(given)])
        expect(meaning(readGrants(words, there).grants)).toEqual(meaning(given));
    }),
    { numRuns: 300 },
  );
});

test("a whole rule with grants is written and read again unchanged, and the published schema accepts it", async () => {
  await fc.assert(
    fc.asyncProperty(grants, async (wanted) => {
      const handler = { type: "wasm", module: "./a.wasm", grants: writeGrants(fromFile(wanted), USER.baseDir) };
      const { rule } = await parseHandler("hookbox", handler, "PreToolUse", USER);
      const { value } = hookboxWriter.write([rule as Rule], {
        settings: {},
        defaults: BUILTIN_DEFAULTS,
        baseDir: USER.baseDir,
      });
      expect(accepts(schema, value)).toBe(true);
      const { rules } = await parse("hookbox", value, USER);
      expect(rules[0]?.handler).toEqual(rule?.handler);
    }),
    { numRuns: 50 },
  );
});

test("whatever replaces a part of grants, they are read as written or not at all", () => {
  const keys = fc.constantFrom(
    "hosts",
    "paths",
    "state",
    "clock",
    "random",
    "wasi",
    "Hosts",
    "network",
    "env",
    "__proto__",
  );
  fc.assert(
    fc.property(
      grants,
      keys,
      fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown),
      (wanted, key, value) => {
        const words = writeGrants(fromFile(wanted), USER.baseDir) ?? {};
        const changed = Object.fromEntries([...Object.entries(words).filter(([one]) => one !== key), [key, value]]);
        const { grants: given, problems } = readGrants(changed, USER);
        const errors = problems.filter(({ severity }) => severity !== "warning");
        for (const problem of errors)
          expect(problem).toMatchObject({ message: expect.stringMatching(/^grants/), code: /^HOOK_CONFIG_/ });
        if (errors.length > 0) expect(given).toBe(undefined);
        // Nothing is granted without a key of that name.
        for (const one of Object.keys(given ?? {})) expect([undefined, false]).not.toContain(changed[one]);
      },
    ),
    { numRuns: 300 },
  );
});

/** Parses an entry by hand, without the URL parser; `undefined`: it means no host. */
function meant(text: string): string | undefined {
  const scheme = ["https://", "http://"].find((one) => text.toLowerCase().startsWith(one));
  const rest = scheme === undefined ? text : text.slice(scheme.length);
  const isWild = rest.startsWith("*.");
  const body = isWild ? rest.slice(2) : rest;
  let [host = "", port] = [body, undefined as string | undefined];
  if (body.startsWith("[")) {
    const end = body.indexOf("]");
    [host, port] = [body.slice(0, end + 1), body.length > end + 1 ? body.slice(end + 1) : undefined];
    if (port !== undefined && !port.startsWith(":")) return undefined;
    port = port?.slice(1);
    if (isWild || isIP(host.slice(1, -1)) !== 6) return undefined;
  } else {
    const colon = body.indexOf(":");
    if (colon >= 0) [host, port] = [body.slice(0, colon), body.slice(colon + 1)];
    const bare = (host.endsWith(".") ? host.slice(0, -1) : host).toLowerCase();
    const labels = bare.split(".");
    if (!labels.every((one) => /^[a-z0-9_-]{1,63}$/.test(one) && !/^-|-$/.test(one))) return undefined;
    // A name that ends in a number is an IPv4 address, and must have the usual four parts.
    const isNumber = /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "");
    if (isNumber && (isIP(bare) !== 4 || isWild)) return undefined;
    if (isWild && labels.length < 2) return undefined;
    host = bare;
  }
  if (port !== undefined && !(/^[1-9]\d*$/.test(port) && Number(port) < 65_536)) return undefined;
  const usual = scheme === "http://" ? "80" : "443";
  return `${scheme ?? "https://"}${isWild ? "*." : ""}${host}${port === undefined || port === usual ? "" : `:${port}`}`;
}

const piece = fc.constantFrom(
  ...[
    "https://",
    "HTTP://",
    "http:",
    "//",
    "ftp://",
    "*",
    "*.",
    ".",
    "..",
    ":",
    ":80",
    ":443",
    ":0",
    ":99999",
    ":8080",
  ],
  ...[
    "a",
    "Example",
    "b-c",
    "-",
    "_x",
    "com",
    "1",
    "127",
    "0x7f",
    "0",
    "[::1]",
    "[1::2]",
    "[",
    "]",
    "@",
    "/",
    "?",
    "#",
    "\\",
    "%41",
    " ",
    "\t",
  ],
);
const nearHost = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((parts) => parts.join("")),
  fc.tuple(host, fc.nat(40), piece).map(([text, at, one]) => text.slice(0, at) + one + text.slice(at)),
  fc.string({ unit: "binary-ascii", maxLength: 12 }),
);

function spelling(text: string): { readonly value: string } | { readonly refused: unknown } {
  const read = readHostPattern(text);
  return "refused" in read ? read : { value: spelledHost(read.value) };
}

test("a host means the same as to an independent parser, or is refused", () => {
  fc.assert(
    fc.property(nearHost, (text) => {
      const read = spelling(text);
      const expected = /xn--/i.test(text) ? ("refused" in read ? undefined : read.value) : meant(text);
      const isAddress = expected?.includes("[") === true;
      const actual = "refused" in read ? undefined : read.value;
      // An IPv6 address has many spellings, of which the independent parser keeps the written one.
      if (isAddress) expect(actual).toBe(new URL(expected).href.replace(/\/$/, ""));
      else expect(actual).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});

test("no text grants another host than the one that a request for it would name", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        nearHost,
        fc.string({ unit: codePoint, maxLength: 10 }).map((text) => `${text}.example`),
      ),
      (text) => {
        const read = spelling(text);
        if ("refused" in read) return;
        expect(spelling(read.value)).toEqual(read);
        const spelled = /:\/\//.test(text) ? text : `https://${text}`;
        const url = new URL(spelled.replace("*.", "star."));
        const same = new URL(read.value.replace("*.", "star."));
        expect([same.protocol, same.port]).toEqual([url.protocol, url.port]);
        expect(same.hostname).toBe(url.hostname.replace(/\.$/, ""));
      },
    ),
    { numRuns: 2_000 },
  );
});
