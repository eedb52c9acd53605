import { describe, expect, test } from "vitest";
import { contractOf, EVENT_NAMES, isEventName, isEventOf } from "../../src/events/lookup.ts";
import { brokenIn } from "../config/config-files.ts";
import fc from "../helpers/fc.ts";
import { configText, FORMATS, outcomeOf, parse, placeOf } from "./parse.ts";

const GROUPS = '[ { "hooks": [ { "type": "command", "command": "lost" } ] } ]';
const misspelt = (event: string) => configText.event(`"${event}": ${GROUPS}`);
const standsAt = (event: string) => [{ event, matcher: undefined, code: "HOOK_CONFIG_UNKNOWN_EVENT", type: "unknown" }];

test("another agent's event name gets a warning that Claude Code never fires it", async () => {
  for (const event of EVENT_NAMES.filter((event) => !isEventOf(event, "claude-code"))) {
    const { problems } = await parse("claude-code", `{"hooks": {"${event}": ${GROUPS}}}`);
    expect(problems).toMatchObject([{ code: "HOOK_CONFIG_UNKNOWN_EVENT" }]);
    expect(problems[0]?.hint ?? "").not.toContain(`"${event}"`);
  }
});

describe.each(FORMATS)("the name of an event in a %s file", (format) => {
  test.each(EVENT_NAMES.filter((event) => isEventOf(event, format)))("may be %s", async (event) => {
    const { rules, problems } = await parse(format, {
      hooks: { [event]: [{ hooks: [{ type: "command", command: "a" }] }] },
    });
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([{ event, handler: { type: "command" } }]);
  });

  test.each([
    ["PreToolUze", "PreToolUse"],
    ["pretooluse", "PreToolUse"],
    ["pre_tool_use", "PreToolUse"],
    ["PermissionRequests", "PermissionRequest"],
    ["UserPromptSubmitted", "UserPromptSubmit"],
    ["ConfigChanged", "ConfigChange"],
  ])("that is close to a gate's (%s) is an error that shuts that gate", async (event, gate) => {
    const text = misspelt(event);
    const { othersLoaded, broken, loaded, problems } = await outcomeOf(format, text);
    expect(problems).toEqual([
      {
        severity: "error",
        code: "HOOK_CONFIG_UNKNOWN_EVENT",
        message: `unknown event "${event}"`,
        hint: `did you mean "${gate}"?`,
        place: { ...placeOf(`"${event}"`, text), pointer: `/hooks/${event}` },
      },
    ]);
    expect(broken).toEqual(standsAt(gate));
    expect({ othersLoaded, loaded }).toEqual({ othersLoaded: true, loaded: [] });
  });
});

describe("an unknown event in hookbox's own format", () => {
  test("that is close to an observer's is an error at that event", async () => {
    const text = misspelt("SesionStart");
    const { othersLoaded, broken, problems } = await outcomeOf("hookbox", text);
    expect(problems).toMatchObject([
      { severity: "error", hint: 'did you mean "SessionStart"?', place: placeOf('"SesionStart"', text) },
    ]);
    expect(broken).toEqual(standsAt("SessionStart"));
    expect(othersLoaded).toBe(true);
  });

  test.each(["BeforeShellExecution", "x", ""])(
    "that is close to no other (%j) is an error at every event",
    async (event) => {
      const text = misspelt(event);
      const { othersLoaded, broken, problems } = await outcomeOf("hookbox", text);
      expect(problems).toMatchObject([
        { severity: "error", code: "HOOK_CONFIG_UNKNOWN_EVENT", place: placeOf(`"${event}"`, text) },
      ]);
      expect(problems[0]).not.toHaveProperty("hint");
      expect(broken).toEqual(standsAt("*"));
      expect(othersLoaded).toBe(true);
    },
  );

  test("is never ignored, whatever its name is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (event) => {
        fc.pre(!isEventName(event));
        const { rules, problems } = await parse("hookbox", `{"hooks": {${JSON.stringify(event)}: ${GROUPS}}}`);
        expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_UNKNOWN_EVENT" }]);
        expect(brokenIn(rules)).toHaveLength(1);
        const [stands = ""] = rules.map((rule) => rule.event);
        expect(stands === "*" || isEventName(stands)).toBe(true);
      }),
    );
  });
});

describe("an unknown event in Claude Code's format", () => {
  test("that is close to an observer's is a warning with a hint", async () => {
    const text = misspelt("SesionStart");
    const { othersLoaded, broken, loaded, problems } = await outcomeOf("claude-code", text);
    expect(problems).toMatchObject([
      {
        severity: "warning",
        code: "HOOK_CONFIG_UNKNOWN_EVENT",
        hint: 'did you mean "SessionStart"?',
        place: placeOf('"SesionStart"', text),
      },
    ]);
    expect({ othersLoaded, broken, loaded }).toEqual({ othersLoaded: true, broken: [], loaded: [] });
  });

  test.each(["BeforeShellExecution", "x", ""])("that is close to no other (%j) is a warning", async (event) => {
    const text = misspelt(event);
    const { othersLoaded, broken, problems } = await outcomeOf("claude-code", text);
    expect(problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_UNKNOWN_EVENT", place: placeOf(`"${event}"`, text) },
    ]);
    expect({ othersLoaded, broken }).toEqual({ othersLoaded: true, broken: [] });
  });

  test("is always reported, and is an error exactly if it leaves a broken rule at a gate", async () => {
    const typos = fc
      .tuple(fc.constantFrom(...EVENT_NAMES), fc.nat(), fc.string({ maxLength: 2 }))
      .map(([name, at, text]) => name.slice(0, at % name.length) + text + name.slice((at % name.length) + 1));
    await fc.assert(
      fc.asyncProperty(fc.oneof(typos, fc.string()), async (event) => {
        fc.pre(!isEventName(event));
        const { rules, problems } = await parse("claude-code", `{"hooks": {${JSON.stringify(event)}: ${GROUPS}}}`);
        expect(problems).toMatchObject([{ code: "HOOK_CONFIG_UNKNOWN_EVENT" }]);
        expect(brokenIn(rules)).toHaveLength(problems[0]?.severity === "error" ? 1 : 0);
        for (const rule of rules) expect(contractOf(rule.event, "claude-code")?.kind).toBe("gate");
      }),
    );
  });
});

describe.each(FORMATS)("a matcher in a %s file", (format) => {
  const withMatcher = (matcher: string, event = "PreToolUse") =>
    configText.group(
      `{ "matcher": ${JSON.stringify(matcher)}, "hooks": [ { "type": "command", "command": "a" } ] }`,
      event,
    );

  test.each(["*", "", "Write", "Edit, Write", "mcp__.*__write", "^Bash$"])(
    "may be %j, and is kept as written",
    async (matcher) => {
      const { rules, problems } = await parse(format, withMatcher(matcher));
      expect(problems).toEqual([]);
      expect(rules.find(({ handler }) => handler.type === "command" && handler.command === "a")).toMatchObject({
        matcher,
      });
    },
  );

  test.each([
    ["(", "is not a pattern"],
    ["(?=Bash)", "linear time"],
    ["(a)\\1", "linear time"],
    [`${"a".repeat(2_000)}.`, "2001 characters"],
    ["|", "names no tool"],
  ])("that cannot be compiled (%#) leaves a broken rule for every tool", async (matcher, message) => {
    const text = withMatcher(matcher);
    const { othersLoaded, broken, loaded, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_MATCHER",
        message: expect.stringContaining(message),
        place: { ...placeOf(JSON.stringify(matcher), text), pointer: "/hooks/PreToolUse/1/matcher" },
      },
    ]);
    expect(broken).toEqual([{ event: "PreToolUse", matcher: undefined, code: "HOOK_CONFIG_MATCHER", type: "unknown" }]);
    expect({ othersLoaded, loaded }).toEqual({ othersLoaded: true, loaded: [] });
  });

  test("with look-around is reported with the reason why it cannot be used", async () => {
    const { problems } = await outcomeOf(format, withMatcher("(?!Read)"));
    expect(problems[0]?.hint).toContain("look-around");
  });

  test.each(["|", `${"a".repeat(2_000)}.`, "("])(
    "that is invalid for another reason (%#) is not reported as look-around",
    async (matcher) => {
      const { problems } = await outcomeOf(format, withMatcher(matcher));
      expect(problems[0]?.hint ?? "").not.toContain("look-around");
    },
  );

  test("at an event without a subject is a warning, and the group always applies", async () => {
    const text = '{"hooks": {"Stop": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}]}]}}';
    const { rules, problems } = await parse(format, text);
    expect(problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_INERT", place: placeOf('"Bash"', text) },
    ]);
    expect(rules).toMatchObject([{ event: "Stop", handler: { type: "command" } }]);
  });

  test.each(["", "*"])("that matches everything (%j) is no problem there", async (matcher) => {
    const { problems } = await parse(format, { hooks: { Stop: [{ matcher, hooks: [] }] } });
    expect(problems).toEqual([]);
  });
});
