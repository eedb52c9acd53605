import type { CaseFamily, ConformanceCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";
import { GENERIC_PAGE, patternsAt } from "../pattern-hooks.ts";

const PRE = "PreToolUse";

/** Addresses to which no hook of the page may send. */
const REFUSED = [
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.254",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "[::ffff:10.0.0.1]",
  "[::ffff:a9fe:a9fe]",
  "[::ffff:c0a8:101]",
  "[64:ff9b::a00:1]",
  "[2002:a00:1::]",
  "[fd00::1]",
  "[fe80::1]",
  "[::]",
  "0xa.0.0.1",
  "012.0.0.1",
  "167772161",
  "0xa9fea9fe",
];

const refused: readonly ConformanceCase[] = REFUSED.map((host) => ({
  id: `GP62/${host}`,
  title: host,
  matrix: "hookbox sends nothing to a private, metadata or carrier's address, in any spelling",
  config: () => patternsAt(PRE, { type: "http", url: `http://${host}/hook` }),
  expect: {
    either: {
      verdict: {
        decision: "deny",
        reason: /capability/,
        rules: [{ outcome: "blocking", failure: { kind: "capability" } }],
      },
      problems: ["HOOK_HTTP_URL"],
    },
  },
}));

const LOOPBACK = ["127.0.0.1", "localhost", "127.1", "2130706433", "[::ffff:127.0.0.1]"];

const allowed: readonly ConformanceCase[] = LOOPBACK.map((host) => ({
  id: `GP63/${host}`,
  title: host,
  matrix: "a web hook of any file may send to this machine",
  layer: "project",
  config: (kit) =>
    patternsAt(PRE, {
      type: "http",
      url: kit.server("hook", { body: { decision: "block", reason: "by policy" } }).replace("127.0.0.1", host),
    }),
  expect: { verdict: { decision: "deny", reason: /: by policy$/ }, runs: { hook: 1 } },
}));

const SCHEMES = ["file:///etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/", "http://user:secret@127.0.0.1/"];

export const patternsAddresses: CaseFamily = {
  title: "Generic page: where web hooks may send to",
  source: `${GENERIC_PAGE}, SSRF`,
  dialect: "patterns",
  cases: [
    ...refused,
    ...allowed,
    ...SCHEMES.map(
      (url): ConformanceCase => ({
        id: `GP64/${url}`,
        title: url,
        matrix: "a web hook's URL has the scheme http or https, and no password",
        config: () => patternsAt(PRE, { type: "http", url }),
        expect: { either: { verdict: { decision: "deny" }, problems: ["HOOK_HTTP_URL"] } },
      }),
    ),
    ...[
      "http://10.0.0.1/",
      "http://169.254.169.254/latest/meta-data/",
      "http://[::ffff:a9fe:a9fe]/",
      "file:///etc/passwd",
    ].map(
      (location): ConformanceCase => ({
        id: `GP65/${location}`,
        title: location,
        matrix: "hookbox judges a redirect like the URL itself",
        config: (kit) =>
          patternsAt(PRE, { type: "http", url: kit.server("hook", { status: 307, headers: { location } }) }),
        expect: {
          either: {
            verdict: { decision: "deny", rules: [{ failure: { kind: "capability", message: /redirects/ } }] },
            runs: { hook: 1 },
          },
        },
      }),
    ),
    {
      id: "GP66",
      title: "hookbox follows a redirect to another server of this machine, with the event",
      config: (kit) => {
        const second = kit.server("second", ({ body }) => ({
          body: { decision: body.includes('"tool_name":"Bash"') ? "allow" : "block" },
        }));
        return patternsAt(PRE, {
          type: "http",
          url: kit.server("first", { status: 307, headers: { location: second } }),
        });
      },
      expect: { verdict: { decision: "allow" }, runs: { first: 1, second: 1 } },
    },
    {
      id: "GP67",
      title: "a refused web hook is an error, and at an event that only observes the other hooks run",
      event: "PostToolUse",
      config: (kit) =>
        patternsAt(
          "PostToolUse",
          { type: "http", url: "http://192.168.0.1/audit" },
          { type: "command", command: kit.script("other", prints({})) },
        ),
      expect: {
        either: {
          verdict: { decision: "none", rules: [{ outcome: "non_blocking_error" }, { outcome: "success" }] },
          runs: { other: 1 },
          problems: ["HOOK_HTTP_URL"],
        },
      },
    },
    {
      id: "GP68",
      title: "a web hook's answer of more than a mebibyte is a failure",
      config: (kit) =>
        patternsAt(PRE, { type: "http", url: kit.server("hook", { body: { reason: "x".repeat(1_100_000) } }) }),
      expect: {
        default: { verdict: { decision: "deny", rules: [{ failure: { kind: "output-too-large" } }] } },
        faithful: { verdict: { decision: "none", rules: [{ failure: { kind: "output-too-large" } }] } },
      },
    },
    {
      id: "GP69",
      title: "hookbox judges a host name at its look-up, by all its addresses",
      coveredBy: "test/net/names.test.ts",
    },
    { id: "GP70", title: "hookbox does not use a proxy of the environment", coveredBy: "test/net/names.test.ts" },
    {
      id: "GP71",
      title: "hookbox looks up a host name once, and connects to the judged address",
      coveredBy: "test/net/names.test.ts",
    },
  ],
};
