import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bash, dialectWith, engineOf, type FakeRule, failure, gate } from "./fake-hooks.ts";

const pre = (session: string | undefined = "s") => ({
  tool_name: "Bash",
  tool_input: { command: "ls" },
  ...(session === undefined ? {} : { session_id: session }),
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "hookbox-once-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Returns all files below a folder. */
function filesIn(top: string): string[] {
  return readdirSync(top, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
}

function counting(parts: Partial<FakeRule> = {}): { rule: FakeRule; runs: () => number } {
  let runs = 0;
  const hook: FakeRule["hook"] = async (event, options) => {
    runs++;
    return (await parts.hook?.(event, options)) ?? {};
  };
  return { rule: { name: "once", once: "session", ...parts, hook }, runs: () => runs };
}

describe("a rule that runs once", () => {
  test("is not used up by an answer that has no effect", async () => {
    const updatedInput = JSON.parse('{"__proto__": {}}') as Record<string, never>;
    const { rule, runs } = counting({ hook: () => ({ updatedInput }) });
    const engine = engineOf([rule], { dialect: dialectWith("PreToolUse", { rewriteMode: "patch" }) });
    for (const _ of [1, 2]) expect((await engine.dispatch("PreToolUse", pre())).rules[0]?.status).toBe("failed");
    expect(runs()).toBe(2);
  });

  test("runs once in each session, and is then skipped with the reason", async () => {
    const { rule, runs } = counting();
    const engine = engineOf([rule]);
    for (const session of ["one", "one", "two", "two"]) await engine.dispatch("PreToolUse", pre(session));
    expect(runs()).toBe(2);
    const verdict = await engine.dispatch("PreToolUse", pre("one"));
    expect(verdict.rules[0]).toMatchObject({
      status: "abstained",
      dropped: ["everything: the rule runs once, and has run"],
    });
  });

  test("runs once for each engine if events have no session, and once for all sessions if configured", async () => {
    const nameless = counting();
    const engine = engineOf([nameless.rule]);
    const event = { tool_name: "Bash", tool_input: {} };
    await engine.dispatch("PreToolUse", event);
    await engine.dispatch("PreToolUse", event);
    expect(nameless.runs()).toBe(1);

    const forever = counting({ once: "forever" });
    const other = engineOf([forever.rule]);
    await other.dispatch("PreToolUse", pre("one"));
    await other.dispatch("PreToolUse", pre("two"));
    expect(forever.runs()).toBe(1);
  });

  test("runs exactly once for events at the same time, which all wait for it", async () => {
    const { opened, open } = gate();
    const { rule, runs } = counting({ hook: () => opened.then(() => ({})) });
    const engine = engineOf([rule]);
    let answered = 0;
    const dispatches = Array.from({ length: 8 }, async () => {
      const verdict = await engine.dispatch("PreToolUse", pre());
      answered++;
      return verdict;
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(answered).toBe(0);
    open();
    const verdicts = await Promise.all(dispatches);
    expect(runs()).toBe(1);
    expect(verdicts.map(({ decision }) => decision)).toEqual(Array(8).fill("none"));
  });

  test("runs for one of those that wait if the first run fails", async () => {
    let fails = true;
    const { rule, runs } = counting({
      hook: async () => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        const isFirst = fails;
        fails = false;
        return isFirst ? failure() : {};
      },
    });
    const engine = engineOf([rule]);
    const verdicts = await Promise.all([1, 2, 3].map(() => engine.dispatch("PreToolUse", pre())));
    expect(runs()).toBe(2);
    expect(verdicts.map(({ decision }) => decision).sort()).toEqual(["deny", "none", "none"]);
  });

  test.each(["deny", "stop"])("is not used up by a refusal (%s), because the next attempt would pass", async (word) => {
    const { rule, runs } = counting({
      hook: () => (word === "deny" ? { decision: "deny" } : { continue: false }),
    });
    const engine = engineOf([rule]);
    await engine.dispatch("PreToolUse", pre());
    expect((await engine.dispatch("PreToolUse", pre())).decision).toBe("deny");
    expect(runs()).toBe(2);
  });

  test.each(["Stop", "SubagentStop", "TaskCompleted"])(
    "is used up by a block at %s, which makes the agent go on",
    async (event) => {
      const { rule, runs } = counting({ event, hook: () => ({ decision: "block", reason: "run the tests first" }) });
      const engine = engineOf([rule]);
      const decisions: string[] = [];
      for (const _ of [1, 2, 3]) decisions.push((await engine.dispatch(event, { session_id: "s" })).decision);
      expect(decisions).toEqual(["block", "none", "none"]);
      expect(runs()).toBe(1);
    },
  );

  test.each([
    ["claude-code", "faithful", 1],
    ["claude-code", "safer", 2],
    ["hookbox", "faithful", 2],
  ] as const)("of %s with compat %s runs %i times if each run refuses", async (dialect, compat, expected) => {
    const { rule, runs } = counting({ dialect, compat, hook: () => ({ decision: "deny" }) });
    const engine = engineOf([rule]);
    for (const _ of [1, 2]) await engine.dispatch("PreToolUse", pre());
    expect(runs()).toBe(expected);
  });

  test("judges a rewritten input of the event for which it has run", async () => {
    const seen: string[] = [];
    const { rule } = counting({
      hook: ({ payload }) => {
        seen.push(JSON.stringify(payload["tool_input"]));
        return seen.length === 1 ? {} : { decision: "deny" };
      },
    });
    const rewriter: FakeRule = { name: "rewriter", hook: () => ({ updatedInput: { command: "rm" } }) };
    const stateFolder = folder();
    const engine = engineOf([rule, rewriter], { stateFolder });
    expect((await engine.dispatch("PreToolUse", pre())).decision).toBe("deny");
    expect(seen).toEqual(['{"command":"ls"}', '{"command":"rm"}']);
    // A refusal of the rewritten input does not count as a success either.
    expect((await engine.dispatch("PreToolUse", pre())).decision).toBe("deny");
    expect(filesIn(stateFolder)).toEqual([]);
  });

  test("does not delay a dispatch that is cancelled, nor one whose patience ends first", async () => {
    const { opened, open } = gate();
    const { rule } = counting({ hook: () => opened.then(() => ({})), timeoutMs: 2_000 });
    const engine = engineOf([rule]);
    const first = engine.dispatch("PreToolUse", pre());
    const cancelled = await engine.dispatch("PreToolUse", pre(), { signal: AbortSignal.timeout(20) });
    expect(cancelled).toMatchObject({ cancelled: true, decision: "none" });
    const late = await engine.dispatch("PreToolUse", pre(), { patienceMs: 100 });
    expect(late).toMatchObject({
      decision: "deny",
      rules: [{ failure: { kind: "timeout", phase: "queue", limit: 50 } }],
    });
    open();
    expect((await first).decision).toBe("none");
  });

  test("counts in monitor mode, too", async () => {
    const { rule, runs } = counting({ mode: "monitor" });
    const engine = engineOf([rule]);
    await engine.dispatch("PreToolUse", pre());
    await engine.dispatch("PreToolUse", pre());
    expect(runs()).toBe(1);
  });

  test("is skipped by others while it runs in the background, and runs again if that failed", async () => {
    const { opened, open } = gate();
    let ends: (value: unknown) => void = () => {};
    const ended = new Promise((resolve) => {
      ends = resolve;
    });
    const { rule, runs } = counting({ async: true, hook: () => opened.then(() => failure()) });
    const engine = engineOf([rule], { onBackgroundEnd: ends });
    await engine.dispatch("PreToolUse", pre());
    await engine.dispatch("PreToolUse", pre());
    expect(runs()).toBe(1);
    open();
    await ended;
    await engine.dispatch("PreToolUse", pre());
    await engine.close();
    expect(runs()).toBe(2);
  });
});

describe("a folder that stores which rules have run", () => {
  test("is read by another process, and stores nothing after a failure", async () => {
    const stateFolder = join(folder(), "state");
    let fails = true;
    const { rule, runs } = counting({ hook: () => (fails ? failure() : {}) });
    await engineOf([rule], { stateFolder }).dispatch("PreToolUse", pre());
    fails = false;
    await engineOf([rule], { stateFolder }).dispatch("PreToolUse", pre());
    await engineOf([rule], { stateFolder }).dispatch("PreToolUse", pre());
    expect(runs()).toBe(2);
    await engineOf([rule], { stateFolder }).dispatch("PreToolUse", pre("other"));
    expect(runs()).toBe(3);
    // The file of a rule that has run is kept; the claim of a running rule is not.
    expect(filesIn(stateFolder).filter((name) => !/(?:kept|data)-[0-9a-f]{32}$/.test(name))).toEqual([]);
  });

  test("makes engines at the same time wait for each other", async () => {
    const stateFolder = folder();
    const { rule, runs } = counting({
      hook: async () => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        return {};
      },
    });
    const engines = Array.from({ length: 5 }, () => engineOf([rule], { stateFolder }));
    const verdicts = await Promise.all(engines.map((engine) => engine.dispatch("PreToolUse", pre())));
    expect(runs()).toBe(1);
    expect(verdicts.map(({ decision }) => decision)).toEqual(Array(5).fill("none"));
  });

  /** Creates the claim of a run that does not end, held by a dead process unless `holder` is given. */
  async function abandonedClaim(stateFolder: string, holder?: string): Promise<void> {
    const { opened, open } = gate();
    onTestFinished(open);
    const { rule } = counting({ hook: () => opened.then(() => ({})) });
    const engine = engineOf([rule], { stateFolder });
    void engine.dispatch("PreToolUse", pre());
    await expect.poll(() => filesIn(stateFolder)).toHaveLength(1);
    const [claim = ""] = filesIn(stateFolder);
    if (holder !== undefined) renameSync(claim, claim.replace(/~[^-]*/, `~${holder}`));
  }

  test("ignores the claim of a dead process, once", async () => {
    const stateFolder = folder();
    await abandonedClaim(stateFolder, String(spawnSync("true").pid));
    const { rule, runs } = counting();
    const engines = Array.from({ length: 4 }, () => engineOf([rule], { stateFolder }));
    await Promise.all(engines.map((engine) => engine.dispatch("PreToolUse", pre())));
    expect(runs()).toBe(1);
  });

  test("waits for a valid claim until patience ends", async () => {
    const stateFolder = folder();
    await abandonedClaim(stateFolder);
    const { rule, runs } = counting({ timeoutMs: 5_000 });
    const verdict = await engineOf([rule], { stateFolder }).dispatch("PreToolUse", pre(), { patienceMs: 200 });
    expect(verdict.rules[0]?.failure).toMatchObject({ kind: "timeout", phase: "queue", limit: 100 });
    expect(runs()).toBe(0);
  });

  test.each([
    ["others may write to it", (path: string) => chmodSync(mkdirSync(path, { recursive: true }) ?? path, 0o777)],
    ["it is a link", (path: string) => symlinkSync(folder(), path)],
    ["it is a file", (path: string) => writeFileSync(path, "")],
  ])("is not used if %s: the rule runs too often", async (_, make) => {
    const stateFolder = folder();
    mkdirSync(join(stateFolder, "once"));
    make(join(stateFolder, "once", "session"));
    const { rule, runs } = counting();
    await engineOf([rule], { stateFolder }).dispatch("PreToolUse", pre());
    await engineOf([rule], { stateFolder }).dispatch("PreToolUse", pre());
    expect(runs()).toBe(2);
  });
});

describe("rules of less trusted files", () => {
  const user: Partial<FakeRule> = { layer: "user", baseDir: "/home/user" };
  const project: Partial<FakeRule> = { layer: "project", baseDir: "/home/user" };

  test.each(["session", "forever"] as const)(
    "do not use up a more trusted rule with the same content (%s)",
    async (once) => {
      const stateFolder = folder();
      const trusted = counting({ ...user, once });
      const stranger = counting({ ...project, once });
      const open = ({ rule }: { readonly rule: FakeRule }) => engineOf([rule], { stateFolder });
      await open(stranger).dispatch("PreToolUse", pre());
      await open(stranger).dispatch("PreToolUse", pre());
      await open(trusted).dispatch("PreToolUse", pre());
      expect([stranger.runs(), trusted.runs()]).toEqual([1, 1]);
    },
  );
});

test("a sequential rule that runs once does not break the sequence", async () => {
  const { rule } = counting({ hook: () => ({ updatedInput: { command: "first" } }) });
  const engine = engineOf([rule, { name: "next", hook: () => ({}) }], {
    dialect: dialectWith("PreToolUse", { order: "sequential" }),
  });
  expect((await engine.dispatch("PreToolUse", bash("x"))).updatedInput).toEqual({ command: "first" });
  expect((await engine.dispatch("PreToolUse", bash("x"))).updatedInput).toBeNull();
});
