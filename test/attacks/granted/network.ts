import type { Attack, Ending } from "../attacks.ts";
import { type ReachParts, reach } from "./reach.ts";
import { type Body, swallows, times, wants } from "./reaching-guest.ts";
import type { World } from "./world.ts";

/** Attacks through requests: to other servers, too many, too large, too long. */

/** One server of this machine, three requests, four kilobytes. */
const grants = ({ origin }: World): object => ({
  hosts: { allow: [origin], allowPrivate: true, maxCalls: 3, maxBytes: 4_096 },
});

const on = (name: string, ends: Ending, body: Body, parts: ReachParts = {}): readonly Attack[] =>
  reach(grants, name, ends, body, parts);

type Url = (world: World) => string;

const ask = (url: string, more: object = {}): string => JSON.stringify({ url, ...more });

/** Allows whatever the result is. */
const asking =
  (url: Url, more: object = {}): Body =>
  ({ block }, world) =>
    swallows(`(drop (call $http_request ${block(ask(url(world), more))} (i64.const 0)))`);

/** Allows if it gets an answer. */
const hoping =
  (url: Url, more: object = {}): Body =>
  ({ block }, world) =>
    wants(`(call $http_request ${block(ask(url(world), more))} (i64.const 0))`);

const REFUSED: Ending = { kind: "capability" };

const SPELLINGS: Readonly<Record<string, Url>> = {
  "another-port": ({ trapPort }) => `http://127.0.0.1:${trapPort}/`,
  "a-name-of-this-machine": ({ trapPort }) => `http://localhost:${trapPort}/`,
  "a-name-with-a-dot-behind-it": ({ trapPort }) => `http://localhost.:${trapPort}/`,
  "an-address-as-one-number": ({ trapPort }) => `http://2130706433:${trapPort}/`,
  "an-address-in-hexadecimal": ({ trapPort }) => `http://0x7f.1:${trapPort}/`,
  "an-address-in-octal": ({ trapPort }) => `http://0177.0.0.1:${trapPort}/`,
  "an-address-in-full-width-digits": ({ trapPort }) => `http://\uff11\uff12\uff17.0.0.1:${trapPort}/`,
  "an-address-in-percents": ({ trapPort }) => `http://%31%32%37.0.0.1:${trapPort}/`,
  "a-mapped-address": ({ trapPort }) => `http://[::ffff:127.0.0.1]:${trapPort}/`,
  "the-loopback-of-ipv6": ({ trapPort }) => `http://[::1]:${trapPort}/`,
  "the-address-of-no-host": ({ trapPort }) => `http://0.0.0.0:${trapPort}/`,
  "another-loopback-address": ({ port }) => `http://127.0.0.2:${port}/`,
  "the-granted-host-as-a-user": ({ port, trapPort }) => `http://127.0.0.1:${port}@127.0.0.1:${trapPort}/`,
  "the-granted-host-with-a-user": ({ port }) => `http://me:secret@127.0.0.1:${port}/text`,
  "a-longer-port": ({ port }) => `http://127.0.0.1:${port}0/`,
  "another-scheme": ({ port }) => `https://127.0.0.1:${port}/`,
  "a-file": () => "file:///etc/passwd",
  "no-scheme": ({ trapPort }) => `//127.0.0.1:${trapPort}/`,
  "a-broken-line": ({ origin, trapPort }) => `${origin}/ HTTP/1.1\r\nhost: 127.0.0.1:${trapPort}\r\n\r\n`,
  "the-machine-behind-the-cloud": () => "http://169.254.169.254/latest/meta-data/",
  "a-private-network": () => "http://10.0.0.1/",
  "the-internet": () => "http://192.0.2.1/",
};

const REDIRECTS: Readonly<Record<string, string>> = {
  "another-port": "",
  "another-port-without-a-scheme": "//127.0.0.1:TRAP/",
  "a-name-of-this-machine": "http://localhost:TRAP/",
  "the-granted-host-as-a-user": "http://127.0.0.1:PORT@127.0.0.1:TRAP/",
  "a-file": "file:///etc/passwd",
  "the-machine-behind-the-cloud": "http://169.254.169.254/",
};

function redirectTo(to: string, status: number): Url {
  return ({ origin, port, trapPort }) => {
    const where = to.replaceAll("TRAP", String(trapPort)).replaceAll("PORT", String(port));
    return `${origin}/redirect?status=${status}${to === "" ? "" : `&to=${encodeURIComponent(where)}`}`;
  };
}

const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  host: { Host: "127.0.0.1:1" },
  framing: { "Transfer-Encoding": "chunked" },
  "a-line-break": { "X-A": "a\r\nx-b: b" },
  proxy: { "Proxy-Authorization": "Basic eA==" },
};

export const NETWORK_ATTACKS: readonly Attack[] = [
  ...Object.entries(SPELLINGS).flatMap(([name, url]) => on(`asks-${name}`, REFUSED, asking(url))),
  ...Object.entries(REDIRECTS).flatMap(([name, to]) => [
    ...on(`is-redirected-to-${name}`, REFUSED, asking(redirectTo(to, 302))),
    ...on(`is-redirected-with-its-body-to-${name}`, REFUSED, asking(redirectTo(to, 307), { method: "POST" })),
  ]),
  ...Object.entries(HEADERS).flatMap(([name, headers]) =>
    on(
      `sets-headers-of-${name}`,
      REFUSED,
      asking(({ origin }) => `${origin}/text`, { headers }),
    ),
  ),
  ...on(
    "asks-itself-round-and-round",
    REFUSED,
    asking(({ origin }) => `${origin}/round`),
  ),
  ...on("floods-a-server-with-requests", REFUSED, ({ block }, { origin }) =>
    swallows(times(50, `(drop (call $http_request ${block(ask(`${origin}/text`))} (i64.const 0)))`)),
  ),
  ...on("goes-on-after-a-refused-request", REFUSED, ({ block }, { origin, trapPort }) =>
    swallows(
      `(drop (call $http_request ${block(ask(`http://127.0.0.1:${trapPort}/`))} (i64.const 0)))`,
      `(drop (call $http_request ${block(ask(`${origin}/text`))} (i64.const 0)))`,
    ),
  ),
  ...on(
    "asks-for-a-huge-body",
    { kind: "output-too-large" },
    asking(({ origin }) => `${origin}/huge`),
  ),
  ...on(
    "asks-for-an-endless-body",
    { kind: "output-too-large" },
    asking(({ origin }) => `${origin}/endless`),
  ),
  ...on(
    "asks-for-an-endless-body-until-its-deadline",
    { kind: "timeout" },
    asking(({ origin }) => `${origin}/drip`),
    { timeoutMs: 300 },
  ),
  ...on(
    "waits-for-a-silent-server",
    { kind: "timeout" },
    asking(({ origin }) => `${origin}/silent`),
    { timeoutMs: 300 },
  ),
  ...on(
    "asks-for-a-packed-body",
    { decision: "deny" },
    hoping(({ origin }) => `${origin}/packed`),
  ),
  ...on(
    "hides-a-host-behind-a-backslash",
    { decision: "deny" },
    hoping(({ origin, trapPort }) => `${origin}\\@127.0.0.1:${trapPort}/`),
  ),
  ...on("sends-more-than-a-request-may", REFUSED, ({ block }, { origin }) =>
    swallows(
      `(drop (call $http_request ${block(ask(`${origin}/text`, { method: "POST" }))} (call $alloc (i64.const 262145))))`,
    ),
  ),
  ...on("sends-a-request-of-100-kilobytes", REFUSED, ({ block }) =>
    swallows(`(drop (call $http_request ${block(ask("a".repeat(100_000)))} (i64.const 0)))`),
  ),
  ...on("sends-a-request-with-two-urls", { kind: "trap" }, ({ block }, { origin, trapPort }) =>
    swallows(
      `(drop (call $http_request ${block(`{"url":"${origin}/text","\\u0075rl":"http://127.0.0.1:${trapPort}/"}`)} (i64.const 0)))`,
    ),
  ),
  ...on("sends-a-request-from-nowhere", { kind: "trap" }, () =>
    swallows("(drop (call $http_request (i64.const -8) (i64.const 0)))"),
  ),
  ...on("sends-a-body-from-nowhere", { kind: "trap" }, ({ block }, { origin }) =>
    swallows(`(drop (call $http_request ${block(ask(`${origin}/text`))} (i64.const 123456789)))`),
  ),
];
