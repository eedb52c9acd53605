import { describe, expect, test } from "vitest";
import { abstain, ask, defineGuard, deny, type GuardDefinition } from "../../../guest-sdk/typescript/index.ts";
import { installGuard } from "../../../guest-sdk/typescript/runtime.ts";
import { ManifestSchema } from "../../../src/sandbox/admission/manifest-schema.ts";
import { install, makeHost } from "./installed-guard.ts";

const EVENT = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
const DENIED = {
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
};

/** A guard whose handler returns what its types forbid. */
const saying = (value: unknown) =>
  defineGuard({ name: "says", version: "1", events: ["PreToolUse"], handle: () => value as never });

describe("an event", () => {
  test("is judged, immediately or later", async () => {
    expect(install(saying(deny("no"))).handle(EVENT)).toEqual(DENIED);
    expect(await install(saying(Promise.resolve(deny("no")))).handle(EVENT)).toEqual(DENIED);
    // biome-ignore lint/suspicious/noThenProperty: a library's own kind of promise
    const own = { then: (go: (value: unknown) => void) => go(deny("no")) };
    expect(await install(saying(own)).handle(EVENT)).toEqual(DENIED);
  });

  test.each([undefined, null, abstain()])("gets no decision for %s", async (nothing) => {
    expect(install(saying(nothing)).handle(EVENT)).toEqual({});
    expect(await install(saying(Promise.resolve(nothing))).handle(EVENT)).toEqual({});
  });

  test.each<[unknown, string]>([
    ["deny", "a string"],
    [true, "a boolean"],
    [0, "a number"],
    [{ decision: "deny" }, "an object"],
    [{ kind: "deny", value: "no", extras: undefined }, "an object"],
    [[deny("no")], "an array"],
    [new Date(0), "an object (Date)"],
    [() => deny("no"), "a function"],
  ])("is not decided by a value that no reply function has made: %j", async (value, name) => {
    const message = `handle returned ${name}; return what deny()`;
    expect(() => install(saying(value)).handle(EVENT)).toThrow(message);
    await expect(install(saying(Promise.resolve(value))).handle(EVENT)).rejects.toThrow(message);
  });

  describe("whose reply was made and not returned", () => {
    const doing = (handle: () => unknown) =>
      install(defineGuard({ name: "does", version: "1", events: ["PreToolUse"], handle: handle as never }));

    test.each([undefined, null])("fails, immediately or later, if handle returns %s", async (nothing) => {
      const message = 'deny() was called, but handle returned nothing; is a "return" missing?';
      const atOnce = doing(() => {
        ask("are you sure?");
        deny("no");
        return nothing;
      });
      expect(() => atOnce.handle(EVENT)).toThrow(message);
      const later = doing(async () => {
        await undefined;
        deny("no");
        return nothing;
      });
      await expect(later.handle(EVENT)).rejects.toThrow(message);
    });

    test("gets no decision if handle abstains", async () => {
      const changesItsMind = () => {
        deny("no");
        return abstain();
      };
      expect(doing(changesItsMind).handle(EVENT)).toEqual({});
      expect(await doing(async () => changesItsMind()).handle(EVENT)).toEqual({});
    });

    test("gets no decision if the reply was made in another call, or at the top level", () => {
      deny("made at the top level");
      let calls = 0;
      const once = doing(() => {
        calls += 1;
        if (calls === 1) deny("no");
      });
      expect(() => once.handle(EVENT)).toThrow("deny() was called");
      expect(once.handle(EVENT)).toEqual({});
      deny("no");
      expect(once.handle(EVENT)).toEqual({});
    });
  });

  test("that the guard has not declared is not shown to it", () => {
    const guard = install(saying("garbage"));
    for (const name of ["Stop", "pretooluse", "", null, 5, ["PreToolUse"], undefined]) {
      expect(guard.handle({ ...EVENT, hook_event_name: name })).toEqual({});
    }
  });

  test.each([null, [], "x", 5])("must be an object, and not %j", (input) => {
    expect(() => install(saying(undefined)).handle(input)).toThrow("the input must be a JSON object");
  });
});

describe("the context", () => {
  const words = defineGuard({
    name: "words",
    version: "1",
    events: ["PreToolUse", "Stop"],
    config: {
      type: "object",
      properties: { words: { type: "array", items: { type: "string" }, default: ["a"] }, why: { type: "string" } },
    },
    wants: ["state"],
    handle(event, context) {
      if (event.hook_event_name === "Stop") return;
      const count = Number(context.state.get("count") ?? 0) + 1;
      context.state.set("count", String(count));
      if (count === 3) context.state.delete("count");
      context.log.info("seen %d of %s", count, event.tool_name, context.config.words);
      return ask(`${context.config.words.join()} ${context.config.why ?? "-"}`);
    },
  });
  const reasonOf = (output: unknown) =>
    (output as { hookSpecificOutput: Record<string, unknown> }).hookSpecificOutput["permissionDecisionReason"];

  test("has the config of the rule", () => {
    expect(reasonOf(install(words).handle(EVENT))).toBe("a -");
    expect(reasonOf(install(words, makeHost({ words: ["x", "y"], why: "5" })).handle(EVENT))).toBe("x,y 5");
    expect(() => install(words, makeHost({ words: "x" })).handle(EVENT)).toThrow(
      "config.words: expected an array of strings, got a string",
    );
  });

  test("reads the config once in a call, and only if the call uses it", () => {
    const host = makeHost();
    const keys: string[] = [];
    const guard = install(words, { ...host, config: (key) => void keys.push(key) as undefined });
    guard.handle({ hook_event_name: "Stop" });
    expect(keys).toEqual([]);
    guard.handle(EVENT);
    expect(keys).toEqual(["words", "why"]);
    guard.handle(EVENT);
    expect(keys).toEqual(["words", "why", "words", "why"]);
  });

  test("has a log, and a state if the guard wants one", () => {
    const host = makeHost();
    const guard = install(words, host);
    for (let call = 0; call < 3; call++) guard.handle(EVENT);
    expect(host.vars.size).toBe(0);
    expect(host.lines[1]).toEqual([2, 'seen 2 of Bash ["a"]']);
    expect(host.lines).toHaveLength(3);
    const plain = install(
      defineGuard({
        name: "plain",
        version: "1",
        events: ["Stop"],
        handle: (_event, context) => void (context as unknown as { readonly state: unknown }).state,
      }),
    );
    expect(() => plain.handle({ hook_event_name: "Stop" })).toThrow(
      'context.state is available only to guards with wants: ["state"]',
    );
  });

  test("accepts only texts for the state", () => {
    const guard = defineGuard({
      name: "numbers",
      version: "1",
      events: ["Stop"],
      wants: ["state"],
      handle: (_event, { state }) => state.set("a", 5 as never),
    });
    expect(() => install(guard).handle({ hook_event_name: "Stop" })).toThrow(
      "state: the value must be a string, got a number",
    );
  });

  test("can be destructured", () => {
    const guard = defineGuard({
      name: "apart",
      version: "1",
      events: ["Stop"],
      config: { type: "object", properties: { a: { type: "integer", default: 1 } } },
      handle: (_event, { config, log }) => log.warn(config.a, new Map([["k", 1n]]), { deep: [null] }, Symbol("s")),
    });
    const host = makeHost();
    install(guard, host).handle({ hook_event_name: "Stop" });
    expect(host.lines).toEqual([[3, '1 [["k","1n"]] {"deep":[null]} Symbol(s)']]);
  });
});

describe("installing", () => {
  test("accepts only the result of defineGuard, inside of an engine", () => {
    expect(() => install({ name: "x" })).toThrow(
      "the default export must be what defineGuard({ … }) returns, but it is an object",
    );
    expect(() => install(undefined)).toThrow("but it is nothing");
    expect(() => installGuard(saying(undefined))).toThrow("this guard does not run in hookbox's engine");
  });

  test("writes a manifest that the host accepts, always in the same order", () => {
    const full: GuardDefinition<"Stop" | "PreToolUse"> = {
      limits: { fuel: 1_000_000, memoryMiB: 2 },
      wants: ["state"],
      events: ["Stop", "PreToolUse"],
      config: { type: "object", properties: { a: { type: "string", default: "ü" } } },
      description: "All of it.",
      handle: () => undefined,
      version: "1.0.0",
      name: "full",
    };
    const { manifest } = install(defineGuard(full));
    expect(manifest).toBe(
      '{"name":"full","version":"1.0.0","abi":1,"description":"All of it.","events":["Stop","PreToolUse"],"wants":["state"],' +
        '"config":{"type":"object","properties":{"a":{"type":"string","default":"ü"}}},"limits":{"fuel":1000000,"memoryMiB":2}}',
    );
    expect(ManifestSchema.parse(JSON.parse(manifest))).toBeTruthy();
    expect(install(saying(undefined)).manifest).toBe('{"name":"says","version":"1","abi":1,"events":["PreToolUse"]}');
  });
});

describe("an invalid definition", () => {
  const right = { name: "x", version: "1", events: ["Stop"], handle: () => undefined };
  test.each<[Record<string, unknown> | undefined, string]>([
    [{ name: "" }, "defineGuard: name: must not be empty"],
    [{ name: 5 }, "defineGuard: name: expected a string, got a number"],
    [{ name: "x".repeat(101) }, "defineGuard: name: at most 100 characters, not 101"],
    [{ version: undefined }, "defineGuard: version: expected a string, got nothing"],
    [{ description: "x".repeat(1_001) }, "description: at most 1000 characters"],
    [{ events: "Stop" }, "events: expected a list of event names, got a string"],
    [{ events: [] }, "events: a guard without events would never be asked"],
    [{ events: ["PreTooluse"] }, 'events: there is no event "PreTooluse"; did you mean "PreToolUse"?'],
    [{ events: ["Anything"] }, 'events: there is no event "Anything"'],
    [{ events: ["toString"] }, 'events: there is no event "toString"'],
    [{ events: ["Stop", "Stop"] }, "events: a name is listed twice"],
    [{ wants: ["wasi"] }, 'wants: a guard in TypeScript cannot use "wasi"'],
    [{ wants: ["stat"] }, 'wants: there is no grant "stat"; did you mean "state"?'],
    [{ wants: ["http"] }, 'wants: there is no grant "http"; did you mean "hosts"?'],
    [{ wants: ["files"] }, 'wants: there is no grant "files"; did you mean "paths"?'],
    [{ wants: ["env"] }, 'wants: there is no grant "env"'],
    [{ wants: ["clock", "clock"] }, "wants: a grant is listed twice"],
    [{ wants: "state" }, "wants: expected a list of grants"],
    [{ limits: { fuel: 0 } }, "limits.fuel: expected a whole number above 0"],
    [{ limits: { fuel: 1.5 } }, "limits.fuel: expected a whole number above 0"],
    [{ limits: { fuelPerInputByte: -1 } }, "limits.fuelPerInputByte: expected a whole number from 0"],
    [{ limits: { timeoutMs: Number.NaN } }, "limits.timeoutMs: expected a whole number above 0"],
    [{ limits: { memoryMiB: 0 } }, "limits.memoryMiB: expected a number above 0"],
    [{ limits: { time: 1 } }, "limits.time: there is no such limit"],
    [{ limits: { fule: 1 } }, 'limits.fule: there is no such limit; did you mean "fuel"?'],
    [{ limits: [] }, "limits: expected an object, got an array"],
    [{ handle: "x" }, "handle: expected a function, got a string"],
    [{ handle: undefined, handel: 1 }, 'handel: there is no such field; did you mean "handle"?'],
    [{ handle: undefined, handler: 1 }, 'handler: there is no such field; did you mean "handle"?'],
    [{ events: undefined, event: ["Stop"] }, 'event: there is no such field; did you mean "events"?'],
    [{ rules: [] }, "rules: there is no such field"],
    [
      { config: { type: "object", properties: { a: { type: "string", default: 1 } } } },
      "defineGuard: config.properties.a.default: expected a string",
    ],
  ])("is refused with a reason: %j", (change, message) => {
    expect(() => defineGuard({ ...right, ...change } as never)).toThrow(TypeError);
    expect(() => defineGuard({ ...right, ...change } as never)).toThrow(message);
  });

  test("is refused if it is not an object", () => {
    expect(() => defineGuard(undefined as never)).toThrow("defineGuard: expected an object, got nothing");
  });

  test("has limits that the host's own schema accepts", () => {
    const limits = { fuel: 1, fuelPerInputByte: 0, depth: 1, memoryMiB: 0.5, outputBytes: 1, timeoutMs: 1 };
    const { manifest } = install(
      defineGuard({ name: "x", version: "1", events: ["Stop"], limits, handle: () => undefined }),
    );
    expect(ManifestSchema.parse(JSON.parse(manifest)).limits).toEqual(limits);
  });
});
