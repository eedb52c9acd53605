import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import os, { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { createEngine } from "../../src/engine.ts";
import type { Problem } from "../../src/errors.ts";
import type { Layer } from "../../src/layer-trust.ts";
import type { RuleReport, Verdict } from "../../src/verdict.ts";
import { inProcess } from "../e2e/in-process.ts";
import fc from "../helpers/fc.ts";
import { times } from "../helpers/tier.ts";

/**
 * Whatever files less trusted layers have, no decision of a more trusted rule gets weaker, and each of their settings
 * that would have changed one is reported.
 */

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const isKnown = request.headers["x-key"] === "secret";
    response.setHeader("content-type", "application/json");
    response.end(isKnown ? '{"decision":"block","reason":"the server says no"}' : "{}");
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  process.env["TRUST_KEY"] = "secret";
});
afterAll(() => {
  server.close();
  delete process.env["TRUST_KEY"];
});

const said = (fields: object): string =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } })}'`;

/** What a rule does, by the answer that its report must keep. */
const RULES = {
  denies: { type: "command", command: said({ permissionDecision: "deny", permissionDecisionReason: "no" }) },
  asks: { type: "command", command: said({ permissionDecision: "ask", permissionDecisionReason: "well" }) },
  allows: { type: "command", command: said({ permissionDecision: "allow" }) },
  rewrites: { type: "command", command: said({ updatedInput: { command: "echo safe" } }) },
  silent: { type: "command", command: "true" },
  fails: { type: "command", command: "exit 3" },
  // Weak if its deadline can be set by other files.
  slowly: { type: "command", command: "sleep 0.05; echo no >&2; exit 2", onFailure: "continue" },
  guard: { type: "wasm", module: "builtin:shell-guard", onFailure: "continue" },
  once: { type: "command", command: "echo no >&2; exit 2", once: true },
  web: { type: "http", headers: { "x-key": "$TRUST_KEY" }, allowedEnvVars: ["TRUST_KEY"], onFailure: "continue" },
} as const;
type Kind = keyof typeof RULES;
const ruleOf = (kind: Kind): object => (kind === "web" ? { ...RULES.web, url } : RULES[kind]);

const IN_CLAUDE: readonly Kind[] = ["denies", "asks", "rewrites", "silent", "slowly"];

/** Settings that would weaken a rule of another file, and the rules that they do not affect. */
const SETTINGS: Readonly<Record<string, { readonly value: object; readonly binds: (kind: Kind) => boolean }>> = {
  "/disableAllHooks": { value: { disableAllHooks: true }, binds: () => true },
  "/allowManagedHooksOnly": { value: { allowManagedHooksOnly: true }, binds: () => true },
  "/compat": { value: { compat: "faithful" }, binds: () => true },
  "/claudeContract": { value: { claudeContract: "2.1.240" }, binds: () => true },
  "/allowedHttpHookUrls": { value: { allowedHttpHookUrls: [] }, binds: (kind) => kind === "web" },
  "/httpHookAllowedEnvVars": { value: { httpHookAllowedEnvVars: [] }, binds: (kind) => kind === "web" },
  "/defaults/event/patienceMs": { value: { defaults: { event: { patienceMs: 1 } } }, binds: () => true },
  "/defaults/command/timeoutMs": {
    value: { defaults: { command: { timeoutMs: 1 } } },
    binds: (kind) => kind !== "guard",
  },
  "/defaults/wasm/timeoutMs": { value: { defaults: { wasm: { timeoutMs: 1 } } }, binds: (kind) => kind === "guard" },
  "/defaults/wasm/fuel": { value: { defaults: { wasm: { fuel: 10_000 } } }, binds: (kind) => kind === "guard" },
  "/defaults/wasm/fuelPerInputByte": {
    value: { defaults: { wasm: { fuelPerInputByte: 0 } } },
    binds: (kind) => kind === "guard",
  },
  "/defaults/wasm/memoryMiB": { value: { defaults: { wasm: { memoryMiB: 1 } } }, binds: (kind) => kind === "guard" },
};
const CLAUDE_SETTINGS = [
  "/disableAllHooks",
  "/allowManagedHooksOnly",
  "/allowedHttpHookUrls",
  "/httpHookAllowedEnvVars",
];

/** By extension: how a file is written. */
const FORMATS = [".json", ".jsonc", ".yaml", ".yml"] as const;
type Extension = (typeof FORMATS)[number];

const kinds = (all: readonly Kind[]) => fc.subarray([...all], { maxLength: 4 });
const trusted = fc.record({
  layers: fc.subarray(["managed", "user", "command-line"] as Layer[], { minLength: 1 }),
  own: kinds(Object.keys(RULES) as Kind[]).filter((some) => some.length > 0),
  claude: kinds(IN_CLAUDE),
});
const terms = fc.record(
  {
    priority: fc.constantFrom(-5, 5, 1_000),
    mode: fc.constant("monitor"),
    name: fc.constantFrom("denies", "guard", "slowly"),
    async: fc.boolean(),
    once: fc.constantFrom(true, "forever"),
    timeoutMs: fc.constantFrom(1, 40),
  },
  { requiredKeys: [] },
);
const untrusted = fc.record({
  layer: fc.constantFrom<Layer>("project", "local"),
  file: fc.constantFrom<Extension | "settings.json">(...FORMATS, "settings.json"),
  rules: fc.array(fc.tuple(fc.constantFrom(...(Object.keys(RULES) as Kind[])), terms), { maxLength: 3 }),
  settings: fc.uniqueArray(fc.constantFrom(...Object.keys(SETTINGS)), { maxLength: 4 }),
});
type Untrusted = typeof untrusted extends fc.Arbitrary<infer Value> ? Value : never;

function merged(values: readonly object[]): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [key, value] of values.flatMap(Object.entries) as [string, unknown][]) {
    const before = all[key];
    all[key] =
      typeof before === "object" && !Array.isArray(before) ? merged([before as object, value as object]) : value;
  }
  return all;
}

/** Hooks that a project's file may not have are not generated for it. */
function contentOf({ file, rules, settings }: Untrusted): { readonly value: object; readonly said: readonly string[] } {
  const isClaude = file === "settings.json";
  const usable = rules.filter(([kind]) => kind !== "web" && (!isClaude || IN_CLAUDE.includes(kind)));
  const said = settings.filter((pointer) => !isClaude || CLAUDE_SETTINGS.includes(pointer));
  const entries = usable.map(([kind, more]) => ({ ...ruleOf(kind), ...(isClaude ? {} : more) }));
  const values = said.map((pointer) => SETTINGS[pointer]?.value ?? {});
  return { value: { ...merged(values), ...hooksOf(entries) }, said };
}

const hooksOf = (entries: readonly object[]): object => ({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: entries }] },
});

const EVENT = {
  session_id: "s",
  cwd: "/x",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "rm -rf /" },
};

const STRENGTH: Readonly<Record<string, number>> = { none: 0, allow: 0, ask: 1, defer: 2, block: 3, deny: 3 };

interface Judged {
  readonly verdict: Verdict;
  /** The reports of the more trusted rules. */
  readonly parts: readonly RuleReport[];
  readonly problems: readonly Problem[];
}

function world(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "hookbox-trust-property-")));
}

function write(file: string, value: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, /ya?ml$/.test(file) ? stringify(value) : JSON.stringify(value, null, 1));
}

/** A rule's part of a verdict, without what depends on others: its duration and its label. */
const partOf = ({ rule, mode, status, decision, failure, onFailure, look }: RuleReport) => ({
  ...{ rule, mode, status, decision, onFailure, look },
  failure: failure?.kind ?? null,
});

/** A permission may disappear: it was for another input than the one that other rules have made. */
const withoutPermission = (part: ReturnType<typeof partOf>) => ({
  ...part,
  decision: part.decision === "allow" ? null : part.decision,
  status: part.decision === "allow" ? "abstained" : part.status,
});

function expectAsStrong(alone: Judged, beside: Judged): void {
  const first = (judged: Judged) => judged.parts.map(partOf).map(withoutPermission);
  expect(first(beside)).toEqual(first(alone));
  const [before, after] = [alone.verdict.decision, beside.verdict.decision];
  expect(STRENGTH[after]).toBeGreaterThanOrEqual(STRENGTH[before] ?? 0);
  if (!alone.verdict.continue) expect(beside.verdict.continue).toBe(false);
  if (alone.verdict.updatedInput !== null && beside.verdict.updatedInput !== null)
    expect(beside.verdict.updatedInput).toEqual(alone.verdict.updatedInput);
}

/** Each setting that would restrict a rule of the user's is reported with its place. */
function expectReported(
  problems: readonly Problem[],
  file: string,
  said: readonly string[],
  own: readonly Kind[],
): void {
  const told = problems.filter(({ code }) => code === "HOOK_CONFIG_SCOPE");
  for (const { severity, place, hint } of told) {
    expect(severity).toBe("warning");
    expect(place?.line).toBeGreaterThan(0);
    expect(hint).toEqual(expect.any(String));
  }
  const pointers = told.filter(({ place }) => place?.file.endsWith(file) === true).map(({ place }) => place?.pointer);
  for (const pointer of said)
    if (own.some((kind) => SETTINGS[pointer]?.binds(kind))) expect(pointers).toContain(pointer);
}

describe("no less trusted file weakens a more trusted rule", () => {
  test("through createEngine, whatever layers the files have", { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(trusted, fc.array(untrusted, { maxLength: 3 }), async ({ layers, own, claude }, others) => {
        const folder = world();
        try {
          const ownFiles = layers.flatMap((layer, index) => {
            const files = [join(folder, "own", `${index}.json`), join(folder, "own", `${index}`, "settings.json")];
            write(files[0] as string, hooksOf(own.map(ruleOf)));
            write(files[1] as string, hooksOf(claude.map(ruleOf)));
            return files.map((file) => ({ file, layer }));
          });
          const theirs = others.map((one, index) => {
            const { value, said } = contentOf(one);
            const name = one.file === "settings.json" ? one.file : `hookbox${one.file}`;
            const file = join(folder, "theirs", String(index), name);
            write(file, value);
            return { file, layer: one.layer, said };
          });
          const isOwn = new Set<Layer>(["managed", "user", "command-line"]);
          const judge = async (files: readonly { file: string; layer: Layer }[]): Promise<Judged> => {
            const engine = await createEngine({
              configFiles: files.map(({ file, layer }) => ({ file, layer })),
              cwd: folder,
              cacheDir: false,
              sandbox: { threads: 1 },
            });
            try {
              const verdict = await engine.dispatch("PreToolUse", EVENT);
              // Reports are in the order of the selected rules.
              const selected = engine.explain("PreToolUse", EVENT).filter(({ applies }) => applies);
              const parts = verdict.rules.filter(
                ({ look }, index) => look === "first" && isOwn.has(selected[index]?.rule.layer ?? "project"),
              );
              return { verdict, parts, problems: engine.problems };
            } finally {
              await engine.close();
            }
          };
          const alone = await judge(ownFiles);
          const beside = await judge([...ownFiles, ...theirs]);
          expectAsStrong(alone, beside);
          for (const { file, said } of theirs) expectReported(beside.problems, file, said, own);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: times(25, 8) },
    );
  });

  test("through the files that the command line finds or is given", { timeout: 240_000 }, async () => {
    const place = fc.constantFrom(
      "found",
      "named",
      "named by a link",
      "in the environment",
      "in the environment, outside",
    );
    const before = os.userInfo;
    try {
      await fc.assert(
        fc.asyncProperty(trusted, fc.array(fc.tuple(untrusted, place), { maxLength: 3 }), async ({ own }, others) => {
          const folder = world();
          const home = join(folder, "home");
          const project = join(folder, "project");
          mkdirSync(project);
          // The account's own home, whatever the environment says.
          os.userInfo = (() => ({ ...before(), homedir: home })) as typeof before;
          syncBuiltinESMExports();
          try {
            const user = join(home, ".config", "hookbox", "hookbox.json");
            write(user, hooksOf(own.map((kind, index) => ({ ...ruleOf(kind), name: `own ${index}` }))));
            const terms: Terms = { args: [], env: { HOME: home, XDG_STATE_HOME: join(folder, "state 1") } };
            const alone = await judgeBy(project, terms);
            const env: Record<string, string> = { ...terms.env, XDG_STATE_HOME: join(folder, "state 2") };
            const args: string[] = [];
            const files: { readonly file: string; readonly said: readonly string[] }[] = [];
            for (const [index, [one, where]] of others.entries()) {
              const { value, said } = contentOf(one);
              const name = one.file === "settings.json" ? one.file : `hookbox${one.file}`;
              const found = where === "found" && one.file !== "settings.json";
              const outside = where === "in the environment, outside";
              const told = outside || where === "in the environment";
              const xdg = join(outside ? folder : project, "xdg");
              const file = told ? join(xdg, "hookbox/hookbox.json") : join(project, found ? name : `${index}/${name}`);
              write(file, value);
              files.push({ file: outside ? file : relative(project, file), said });
              if (told) env["XDG_CONFIG_HOME"] = xdg;
              if (found || told) continue;
              if (where === "named by a link") symlinkSync(file, join(folder, `${index}-${name}`));
              args.push("--config", where === "named by a link" ? `../${index}-${name}` : `${index}/${name}`);
            }
            const beside = await judgeBy(project, { args, env });
            expectAsStrong(alone, beside);
            // The last of several files with one name has overwritten the others, and a link is listed by its own name.
            const last = files.filter(({ file }, index) => files.findLastIndex((one) => one.file === file) === index);
            for (const { file, said } of last)
              if (beside.files.includes(file)) expectReported(beside.problems, file, said, own);
          } finally {
            rmSync(folder, { recursive: true, force: true });
          }
        }),
        { numRuns: times(15, 5) },
      );
    } finally {
      os.userInfo = before;
      syncBuiltinESMExports();
    }
  });
});

interface Terms {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `run` and `check` in a project, and the files whose rules or problems `check` names. */
async function judgeBy(
  project: string,
  { args, env: said }: Terms,
): Promise<Judged & { readonly files: readonly string[] }> {
  const env = { XDG_CONFIG_HOME: "", TRUST_KEY: "secret", ...said };
  const stdin = JSON.stringify(EVENT);
  const ran = await inProcess(["run", "--json", ...args], { cwd: project, env, stdin });
  const verdict = JSON.parse(ran.stdout) as Verdict;
  const checked = await inProcess(["check", "--json", ...args], { cwd: project, env });
  const { problems, rules } = JSON.parse(checked.stdout) as {
    readonly problems: readonly Problem[];
    readonly rules: readonly { readonly name: string; readonly place: { readonly file: string } | null }[];
  };
  const parts = verdict.rules.filter(({ rule, look }) => look === "first" && rule.startsWith("own "));
  const places = [...problems, ...rules].flatMap(({ place }) =>
    place === undefined || place === null ? [] : [place.file],
  );
  return { verdict, parts, problems, files: places.map((file) => file.replace(`${project}/`, "")) };
}
