import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { decodeCanonicalEvent, projectEnvironment } from "../../src/dialects/canonical-hook.ts";
import { DIALECT_NAMES, dialectNamed } from "../../src/dialects/registry.ts";
import type { HookEvent } from "../../src/event.ts";
import { nearest, suggest } from "../../src/suggest.ts";

describe("an event of an agent", () => {
  const payload = { hook_event_name: "Stop", session_id: "s" };

  test("has its name in the payload, and the command line may give the same", () => {
    expect(decodeCanonicalEvent(payload, undefined)).toEqual({ ok: true, name: "Stop", payload });
    expect(decodeCanonicalEvent(payload, "Stop")).toEqual({ ok: true, name: "Stop", payload });
  });

  test("has its name from the command line if its payload has none", () => {
    const unnamed = { session_id: "s" };
    expect(decodeCanonicalEvent(unnamed, "Stop")).toEqual({ ok: true, name: "Stop", payload: unnamed });
  });

  test("is refused if it has no name, or two different ones", () => {
    expect(decodeCanonicalEvent({}, undefined)).toMatchObject({
      ok: false,
      message: expect.stringContaining("no event"),
    });
    expect(decodeCanonicalEvent(payload, "PreToolUse")).toMatchObject({
      ok: false,
      message: expect.stringMatching(/Stop.*PreToolUse/),
    });
  });

  test.each([null, 7, ["Stop"]])("is refused if its name is %j", (hook_event_name) => {
    expect(decodeCanonicalEvent({ hook_event_name }, "Stop")).toMatchObject({ ok: false });
  });
});

describe("the folder of the project", () => {
  const event = (payload: object): HookEvent => ({ name: "Stop", dialect: "claude-code", payload: { ...payload } });
  beforeEach(() => {
    vi.stubEnv("CLAUDE_PROJECT_DIR", undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test("is the agent's, otherwise the event's working directory", () => {
    expect(projectEnvironment(event({ cwd: "/srv/app" }))).toEqual({ CLAUDE_PROJECT_DIR: "/srv/app" });
    vi.stubEnv("CLAUDE_PROJECT_DIR", "/srv");
    expect(projectEnvironment(event({ cwd: "/srv/app" }))).toEqual({ CLAUDE_PROJECT_DIR: "/srv" });
  });

  test.each([{}, { cwd: "" }, { cwd: 7 }])(
    "is never left out, because paths would start at the root then: %j",
    (payload) => {
      expect(projectEnvironment(event(payload))).toEqual({ CLAUDE_PROJECT_DIR: process.cwd() });
    },
  );
});

describe("the registry of dialects", () => {
  test("finds each dialect by its name, and its hooks by the same name", () => {
    expect([...DIALECT_NAMES].sort()).toEqual(
      "agentao autohand claude-code docker-agent hookbox openclaw patterns".split(" "),
    );
    for (const name of DIALECT_NAMES) expect(dialectNamed(name)).toMatchObject({ name, codec: { dialect: name } });
  });

  test.each(["", "Hookbox", "toString", "__proto__"])("does not find %j", (name) => {
    expect(dialectNamed(name)).toBeUndefined();
  });
});

describe("a suggestion", () => {
  const known = ["matcher", "hooks", "timeoutMs"];

  test("is the nearest word, ignoring case", () => {
    expect(nearest("TIMEOUTMS", known)).toBe("timeoutMs");
    expect(suggest("machter", known)).toBe('did you mean "matcher"?');
    expect(nearest("hook", known)).toBe("hooks");
  });

  test("is not made if no word is near, or none is known", () => {
    expect(suggest("env", known)).toBeUndefined();
    expect(suggest("", known)).toBeUndefined();
    expect(nearest("matcher", [])).toBeUndefined();
  });
});
