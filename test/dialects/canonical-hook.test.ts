import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { decodeCanonicalEvent, projectEnvironment } from "../../src/dialects/canonical-hook.ts";
import { DIALECT_NAMES, dialectNamed } from "../../src/dialects/registry.ts";
import { nearest, suggest } from "../../src/dialects/suggest.ts";
import type { HookEvent } from "../../src/event.ts";

describe("an event of an agent", () => {
  const payload = { hook_event_name: "Stop", session_id: "s" };

  test("names itself, and the command line may agree", () => {
    expect(decodeCanonicalEvent(payload, undefined)).toEqual({ ok: true, name: "Stop", payload });
    expect(decodeCanonicalEvent(payload, "Stop")).toEqual({ ok: true, name: "Stop", payload });
  });

  test("is named by the command line where its payload does not say", () => {
    const unnamed = { session_id: "s" };
    expect(decodeCanonicalEvent(unnamed, "Stop")).toEqual({ ok: true, name: "Stop", payload: unnamed });
  });

  test("is refused when nobody says its name, or two say different ones", () => {
    expect(decodeCanonicalEvent({}, undefined)).toMatchObject({
      ok: false,
      message: expect.stringContaining("no event"),
    });
    expect(decodeCanonicalEvent(payload, "PreToolUse")).toMatchObject({
      ok: false,
      message: expect.stringMatching(/Stop.*PreToolUse/),
    });
  });

  test.each([null, 7, ["Stop"]])("is refused when its name is %j", (hook_event_name) => {
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

  test("is what the agent said, else where the event is", () => {
    expect(projectEnvironment(event({ cwd: "/srv/app" }))).toEqual({ CLAUDE_PROJECT_DIR: "/srv/app" });
    vi.stubEnv("CLAUDE_PROJECT_DIR", "/srv");
    expect(projectEnvironment(event({ cwd: "/srv/app" }))).toEqual({ CLAUDE_PROJECT_DIR: "/srv" });
  });

  test.each([{}, { cwd: "" }, { cwd: 7 }])(
    "is never left out, since paths would begin at the root then: %j",
    (payload) => {
      expect(projectEnvironment(event(payload))).toEqual({ CLAUDE_PROJECT_DIR: process.cwd() });
    },
  );
});

describe("the registry of dialects", () => {
  test("knows each by its own name, and its hooks by the same", () => {
    expect([...DIALECT_NAMES].sort()).toEqual(
      "agentao autohand claude-code docker-agent hookbox openclaw patterns".split(" "),
    );
    for (const name of DIALECT_NAMES) expect(dialectNamed(name)).toMatchObject({ name, codec: { dialect: name } });
  });

  test.each(["", "Hookbox", "toString", "__proto__"])("does not know %j", (name) => {
    expect(dialectNamed(name)).toBeUndefined();
  });
});

describe("a suggestion", () => {
  const known = ["matcher", "hooks", "timeoutMs"];

  test("is the nearest word, whatever its case", () => {
    expect(nearest("TIMEOUTMS", known)).toBe("timeoutMs");
    expect(suggest("machter", known)).toBe('did you mean "matcher"?');
    expect(nearest("hook", known)).toBe("hooks");
  });

  test("is not made when nothing is near, or nothing known", () => {
    expect(suggest("env", known)).toBeUndefined();
    expect(suggest("", known)).toBeUndefined();
    expect(nearest("matcher", [])).toBeUndefined();
  });
});
