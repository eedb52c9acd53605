import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine, type EngineOptions } from "../../src/engine.ts";
import type { JsonObject } from "../../src/json.ts";
import { LAYERS, type Layer, trustOf } from "../../src/layer-trust.ts";
import { makeFolder } from "../helpers/folders.ts";

/** Exceptions against the shipped guards. Each attack differs from the excepted call in one point. */

const GUARDS = ["shell-guard", "path-guard", "self-guard"].map((name) => ({
  type: "wasm",
  module: `builtin:${name}`,
  timeoutMs: 20_000,
}));
const RULES = { hooks: { PreToolUse: [{ hooks: GUARDS }], PermissionRequest: [{ hooks: GUARDS }] } };
const COMMAND = "mkfs.ext4 /dev/sdb";
const LATER = "2999-12-31";

let folder: string;
beforeEach(() => {
  folder = makeFolder({ "app/fixtures": null, "app/other": null, "old/x": "" });
});
const app = () => join(folder, "app");

async function engineWith(files: readonly (readonly [Layer, object])[], options: EngineOptions = {}): Promise<Engine> {
  const place = makeFolder(Object.fromEntries(files.map(([, value], at) => [`${at}.json`, JSON.stringify(value)])));
  const engine = await createEngine({
    configFiles: files.map(([layer], at) => ({ file: join(place, `${at}.json`), layer })),
    sandbox: { threads: 1 },
    cacheDir: false,
    ...options,
  });
  onTestFinished(() => engine.close());
  return engine;
}

type Written = Readonly<Record<string, unknown>>;
const exception = (more: Written = {}): Written => ({
  guard: "shell-guard",
  command: COMMAND,
  directory: app(),
  reason: "the old copy",
  expires: LATER,
  ...more,
});
const withExceptions = (...exceptions: readonly Written[]): Promise<Engine> =>
  engineWith([["user", { ...RULES, exceptions }]]);

const call = (tool_name: string, tool_input: JsonObject, cwd = app()): JsonObject => ({
  session_id: "s",
  cwd,
  tool_name,
  tool_input,
});
const decide = async (engine: Engine, payload: JsonObject, event = "PreToolUse"): Promise<string> =>
  (await engine.dispatch(event, payload)).decision;

describe("an exception for a command", () => {
  test("lets exactly this call pass, and the verdict names the exception", async () => {
    const engine = await withExceptions(exception());
    const payload = call("Bash", { command: COMMAND, description: "remove", timeout: 5 });
    const { decision, rules } = await engine.dispatch("PreToolUse", payload);
    expect(decision).toBe("none");
    expect(rules.find(({ rule }) => rule === "shell-guard")).toMatchObject({
      status: "abstained",
      excepted: {
        reason: "the old copy",
        expires: LATER,
        place: { pointer: "/exceptions/0", line: expect.any(Number) },
      },
    });
    expect(await decide(engine, call("Bash", { command: COMMAND }), "PermissionRequest")).toBe("none");
  });

  test.each<[attack: string, tool: string, input: (cwd: string) => JsonObject, cwd?: (own: string) => string]>([
    ["another command", "Bash", () => ({ command: "mkfs.ext4 /dev/sdc" })],
    ["a command behind the command", "Bash", () => ({ command: `${COMMAND}; mkfs.ext4 /dev/sdc` })],
    ["a line behind the command", "Bash", () => ({ command: `${COMMAND}\nmkfs.ext4 /dev/sdc` })],
    ["a blank behind the command", "Bash", () => ({ command: `${COMMAND} ` })],
    ["another letter that looks the same", "Bash", () => ({ command: "mkfs.ext4 /dev/\u0455db" })],
    ["an invisible letter", "Bash", () => ({ command: `${COMMAND}\u200b` })],
    ["a list of words", "Bash", () => ({ command: COMMAND.split(" ") })],
    ["a directory of its own", "Bash", (own) => ({ command: COMMAND, workdir: join(own, "other") })],
    ["a second directory", "Bash", (own) => ({ command: COMMAND, workdir: own, cwd: join(own, "other") })],
    ["a directory that is no text", "Bash", (own) => ({ command: COMMAND, workdir: [own] })],
    ["a path with ..", "Bash", (own) => ({ command: COMMAND, workdir: `${own}/other/..` })],
    ["a variable for the command", "Bash", () => ({ command: COMMAND, env: { PATH: "/tmp/evil" } })],
    ["another place of execution", "Bash", () => ({ command: COMMAND, host: "gateway", elevated: true })],
    ["another working directory", "Bash", () => ({ command: COMMAND }), (own) => join(own, "other")],
    ["the directory above", "Bash", () => ({ command: COMMAND }), (own) => join(own, "..")],
  ])("does not count for %s", async (_attack, tool, input, cwd = (own) => own) => {
    const engine = await withExceptions(exception());
    expect(await decide(engine, call(tool, input(app()), cwd(app())))).toBe("deny");
  });

  test.each<[pattern: string, more: Written]>([
    ["a wildcard in the command", { command: "mkfs.ext4 *" }],
    ["a regular expression in the command", { command: "mkfs.ext4 .*" }],
    ["a wildcard in the directory", { directory: "/*" }],
    ["a wildcard in the tool", { tool: "*" }],
    ["the directory above", { directory: ".." }],
    ["another tool", { tool: "Write" }],
    ["another guard", { guard: "path-guard" }],
    ["a rule of another name", { guard: undefined, rule: "Shell-Guard" }],
    ["a day that is over", { expires: "2020-01-01" }],
  ])("names no other calls by %s", async (_pattern, more) => {
    const engine = await withExceptions(exception(more));
    expect(await decide(engine, call("Bash", { command: COMMAND }))).toBe("deny");
  });

  test("does not count in a folder that has become a link", async () => {
    const own = makeFolder({ app: null, elsewhere: null });
    const engine = await withExceptions(exception({ directory: join(own, "app") }));
    const payload = call("Bash", { command: COMMAND }, join(own, "app"));
    expect(await decide(engine, payload)).toBe("none");
    renameSync(join(own, "app"), join(own, "gone"));
    symlinkSync(join(own, "elsewhere"), join(own, "app"));
    expect(await decide(engine, payload)).toBe("deny");
  });

  test("does not count for an input that another rule has rewritten", async () => {
    const engine = await withExceptions(exception());
    const rewrites = { event: "PreToolUse", type: "function", name: "rewrites", may: ["rewrite"] } as const;
    await engine.register([
      {
        ...rewrites,
        run: () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "rm -rf /" } } }),
      },
    ]);
    expect(await decide(engine, call("Bash", { command: COMMAND }))).toBe("deny");
  });

  test("ends no other rule's refusal, and no failure", async () => {
    const engine = await withExceptions(exception({ command: "hookbox disable" }));
    expect(await decide(engine, call("Bash", { command: "hookbox disable" }))).toBe("deny");
    const failing = await engineWith([
      [
        "user",
        {
          hooks: { PreToolUse: [{ hooks: [{ type: "wasm", module: "./missing.wasm", name: "gone" }] }] },
          exceptions: [exception({ guard: undefined, rule: "gone" })],
        },
      ],
    ]);
    expect(await decide(failing, call("Bash", { command: COMMAND }))).toBe("deny");
  });
});

describe("an exception for an input", () => {
  const input = { file_path: ".env", content: "A=1\n" };
  const one = () => exception({ guard: "path-guard", command: undefined, tool: "Write", input });

  test("lets exactly this input pass", async () => {
    const engine = await withExceptions(one());
    expect(await decide(engine, call("Write", input))).toBe("none");
    expect(await decide(engine, call("Write", { ...input, content: "A=2\n" }))).toBe("deny");
    expect(await decide(engine, call("Write", { ...input, more: true }))).toBe("deny");
    expect(await decide(engine, call("Write", input, join(app(), "other")))).toBe("deny");
    expect(await decide(engine, call("Edit", input))).toBe("deny");
  });
});

describe("an exception for a directory", () => {
  const one = () => exception({ guard: "path-guard", command: undefined, directory: join(app(), "fixtures") });

  test("lets calls pass whose files are all in the directory", async () => {
    const engine = await withExceptions(one());
    expect(await decide(engine, call("Write", { file_path: "fixtures/.env", content: "" }))).toBe("none");
    expect(await decide(engine, call("Read", { file_path: join(app(), "fixtures/deep/.env") }))).toBe("none");
  });

  test.each<[attack: string, tool: string, input: JsonObject]>([
    ["a file next to the directory", "Write", { file_path: "fixtures.old/.env", content: "" }],
    ["a file above the directory", "Write", { file_path: ".env", content: "" }],
    ["a way out of the directory", "Write", { file_path: "fixtures/../.env", content: "" }],
    ["a link out of the directory", "Write", { file_path: "fixtures/out/.env", content: "" }],
    ["a link to nothing", "Write", { file_path: "fixtures/.env.dangling", content: "" }],
    ["a second file", "MultiEdit", { edits: [{ file_path: "fixtures/.env" }, { file_path: ".env" }] }],
    ["a move out of the directory", "mcp__f__move_file", { source: "fixtures/.env", destination: ".git/hooks/x" }],
    ["a command", "Bash", { command: "cat fixtures/.env" }],
    ["a command in the directory", "Bash", { command: "cat .env", workdir: "fixtures" }],
  ])("does not count for %s", async (_attack, tool, input) => {
    const own = join(app(), "fixtures");
    try {
      symlinkSync(join(folder, "old"), join(own, "out"));
      symlinkSync(join(folder, "nothing"), join(own, ".env.dangling"));
    } catch {
      // An earlier case made the links.
    }
    const engine = await withExceptions(one());
    expect(await decide(engine, call(tool, input))).toBe("deny");
  });
});

describe("the layer of an exception", () => {
  const pairs = LAYERS.flatMap((above) => LAYERS.map((rule) => [above, rule] as const));
  test.each(pairs)("%s loosens a rule of %s only if it is at least as trusted", async (own, rule) => {
    const engine = await engineWith([
      [own, { exceptions: [exception()] }],
      [rule, { hooks: { PreToolUse: [{ hooks: GUARDS.slice(0, 1) }] } }],
    ]);
    const isExcepted = trustOf(own) >= trustOf(rule);
    expect(await decide(engine, call("Bash", { command: COMMAND }))).toBe(isExcepted ? "none" : "deny");
    const codes = engine.problems.map(({ code }) => code);
    expect(codes).toEqual(isExcepted ? [] : ["HOOK_CONFIG_SCOPE"]);
  });

  test("of a project that the user has not approved counts for nothing", async () => {
    const engine = await engineWith([["project", { ...RULES, exceptions: [exception()] }]], { approvals: "required" });
    expect(await decide(engine, call("Bash", { command: COMMAND }))).toBe("deny");
  });

  test("also reaches rules that a program registers", async () => {
    const engine = await engineWith([["user", { exceptions: [exception({ guard: undefined, rule: "mine" })] }]]);
    const deny = () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } });
    await engine.register([{ event: "PreToolUse", type: "function", name: "mine", run: deny }]);
    expect(await decide(engine, call("Bash", { command: COMMAND }))).toBe("none");
    expect(await decide(engine, call("Bash", { command: "ls" }))).toBe("deny");
  });
});

test("a use is recorded in the state folder, with a digest and not with the command", async () => {
  const state = makeFolder({});
  const place = join(state, "own");
  const engine = await engineWith([["user", { ...RULES, exceptions: [exception()] }]], { stateFolder: place });
  await decide(engine, call("Bash", { command: "ls" }));
  expect(() => readFileSync(join(place, "exceptions.json"))).toThrow();
  await decide(engine, call("Bash", { command: COMMAND }));
  const text = readFileSync(join(place, "exceptions.json"), "utf8");
  expect(Object.entries(JSON.parse(text))).toEqual([
    [expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
  ]);
});

test("a state folder that cannot be used does not change the answer", async () => {
  const state = makeFolder({ file: "" });
  writeFileSync(join(state, "file"), "x");
  mkdirSync(join(state, "deep"));
  const options = { stateFolder: join(state, "file") };
  const engine = await engineWith([["user", { ...RULES, exceptions: [exception()] }]], options);
  expect(await decide(engine, call("Bash", { command: COMMAND }))).toBe("none");
});

test.each<[what: string, more: Written, message: RegExp]>([
  ["both a guard and a rule", { rule: "x" }, /names a "guard" or a "rule"/],
  ["neither a guard nor a rule", { guard: undefined }, /names a "guard" or a "rule"/],
  ["a command and an input", { tool: "Bash", input: {} }, /not "command" and "input" together/],
  ["an input without a tool", { command: undefined, input: {} }, /"input" needs "tool"/],
  ["no directory", { directory: undefined }, /directory is missing/],
  ["no reason", { reason: undefined }, /reason is missing/],
  ["no day", { expires: undefined }, /expires/],
  ["a day that does not exist", { expires: "2026-02-30" }, /must be a day/],
  ["a time", { expires: "2026-12-31T00:00:00Z" }, /must be a day/],
  ["a variable in the directory", { directory: "$HOME/x" }, /variables are not expanded/],
  ["an unknown key", { commands: ["x"] }, /commands/],
])("an exception with %s is an error, and the gate stays shut", async (_what, more, message) => {
  const engine = await withExceptions(exception(more));
  expect(engine.problems).toMatchObject([{ severity: "error", message: expect.stringMatching(message) }]);
  expect(await decide(engine, call("Bash", { command: COMMAND }))).toBe("deny");
});
