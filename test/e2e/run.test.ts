import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { ABSENT } from "../helpers/folders.ts";
import { answering, guest, wat } from "../helpers/guests.ts";
import { sampleOf } from "../helpers/tier.ts";
import { bashCall, expectEndedSoon, hookbox, type Project, project, replyOf, stopCall, verdictOf } from "./cli.ts";
import { inProcess } from "./in-process.ts";

const TIMEOUT_MS = 700;
/** A limit for tests that are not about time: a busy machine may take a while. */
const AMPLE_MS = 20_000;

const MARK = "hookbox-e2e-leftover";

function leftovers(): string[] {
  const list = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" });
  return list.split("\n").filter((line) => line.includes(MARK) && !line.includes("ps -eo"));
}

interface Gate {
  readonly what: string;
  hook(place: Project): object;
  readonly cause: RegExp;
}

const module = (name: string) => (place: Project) => ({
  type: "wasm",
  name: "suspect",
  module: place.write(`${name}.wasm`, guest(name)),
  timeoutMs: AMPLE_MS,
});
const command =
  (line: string, timeoutMs: number = AMPLE_MS) =>
  () => ({ type: "command", name: "suspect", command: line, timeoutMs });

const FAILING: readonly Gate[] = [
  { what: "a guard that never ends", hook: module("allows-then-loops-for-ever"), cause: /fuel: .* 100147000/ },
  {
    what: "a guard that never ends and has fuel for ever",
    hook: (place) => ({ ...module("allows-then-loops-for-ever")(place), limits: { fuel: 2e9 }, timeoutMs: TIMEOUT_MS }),
    cause: /timeout: no answer within 700 ms/,
  },
  { what: "a guard that traps", hook: module("allows-then-traps"), cause: /trap/ },
  { what: "a guard that says it failed", hook: module("allows-and-returns-1"), cause: /exit/ },
  { what: "a guard that prints nothing", hook: module("says-nothing"), cause: /no-output/ },
  { what: "a guard that imports WASI", hook: module("imports-wasi"), cause: /capability: HOOK_MODULE_IMPORT/ },
  { what: "a guard that grows to its limit", hook: module("grows-to-its-limit"), cause: /memory/ },
  { what: "a guard that recurses for ever", hook: module("recurses-for-ever"), cause: /stack/ },
  {
    what: "a guard that prints junk",
    hook: (place) => ({
      type: "wasm",
      name: "suspect",
      module: place.write("junk.wasm", answering('{"decision":')),
      timeoutMs: AMPLE_MS,
    }),
    cause: /invalid-output/,
  },
  {
    what: "a module that does not exist",
    hook: () => ({ type: "wasm", name: "suspect", module: "./missing.wasm", timeoutMs: AMPLE_MS }),
    cause: /HOOK_MODULE_NOT_FOUND/,
  },
  {
    what: "a module with another digest than the pinned one",
    hook: (place) => ({ ...module("abstains")(place), sha256: "0".repeat(64) }),
    cause: /integrity: HOOK_MODULE_DIGEST/,
  },
  {
    what: "a command that sleeps past its deadline",
    hook: command(`sleep 600; : ${MARK}`, TIMEOUT_MS),
    cause: /timeout/,
  },
  {
    what: "a command that ignores SIGTERM",
    hook: command(`trap '' TERM; while :; do sleep 1; done; : ${MARK}`, TIMEOUT_MS),
    cause: /timeout/,
  },
  { what: "a command that is killed by a signal", hook: command("kill -9 $$"), cause: /signal.*SIGKILL/ },
  {
    what: "a command that prints 100 MB",
    hook: command("head -c 100000000 /dev/zero"),
    cause: /output-too-large.*1048576/,
  },
  { what: "a command that does not exist", hook: command(`${ABSENT}/guard`), cause: /spawn/ },
  { what: "a command with an exit code that means nothing", hook: command("exit 3"), cause: /exit/ },
];

/** A sample of guards, of modules that do not load and of commands. */
const SOME_FAILING = sampleOf(FAILING, 3, ({ what }) => what.split(" ")[1] as string);

describe("hookbox run at a gate", () => {
  test.each(SOME_FAILING)(
    "denies with $what, names rule and cause, in time, and leaves nothing behind",
    async ({ hook, cause }) => {
      const place = project();
      const config = place.configure("PreToolUse", hook(place));
      const result = await hookbox(["run", "--config", config], { stdin: bashCall("npm test") });
      expect(result).toMatchObject({ exitCode: 0, signal: null, stderr: "" });
      const { permissionDecision, permissionDecisionReason } = replyOf(result);
      expect(permissionDecision).toBe("deny");
      expect(permissionDecisionReason).toMatch(/suspect/);
      expect(permissionDecisionReason).toMatch(cause);
      await expectEndedSoon(result, TIMEOUT_MS + 250, 4);
      expect(leftovers()).toEqual([]);
    },
  );

  test.each(FAILING)("reports the same for $what with --json, as a verdict", async ({ hook }) => {
    const place = project();
    const config = place.configure("PreToolUse", hook(place));
    const result = await inProcess(["run", "--json", "--config", config], { stdin: bashCall("npm test") });
    expect(result.exitCode).toBe(0);
    const verdict = verdictOf(result);
    expect(verdict.decision).toBe("deny");
    expect(verdict.rules[0]).toMatchObject({ rule: "suspect", status: "failed", onFailure: "deny" });
  });

  test.each(SOME_FAILING)("never blocks an agent from stopping with $what", async ({ hook }) => {
    const place = project();
    const config = place.configure("Stop", hook(place));
    const result = await inProcess(["run", "--config", config], { stdin: stopCall });
    expect(result.exitCode).toBe(0);
    const reply = JSON.parse(result.stdout) as Record<string, unknown>;
    expect(reply["decision"]).toBeUndefined();
    expect(reply["systemMessage"]).toMatch(/suspect.*nothing keeps the agent going/);
  });

  test("does not let a guard's well-formed block keep an agent from stopping, unless its rule allows it", async () => {
    const place = project();
    const blocks = place.write("blocks.wasm", answering('{"decision":"block","reason":"go on"}'));
    const watching = place.configure("Stop", { type: "wasm", module: blocks, timeoutMs: AMPLE_MS });
    expect(await inProcess(["run", "--config", watching], { stdin: stopCall })).toMatchObject({
      exitCode: 0,
      stdout: "",
    });
    const rule = { type: "wasm", name: "tests-first", module: blocks, may: ["deny"], timeoutMs: AMPLE_MS };
    const trusted = place.configure("Stop", rule);
    const result = await hookbox(["run", "--config", trusted], { stdin: stopCall });
    expect(JSON.parse(result.stdout)).toEqual({ decision: "block", reason: "tests-first: go on" });
  });

  test("does not wait for a grandchild that holds the output of a hook that has answered", async () => {
    const place = project();
    const config = place.configure("PreToolUse", {
      type: "command",
      command: `sh -c 'sleep 600; : ${MARK}' & echo no >&2; exit 2`,
      timeoutMs: 60_000,
    });
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("ls") });
    expect(replyOf(result).permissionDecision).toBe("deny");
    await expect.poll(leftovers, { interval: 100 }).toEqual([]);
  });

  // Given the time, V8's optimising compiler works on this for half a minute, and a process waits for it to end.
  test("ends soon after its reply, even if optimising the guard takes long", async () => {
    const place = project();
    const branches = "(if (local.get 0) (then (local.set 1 (i32.const 5))))".repeat(15_000);
    const module = place.write(
      "branches.wasm",
      wat(`(module (func (export "handle") (result i32) (local i32 i32) (loop ${branches} (br 0)) (i32.const 0)))`),
    );
    const config = place.configure("PreToolUse", { type: "wasm", name: "suspect", module, timeoutMs: AMPLE_MS });
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("ls") });
    expect(replyOf(result).permissionDecisionReason).toMatch(/suspect.*fuel/);
    await expectEndedSoon(result, 2_000, 12);
  });

  test("ignores the allow of a guard that may not allow", async () => {
    const place = project();
    const config = place.configure("PreToolUse", module("allows")(place));
    const result = await hookbox(["run", "--json", "--config", config], { stdin: bashCall("ls") });
    expect(verdictOf(result)).toMatchObject({
      decision: "none",
      rules: [{ status: "abstained", dropped: [/may not "allow"/] }].map(() => expect.anything()),
    });
    expect(verdictOf(result).rules[0]?.dropped.join()).toContain('may not "allow"');
  });
});

describe("hookbox run with a shipped guard", () => {
  const hook = { type: "wasm", module: "builtin:shell-guard", timeoutMs: AMPLE_MS };

  test("denies a dangerous call in Claude Code's format", async () => {
    const config = project().configure("PreToolUse", hook);
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("rm -rf /") });
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(result.stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringMatching(/^shell-guard: /),
      },
    });
  });

  test("keeps the settings of each of its rules separate", async () => {
    const strict = { ...hook, name: "strict", config: { protectedPaths: ["/srv"] } };
    const silent = (place: Project) => ({ type: "wasm", module: place.write("silent.wasm", guest("says-nothing")) });
    const place = project();
    for (const hooks of [
      [strict, hook],
      [hook, strict],
      [hook, strict, silent(place), hook],
    ]) {
      const config = place.configure("PreToolUse", ...hooks);
      const result = await inProcess(["run", "--config", config], { stdin: bashCall("rm -rf /srv/x") });
      expect(replyOf(result)).toMatchObject({
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringMatching(/^strict: rm -rf of a protected path/m),
      });
    }
  });

  test("says nothing about a harmless call", async () => {
    const config = project().configure("PreToolUse", hook);
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("npm test") });
    expect(result).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("finds hookbox.json in the working directory", async () => {
    const place = project();
    place.configure("PreToolUse", hook);
    const result = await inProcess(["run"], { stdin: bashCall("rm -rf /"), cwd: place.folder });
    expect(replyOf(result).permissionDecision).toBe("deny");
  });

  test("shows the cost with --json", async () => {
    const config = project().configure("PreToolUse", hook);
    const [rule] = verdictOf(await hookbox(["run", "--json", "--config", config], { stdin: bashCall("ls") })).rules;
    expect(rule?.receipt).toMatchObject({
      micros: expect.any(Number),
      inputBytes: expect.any(Number),
      outputBytes: 2,
      module: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      abi: 1,
      memoryBytes: expect.any(Number),
    });
  });
});
