import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { BUILTINS } from "../../../src/events/builtins.ts";
import type { BuiltinFunction } from "../../../src/executors/builtin/builtin.ts";
import { HOOKS } from "../../../src/executors/builtin/registry.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { makeEvent, makeRule } from "../../helpers/rules.ts";
import { builtinRule, call, failureOf, folder, openExecutor, replyOf, sessionStart, textOf } from "./builtin-kit.ts";

/** Lets a function of the test answer in place of `add_date`. */
const { dated } = vi.hoisted(() => ({ dated: { run: undefined as BuiltinFunction | undefined } }));
vi.mock("../../../src/executors/builtin/add-date.ts", () => ({
  addDate: { run: (asked: Parameters<BuiltinFunction>[0]) => dated.run?.(asked) },
}));

const answers = (run: BuiltinFunction): void => {
  dated.run = run;
};

describe("the table of names and the existing hooks", () => {
  test("match", () => {
    expect(Object.keys(HOOKS).sort()).toEqual(Object.keys(BUILTINS).sort());
  });

  test.each(Object.keys(HOOKS))("has an implementation for %s", async (name) => {
    expect((await HOOKS[name]?.())?.run).toBeTypeOf("function");
  });
});

describe("a rule", () => {
  test.each([
    ["a name that nobody has", builtinRule("no_such_hook"), /there is no built-in hook "no_such_hook"/],
    ["a name of every object", builtinRule("constructor"), /there is no built-in hook "constructor"/],
    ["too few args", builtinRule("add_prompt_files"), /takes at least 1 args, not 0/],
  ])("with %s is reported before the first event, and fails by name", async (_, rule, message) => {
    const executor = openExecutor();
    const place = { file: "/hooks.json", line: 3 };
    expect(await executor.prepare({ ...rule, place })).toEqual([
      { severity: "error", code: "HOOK_BUILTIN", message: expect.stringMatching(message), place },
    ]);
    expect(failureOf(await call(rule, makeEvent(rule.event), { executor }))).toEqual({
      kind: "capability",
      code: "HOOK_BUILTIN",
      message: expect.stringMatching(message),
    });
  });

  test.each([
    ["a place where it does nothing", builtinRule("unload", [], { event: "Stop" })],
    ["an event that takes no text", builtinRule("add_user_info", [], { event: "PreCompact" })],
    ["a gate that it has no say at", builtinRule("add_date", [], { event: "PreModelSwitch" })],
  ])("with %s has no opinion, as its parser has reported, and shuts no gate", async (_, rule) => {
    const executor = openExecutor();
    expect(await executor.prepare(rule)).toEqual([]);
    const result = await call(rule, makeEvent(rule.event), { executor });
    expect(result).toMatchObject({ ok: true, reply: {}, receipt: { log: [`does nothing at ${rule.event}`] } });
  });

  test("of another type throws, because the caller is wrong", async () => {
    await expect(call(makeRule(), sessionStart("/"))).rejects.toThrow(TypeError);
  });
});

describe("an answer", () => {
  test("is read by the event's contract, and fields that have no effect are named", async () => {
    answers(async () => ({
      ok: true,
      reply: { decision: "block", hookSpecificOutput: { additionalContext: "text", updatedInput: {} } },
    }));
    const result = await call(builtinRule("add_date"), sessionStart("/"));
    expect(replyOf(result)).toEqual({ additionalContext: ["text"] });
    expect(result).toMatchObject({ ignored: expect.arrayContaining([expect.stringContaining("updatedInput")]) });
  });

  test("of no known kind has failed", async () => {
    answers(async () => ({ ok: true, reply: { nonsense: true } }));
    expect(failureOf(await call(builtinRule("add_date"), sessionStart("/")))).toMatchObject({ kind: "invalid-output" });
  });

  test("may be a failure, and may have notes", async () => {
    answers(async () => ({ ok: false, failure: { kind: "unavailable", message: "no" } }));
    expect(failureOf(await call(builtinRule("add_date"), sessionStart("/")))).toEqual({
      kind: "unavailable",
      message: "no",
    });
    answers(async () => ({ ok: true, notes: ["one\u001b[2J\ntwo"] }));
    expect((await call(builtinRule("add_date"), sessionStart("/"))).receipt.log).toEqual(["one[2J two"]);
  });

  test("that is thrown is a defect of hookbox, and a failure", async () => {
    answers(() => Promise.reject(new Error("mine")));
    expect(failureOf(await call(builtinRule("add_date"), sessionStart("/")))).toEqual({
      kind: "trap",
      message: "defect in add_date: mine",
    });
    answers(() => {
      throw new Error("at once");
    });
    expect(failureOf(await call(builtinRule("add_date"), sessionStart("/")))).toMatchObject({ kind: "trap" });
  });

  test("does not count if it arrives after the end", async () => {
    const stop = new Stop();
    answers(async () => {
      stop.abort({ kind: "timeout", message: "late" });
      return { ok: true, reply: {} };
    });
    expect(failureOf(await call(builtinRule("add_date"), sessionStart("/"), { stop }))).toMatchObject({
      kind: "timeout",
    });
    answers(() => Promise.reject(new Error("not asked")));
    expect(failureOf(await call(builtinRule("add_date"), sessionStart("/"), { stop }))).toMatchObject({
      kind: "timeout",
    });
  });
});

describe("a call", () => {
  const seen = async (parts: Parameters<typeof builtinRule>[2], event = sessionStart("/")) => {
    const asked: Parameters<BuiltinFunction>[0][] = [];
    answers(async (one) => {
      asked.push(one);
      return { ok: true };
    });
    replyOf(await call(builtinRule("add_date", [], parts), event));
    return asked[0] as Parameters<BuiltinFunction>[0];
  };

  test("has the user's variables, but not for a file that may come with a repository", async () => {
    process.env["BUILTIN_SECRET"] = "s";
    try {
      const handler = { env: { GIVEN: "1" } };
      expect((await seen({ handler })).env).toMatchObject({ BUILTIN_SECRET: "s", GIVEN: "1" });
      const { env } = await seen({ handler, layer: "project" });
      expect(env).toMatchObject({ GIVEN: "1", PATH: expect.any(String) });
      expect(env).not.toHaveProperty("BUILTIN_SECRET");
    } finally {
      delete process.env["BUILTIN_SECRET"];
    }
  });

  test("has a working directory relative to the event's", async () => {
    const root = folder({ "sub/x": "" });
    const at = (workingDir: string) =>
      seen({ handler: { workingDir, env: { HOME: root, SUB: "sub" } } }, sessionStart(root));
    expect((await seen({}, sessionStart(root))).workingDir).toBe(root);
    expect((await at("sub")).workingDir).toBe(path.join(root, "sub"));
    expect((await at("~/sub")).workingDir).toBe(path.join(root, "sub"));
    expect((await at("$SUB")).workingDir).toBe(path.join(root, "sub"));
    expect((await at("${env.NOT_SET}")).workingDir).toBe(root);
    expect((await seen({}, makeEvent("SessionStart", { cwd: "relative" }))).workingDir).toBe(process.cwd());
  });

  test("sets the variable that tells programs that a hook runs them", async () => {
    answers(async ({ tools }) => {
      const ending = await tools.run("/bin/sh", ["-c", 'echo "$HOOKBOX_WITHIN $GIVEN"']);
      const text = ending.by === "exit" ? ending.stdout : ending.by;
      return { ok: true, reply: { hookSpecificOutput: { additionalContext: text } } };
    });
    const rule = builtinRule("add_date", [], { handler: { env: { GIVEN: "yes", HOOKBOX_WITHIN: "" } } });
    expect(textOf(await call(rule, sessionStart("/")))).toBe("1 yes\n");
  });
});
