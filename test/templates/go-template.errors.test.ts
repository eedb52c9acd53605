import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { GO_FIELDS } from "../../src/templates/go-fields.ts";
import { parseGoTemplate, renderGoTemplate } from "../../src/templates/go-template.ts";

describe("an invalid template is refused when it is loaded", () => {
  test.each([
    ["{{ .Nope }}", 1, 4, "the event has no field Nope"],
    ["{{ .tool_name }}", 1, 4, "the event has no field tool_name; there is ToolName"],
    ["{{ $.Nope }}", 1, 4, "the event has no field Nope"],
    ["{{ if eq .Nope 1 }}{{ end }}", 1, 10, "the event has no field Nope"],
    ["{{ .constructor }}", 1, 4, "the event has no field constructor"],
    ["line\n  {{ shout .ToolName }}", 2, 6, "there is no function shout; there are toJSON"],
    ["{{ .ToolName | constructor }}", 1, 16, "there is no function constructor"],
    ["{{ print (shout) }}", 1, 11, "there is no function shout"],
    ["{{ print shout }}", 1, 10, "there is no function shout"],
    ["{{ print len }}", 1, 10, "a function among values needs parentheses: (len …)"],
    ["{{ .ToolName | .Cwd }}", 1, 16, "only a function may follow a |"],
    ["{{ .ToolName .Cwd }}", 1, 14, "only a function can be followed by values"],
    ['{{ print "a""b" }}', 1, 13, "a space is missing before this"],
    ["{{ toJSON }}", 1, 4, "toJSON takes 1 values, not 0"],
    ["{{ .ToolName | truncate }}", 1, 16, "truncate takes 2 values, not 1"],
    ["{{ eq 1 }}", 1, 4, "eq takes 2 or more values, not 1"],
    ["{{}}", 1, 3, "the action lacks a value"],
    ["{{ .ToolName | }}", 1, 16, "the action lacks a value"],
    ["{{ nil }}", 1, 4, "nil is not a value"],
    ["{{ if }}x{{ end }}", 1, 7, "if lacks a value"],
    ["{{ if .ToolName }}x", 1, 1, "this if has no {{end}}"],
    ["{{ range .Messages }}{{ if .Role }}{{ end }}", 1, 1, "this range has no {{end}}"],
    ["x{{ end }}", 1, 2, "there is nothing that this end belongs to"],
    ["x{{ else }}", 1, 2, "there is nothing that this else belongs to"],
    ["{{ if 1 }}{{ else }}{{ else }}{{ end }}", 1, 21, "this if has an else already"],
    ["{{ if 1 }}{{ end x }}", 1, 18, "end should end before this"],
    ["{{ if 1 }}{{ else with 1 }}{{ end }}", 1, 19, "else should end before this"],
    ["{{ break }}", 1, 1, "break is not inside a range"],
    ['{{ define "x" }}{{ end }}', 1, 1, "define is not available in prompts"],
    ['{{ template "x" }}', 1, 1, "template is not available in prompts"],
    ["{{ $x }}", 1, 4, "there is no variable $x here"],
    ["{{ $x = 1 }}", 1, 4, "there is no variable $x here"],
    ["{{ if $x := 1 }}{{ end }}{{ $x }}", 1, 29, "there is no variable $x here"],
    ["{{ $a, $b := .Messages }}", 1, 4, "there is no variable $a here"],
    ["{{ range $a, $b .Messages }}{{ end }}", 1, 17, "after two variables comes :="],
    ["{{ print ($x := 1) }}", 1, 10, "no variable can be set in parentheses"],
    ["{{ print (1 }}", 1, 10, "the parenthesis is not closed"],
    ["text {{ .ToolName", 1, 6, "the action is not closed with }}"],
    ["{{ /* no }}", 1, 4, '"/" is not allowed here'],
    ["{{/* no }}", 1, 1, "the comment is not closed with */"],
    ["{{/* c */ .ToolName }}", 1, 1, "an action with a comment must not contain anything else"],
    ['{{ "open }}', 1, 4, "the text is not closed on its line"],
    ['{{ "\\q" }}', 1, 4, "\\q is not a valid escape sequence"],
    ['{{ "\\ud800" }}', 1, 4, "\\ud800 is not a valid escape sequence"],
    ["{{ 'ab' }}", 1, 4, "single quotes must contain exactly one character"],
    ["{{ 1x }}", 1, 4, "this is not a number"],
    ["{{ 1e999 }}", 1, 4, "this number cannot be read"],
    ["{{ .tool-input }}", 1, 9, '"-" is not allowed here'],
  ])("%s", (text, line, column, message) => {
    expect(parseGoTemplate(text, GO_FIELDS)).toMatchObject({
      ok: false,
      line,
      column,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    [
      "nested too deeply",
      `${"{{ if 1 }}".repeat(51)}${"{{ end }}".repeat(51)}`,
      501,
      "nested more than 50 levels deep",
    ],
    ["with too many parentheses", `{{ print ${"(".repeat(51)}1${")".repeat(51)} }}`, 60, "more than 50 levels deep"],
    ["too long", "x".repeat(100_001), 1, "the template has 100001 characters; 100000 are allowed"],
  ])("%s", (_, text, column, message) => {
    expect(parseGoTemplate(text, GO_FIELDS)).toMatchObject({
      ok: false,
      line: 1,
      column,
      message: expect.stringContaining(message),
    });
  });

  test("but may be as long and as deep as the limits", () => {
    const deep = `${"{{ if 1 }}".repeat(50)}x${"{{ end }}".repeat(50)}`;
    expect(parseGoTemplate(deep.padEnd(100_000), GO_FIELDS).ok).toBe(true);
  });
});

function problemOf(text: string, data: JsonObject): string {
  const parsed = parseGoTemplate(text, GO_FIELDS);
  if (!parsed.ok) throw new Error(parsed.message);
  const rendered = renderGoTemplate(parsed.template, data);
  if (rendered.ok) throw new Error(`rendered ${rendered.text.slice(0, 80)}`);
  return rendered.message;
}

describe("a template that does not match the event gives no text", () => {
  const data = { tool_name: "shell", tool_input: { cmd: "ls", n: 3, list: [1], none: null } };

  test.each([
    ["{{ .ToolInput.absent }}", "there is no absent"],
    ["{{ .ToolInput.absent | toJSON }}", "there is no absent"],
    ["{{ printf `%v` .ToolInput.absent }}", "there is no absent"],
    ['{{ index .ToolInput "absent" }}', 'there is no key "absent"'],
    ["{{ or .ToolInput.absent .ToolInput.gone }}", "there is no gone"],
    ["{{ $x := .ToolInput.absent }}{{ $x }}", "there is no absent"],
    ["{{ range .ToolInput.absent }}{{ end }}", "there is no absent"],
    ["{{ .ToolInput.constructor }}", "there is no constructor"],
    ["{{ .ToolInput.toString }}", "there is no toString"],
    ["{{ .ToolInput.list.length }}", "there is no length in a list"],
    ["{{ .ToolName.length }}", "there is no length in a text"],
    ["{{ .ToolInput.none.x }}", "there is no x in nothing"],
    ["{{ range .Messages }}{{ end }}{{ range .ToolName }}{{ end }}", "range cannot go through a text"],
    ["{{ if gt .ToolInput.absent 3 }}{{ end }}", "nothing and a number have no order"],
    ['{{ eq .ToolInput.n "3" }}', "a number and a text cannot be compared"],
    ["{{ eq .ToolInput 1 }}", "a map cannot be compared"],
    ["{{ len .ToolInput.n }}", "a number has no length"],
    ["{{ index .ToolInput.list 5 }}", "the list has 1 items, and none at 5"],
    ["{{ index .ToolInput.list -1 }}", "none at -1"],
    ["{{ index .ToolInput 1 }}", "the key of a map is a text, not a number"],
    ["{{ index .ToolName 1 }}", "a text has no index"],
    ["{{ .ToolInput.n | truncate 3 }}", "truncate takes a text, not a number"],
    ['{{ truncate "3" .ToolName }}', "truncate takes a whole number first, not a text"],
    ['{{ printf "%d" .ToolName }}', "%d of printf does not take a text"],
    ['{{ printf "%x" 1 }}', "printf has no %x"],
    ['{{ printf "%5d" 1 }}', "printf has no %5d"],
    ['{{ printf "%s" }}', "printf lacks a value for %s"],
    ['{{ printf "x" 1 }}', "printf has 1 more values than its format takes"],
    ["{{ printf 1 }}", "printf takes a text first, not a number"],
    ["{{ $x := . }}{{ $x.Nope }}", "there is no field Nope"],
  ])("%s", (text, message) => {
    expect(problemOf(text, data)).toContain(message);
  });

  test("and the place of the mismatch", () => {
    expect(problemOf("one\ntwo {{ .ToolInput.absent }}", data)).toBe(
      "line 2, column 8 of the template: there is no absent; test for it with if or with before you use it",
    );
  });
});

describe("a template's work is limited", () => {
  test("in the length of its text", () => {
    const data = { tool_response: "x".repeat(600_000) };
    expect(problemOf("{{ .ToolResponse }}{{ .ToolResponse }}", data)).toContain("longer than 1048576 bytes");
    expect(problemOf("{{ .ToolResponse }}", { tool_response: "é".repeat(524_289) })).toContain("1048576 bytes");
  });

  test("in the number of its loop's turns", () => {
    const data = { tool_response: Array.from({ length: 400 }, () => 1) };
    const text = "{{ range .ToolResponse }}{{ range $.ToolResponse }}{{ end }}{{ end }}";
    expect(problemOf(text, data)).toContain("more than 100000 times");
  });

  test("in the output of its functions, shown or not", () => {
    const data = { tool_response: Array.from({ length: 1_000 }, () => 1), prompt: "x".repeat(100_000) };
    expect(problemOf("{{ range .ToolResponse }}{{ $x := print $.Prompt }}{{ end }}", data)).toContain("goes through");
    expect(problemOf("{{ range .ToolResponse }}{{ $x := eq $.Prompt $.Prompt }}{{ end }}", data)).toContain("through");
    const doubles = `{{ $x := .Prompt }}${"{{ $x = print $x $x }}".repeat(20)}`;
    expect(problemOf(doubles, data)).toContain("goes through");
  });

  describe("in what a loop evaluates repeatedly:", () => {
    const numbers = Array.from({ length: 50_000 }, (_, at) => at);
    const data: JsonObject = {
      tool_input: Object.fromEntries(numbers.map((at) => [`k${at}`, at])),
      messages: numbers.map(() => ({ role: "user" })),
    };
    test.each([
      "{{ range .Messages }}{{ len $.ToolInput }}{{ end }}",
      "{{ range .Messages }}{{ if $.ToolInput }}{{ end }}{{ end }}",
      "{{ range .Messages }}{{ range $.ToolInput }}{{ break }}{{ end }}{{ end }}",
      "{{ range .Messages }}{{ range $.Messages }}{{ break }}{{ end }}{{ end }}",
      "{{ range .Messages }}{{ len $.Messages }}{{ end }}",
    ])("%s", (text) => {
      // Each of these could go through fifty thousand values fifty thousand times, and not end within any test's time.
      const parsed = parseGoTemplate(text, GO_FIELDS);
      expect(parsed.ok && renderGoTemplate(parsed.template, data)).toBeTruthy();
    });

    test("its variables", () => {
      const parsed = parseGoTemplate("{{ $x := 1 }}".repeat(101), GO_FIELDS);
      expect(parsed).toMatchObject({ ok: false, message: "more than 100 variables" });
    });

    test("its steps", () => {
      const many = `{{ range .Messages }}${"{{ if . }}{{ end }}".repeat(20)}{{ end }}`;
      expect(problemOf(many, data)).toContain("goes through more than");
    });
  });

  test("in how deep it goes into an event", () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 100_000; level++) deep = { deep };
    expect(problemOf("{{ .ToolInput | toJSON }}", { tool_input: deep })).toContain("nested too deeply");
  });
});
