import { describe, expect, test } from "vitest";
import type { EventContract } from "../../src/events/contract.ts";
import { contractOf } from "../../src/events/lookup.ts";
import { compileMatcher, describeMatch, type Matcher, matches } from "../../src/matcher/tool-name.ts";

type Style = EventContract["matcherStyle"];

function compiled(source: string | undefined, style: Style = "wide"): Matcher {
  const result = compileMatcher(source, style);
  if (!result.ok) throw new Error(result.message);
  return result.matcher;
}

const isMatch = (source: string | undefined, subject: string | undefined, style: Style = "wide"): boolean =>
  matches(compiled(source, style), subject);

describe("an empty matcher", () => {
  test.each([undefined, "", "*"])("%j matches every name", (source) => {
    for (const subject of ["Bash", "mcp__memory__read", "", "*", "a\nb"]) expect(isMatch(source, subject)).toBe(true);
  });

  test.each(["**", ".*", "*Bash"])("%j differs from the asterisk alone", (source) => {
    const result = compileMatcher(source, "wide");
    expect(result.ok && result.matcher.kind === "all").toBe(false);
  });
});

describe("a matcher of plain characters", () => {
  test.each([
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["Bash", "bash", false],
    ["bash", "Bash", false],
    ["Bash", "MyBash", false],
    ["Bash", "", false],
    ["Write", "NotebookWrite", false],
    ["mcp__memory", "mcp__memory", true],
    ["mcp__memory", "mcp__memory__create_entities", false],
    ["mcp__brave-search", "mcp__brave-search", true],
    ["mcp__brave-search", "mcp__brave-search__web", false],
    ["code-reviewer", "code-reviewer", true],
    ["code-reviewer", "senior-code-reviewer", false],
    ["My Tool", "My Tool", true],
    ["My Tool", "My", false],
    ["123", "123", true],
  ])("%j tested on %j is an exact comparison: %j", (source, subject, expected) => {
    expect(compiled(source).kind).toBe("names");
    expect(isMatch(source, subject)).toBe(expected);
  });

  test.each([
    "Edit|Write",
    "Edit,Write",
    "Edit, Write",
    "Edit | Write",
    " Edit ,  Write ",
    "Edit,|Write",
    "|Edit|Write|",
  ])("%j lists two names, without the spaces around them", (source) => {
    expect(compiled(source)).toEqual({ kind: "names", names: ["Edit", "Write"] });
    for (const subject of ["Edit", "Write"]) expect(isMatch(source, subject)).toBe(true);
    for (const subject of ["NotebookEdit", "Edit|Write", " Edit", "edit", ""])
      expect(isMatch(source, subject)).toBe(false);
  });

  test("is a list with both separators, and keeps spaces inside of names", () => {
    expect(compiled("Edit|Write, My Tool|Edit")).toEqual({ kind: "names", names: ["Edit", "Write", "My Tool"] });
  });

  test.each([" ", "|", ",", " , | "])("%j names no tool, and is refused instead of never matching", (source) => {
    expect(compileMatcher(source, "wide")).toEqual({ ok: false, message: `matcher "${source}" names no tool` });
  });
});

describe("a matcher with any other character", () => {
  test.each([
    ["Edit.*", "NotebookEdit", true],
    ["Edit.*", "Edit", true],
    ["Edit.*", "Write", false],
    ["mcp__memory__.*", "mcp__memory__create_entities", true],
    ["mcp__memory__.*", "mcp__memory", false],
    ["mcp__.*__write.*", "mcp__files__write_file", true],
    ["my-plugin:reviewer", "my-plugin:reviewer", true],
    ["my-plugin:reviewer", "not-my-plugin:reviewer2", true],
    ["^my-plugin:reviewer$", "my-plugin:reviewer", true],
    ["^my-plugin:reviewer$", "not-my-plugin:reviewer", false],
    ["^Bash$", "BashOutput", false],
    ["^Bash", "BashOutput", true],
    ["Bash$", "MyBash", true],
    ["^(Edit|Write)$", "Write", true],
    ["^(Edit|Write)$", "NotebookEdit", false],
    ["bash.*", "Bash", false],
    ["[Bb]ash", "MyBash", true],
    ["Bash.", "Bash", false],
    ["Notebook\\w+", "NotebookEdit", true],
    ["^.$", "é", true],
    ["Edit.*, Write", "Edit", false],
    [".env|.envrc", ".env", true],
  ])("%j tested on %j searches anywhere in the name, case-sensitively: %j", (source, subject, expected) => {
    expect(compiled(source).kind).toBe("pattern");
    expect(isMatch(source, subject)).toBe(expected);
    expect(isMatch(source, subject)).toBe(new RegExp(source).test(subject));
  });

  test("a pattern keeps no state from one name to the next", () => {
    const matcher = compiled("Ba.h");
    expect(["Bash", "Bash", "Edit", "Bash"].map((subject) => matches(matcher, subject))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  test("with a Unicode escape is JavaScript, and matches as in JavaScript", () => {
    expect(isMatch("^caf\\u00e9$", "café")).toBe(true);
  });
});

describe("the narrow style of FileChanged and StopFailure", () => {
  test.each([
    ["package", "package", "names"],
    ["rate_limit|overloaded", "overloaded", "names"],
    ["Makefile2", "Makefile2", "names"],
    // Each of these is a pattern here, and would be a name or a list elsewhere.
    ["docker-compose", "my-docker-compose-file", "pattern"],
    ["a,b", "xa,by", "pattern"],
    ["My File", "Not My File", "pattern"],
    [".envrc", "aenvrc", "pattern"],
    ["package.json", "packageXjson", "pattern"],
  ] as const)("%j matches %j, as %s", (source, subject, kind) => {
    expect(compiled(source, "narrow").kind).toBe(kind);
    expect(isMatch(source, subject, "narrow")).toBe(true);
  });

  test("still compares a name exactly, and still separates only by a bar", () => {
    expect(isMatch("rate_limit|overloaded", "rate_limit", "narrow")).toBe(true);
    expect(isMatch("rate_limit|overloaded", "rate_limit_exceeded", "narrow")).toBe(false);
    expect(isMatch("a,b", "a", "narrow")).toBe(false);
    expect(isMatch("a,b", "a")).toBe(true);
  });

  test.each([undefined, "", "*"])("%j matches everything here too", (source) => {
    expect(isMatch(source, "any.file", "narrow")).toBe(true);
  });
});

describe("without a subject", () => {
  test.each([undefined, "Bash", "^Bash$", "Edit|Write"])(
    "%j matches, because not running a guard is unsafe",
    (source) => {
      expect(isMatch(source, undefined)).toBe(true);
    },
  );
});

describe("describeMatch", () => {
  const tool = contractOf("PreToolUse", "claude-code")!;
  const stop = contractOf("Stop", "claude-code")!;

  test.each([
    [undefined, "Bash", tool, "no matcher: applies always"],
    ["Bash", undefined, stop, "the event has nothing to match on: applies always"],
    ["Bash", undefined, tool, "the payload has no tool_name that a matcher could test: applies"],
    ["Bash", "Bash", tool, 'tool_name "Bash" matches "Bash" (exact)'],
    ["Edit|Write", "Bash", tool, 'tool_name "Bash" does not match "Edit" or "Write" (exact)'],
    ["^mcp__", "mcp__x", tool, 'tool_name "mcp__x" matches /^mcp__/ (anywhere in the name)'],
    ["^mcp__", "Bash", tool, 'tool_name "Bash" does not match /^mcp__/ (anywhere in the name)'],
  ])("%j on %j is described in one line", (source, subject, contract, line) => {
    expect(describeMatch(compiled(source), subject, contract)).toBe(line);
  });
});
