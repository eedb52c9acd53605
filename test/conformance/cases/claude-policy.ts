import type { CaseFamily, ConformanceCase, JsonObject, Kit } from "../case.ts";
import { at, command, decision } from "../claude-hooks.ts";

const PRE = "PreToolUse";

const SCOPE = "HOOK_CONFIG_SCOPE";

/**
 * Which files switch hooks off, which hooks run then, and how often a switch without effect on other hooks is reported.
 * The agent uses the nearest file; here no file switches off hooks of a more trusted file, or switches any on again.
 */
const SWITCHES: readonly (readonly [
  title: string,
  disableAllHooks: Readonly<Record<string, boolean>>,
  runs: JsonObject,
  reports: number,
])[] = [
  ["user", { user: true }, { managed: 1, user: 0, project: 0 }, 1],
  ["user, and project says no", { user: true, project: false }, { managed: 1, user: 0, project: 0 }, 2],
  ["project, and user says no", { user: false, project: true }, { managed: 1, user: 1, project: 1 }, 1],
  ["project", { project: true }, { managed: 1, user: 1, project: 0 }, 1],
  [
    "command line over both",
    { user: false, project: false, "command-line": true },
    { managed: 1, user: 0, project: 0 },
    2,
  ],
  ["command line says no", { project: true, "command-line": false }, { managed: 1, user: 1, project: 1 }, 1],
  ["managed", { managed: true }, { managed: 0, user: 0, project: 0 }, 0],
  ["managed says no", { managed: false, user: true }, { managed: 1, user: 1, project: 1 }, 1],
];

const LAYERS = ["managed", "user", "project", "command-line"] as const;

function layered(kit: Kit, settings: (layer: string) => JsonObject) {
  return LAYERS.map((layer) => ({
    layer,
    config: { ...settings(layer), ...at(PRE, command(kit, layer, "true")) },
  }));
}

const switches: readonly ConformanceCase[] = SWITCHES.map(([title, values, runs, reports]) => ({
  id: `PK1/${title.replaceAll(/\W+/g, "-")}`,
  title,
  matrix: "disableAllHooks of the most trusted file counts, and switches off no more trusted hooks",
  moreFiles: (kit) =>
    layered(kit, (layer) => (values[layer] === undefined ? {} : { disableAllHooks: values[layer] as boolean })),
  expect: {
    runs: runs as Readonly<Record<string, number>>,
    problems: [
      ...Array<string>(reports).fill(SCOPE),
      ...(Object.values(runs).includes(0) ? ["HOOK_CONFIG_DISABLED"] : []),
    ],
  },
}));

/** A web hook whose URL is checked against lists. */
const web = (kit: Kit, more: JsonObject = {}): JsonObject => ({
  type: "http",
  url: kit.server("hook", ({ headers }) => ({ body: decision("allow", String(headers["x-values"] ?? "")) })),
  ...more,
});

const HERE = "http://127.0.0.1:*/hooks/*";
const elsewhere: JsonObject = { allowedHttpHookUrls: ["https://hooks.example.com/*"] };
const sent = { verdict: { decision: "allow" }, runs: { hook: 1 } } as const;
const refused = { verdict: { decision: "deny" }, runs: { hook: 0 }, problems: ["HOOK_HTTP_URL"] } as const;
const VALUES: JsonObject = { headers: { "X-Values": "$LANG-$HOME" }, allowedEnvVars: ["LANG", "HOME"] };

export const policy: CaseFamily = {
  title: "Claude Code: settings that bind hooks",
  source: "Settings reference and managed settings (2.1.240)",
  dialect: "claude-code",
  cases: [
    ...switches,
    {
      id: "PK2/managed",
      title: "of managed settings leaves managed hooks alone",
      matrix: "allowManagedHooksOnly",
      moreFiles: (kit) => layered(kit, (layer) => (layer === "managed" ? { allowManagedHooksOnly: true } : {})),
      expect: { runs: { managed: 1, user: 0, project: 0, "command-line": 0 } },
    },
    ...["user", "project"].map(
      (from): ConformanceCase => ({
        id: `PK2/${from}`,
        title: `of ${from} settings means nothing, and is reported`,
        matrix: "allowManagedHooksOnly",
        moreFiles: (kit) => layered(kit, (layer) => (layer === from ? { allowManagedHooksOnly: true } : {})),
        expect: { runs: { managed: 1, user: 1, project: 1, "command-line": 1 }, problems: [SCOPE] },
      }),
    ),
    {
      id: "PK3",
      title: "lists of allowed URLs in equally trusted files add up",
      config: (kit) => ({ ...elsewhere, ...at(PRE, web(kit)) }),
      moreFiles: () => [{ layer: "command-line", config: { allowedHttpHookUrls: [HERE] } }],
      expect: sent,
    },
    {
      id: "PK3b",
      title: "a project's list of allowed URLs does not widen the user's list",
      config: (kit) => ({ ...elsewhere, ...at(PRE, web(kit)) }),
      moreFiles: () => [{ layer: "project", config: { allowedHttpHookUrls: [HERE] } }],
      expect: { ...refused, problems: [SCOPE, "HOOK_HTTP_URL"] },
    },
    {
      id: "PK4",
      title: "a host in the list of allowed URLs ignores case and a final dot",
      config: (kit) => {
        const hook = web(kit);
        const url = String(hook["url"]).replace("127.0.0.1", "localhost.");
        return { allowedHttpHookUrls: ["http://LocalHost:*/*"], ...at(PRE, { ...hook, url }) };
      },
      expect: sent,
    },
    {
      id: "PK5/free",
      title: "not a managed hook, where managed settings have no list",
      matrix: "the hooks to which a list in the user's settings applies",
      layer: "managed",
      config: (kit) => at(PRE, web(kit)),
      moreFiles: () => [{ layer: "user", config: elsewhere }],
      expect: { ...sent, problems: [SCOPE] },
    },
    {
      id: "PK5/bound",
      title: "not a managed hook, where managed settings have one as well",
      matrix: "the hooks to which a list in the user's settings applies",
      layer: "managed",
      config: (kit) => ({ allowedHttpHookUrls: [HERE], ...at(PRE, web(kit)) }),
      moreFiles: () => [{ layer: "user", config: elsewhere }],
      expect: { ...sent, problems: [SCOPE] },
    },
    {
      id: "PK5/own",
      title: "the user's own hook",
      matrix: "the hooks to which a list in the user's settings applies",
      config: (kit) => ({ ...elsewhere, ...at(PRE, web(kit)) }),
      expect: refused,
    },
    {
      id: "PK6/both",
      title: "lists of two files",
      matrix: "headers may name variables that the lists and the hook allow",
      config: (kit) => ({ httpHookAllowedEnvVars: ["HOME"], ...at(PRE, web(kit, VALUES)) }),
      moreFiles: () => [{ layer: "command-line", config: { httpHookAllowedEnvVars: ["PATH"] } }],
      expect: { verdict: { decision: "allow", reason: new RegExp(`: -${process.env["HOME"]}$`) } },
    },
    {
      id: "PK6/managed",
      title: "a managed hook is not bound by the user's list",
      matrix: "headers may name variables that the lists and the hook allow",
      layer: "managed",
      config: (kit) => at(PRE, web(kit, VALUES)),
      moreFiles: () => [{ layer: "user", config: { httpHookAllowedEnvVars: [] } }],
      expect: {
        verdict: { decision: "allow", reason: new RegExp(`-${process.env["HOME"]}$`) },
        problems: [SCOPE],
      },
    },
    {
      id: "PK6/none",
      title: "an empty list",
      matrix: "headers may name variables that the lists and the hook allow",
      config: (kit) => ({ httpHookAllowedEnvVars: [], ...at(PRE, web(kit, VALUES)) }),
      expect: { verdict: { decision: "allow", reason: /: -$/ } },
    },
    {
      id: "PK7",
      title: "strictPluginOnlyCustomization excludes hooks of user and project settings",
      later: "plugins have no layer of their own yet",
    },
  ],
};
