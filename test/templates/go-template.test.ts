import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { GO_FIELDS } from "../../src/templates/go-fields.ts";
import { parseGoTemplate, renderGoTemplate } from "../../src/templates/go-template.ts";

/** Cases from Go's documentation of `text/template` and `fmt`, and from docker-agent's two functions. */

const DATA: JsonObject = {
  session_id: "s-1",
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_error: true,
  iteration: 3,
  tool_input: {
    cmd: 'echo "<a> & b"',
    n: 1_000_000,
    half: 0.5,
    list: ["one", "two", "three"],
    empty: "",
    none: null,
    nested: { deep: { key: "found" } },
    "with-dash": "dashed",
    __proto__x: 1,
  },
  messages: [
    { role: "user", content: "hello" },
    { role: "assistant", content: "", tool_calls: [{ id: "c1", function: { name: "shell", arguments: "{}" } }] },
  ],
  usage: { input_tokens: 12 },
  steering_messages: ["a", "b"],
};

function render(text: string, data: JsonObject = DATA): string {
  const parsed = parseGoTemplate(text, GO_FIELDS);
  if (!parsed.ok) throw new Error(`${parsed.line}:${parsed.column}: ${parsed.message}`);
  const rendered = renderGoTemplate(parsed.template, data);
  if (!rendered.ok) throw new Error(rendered.message);
  return rendered.text;
}

function renders(title: string, rows: readonly (readonly [template: string, text: string])[]): void {
  describe(title, () => {
    test.each(rows)("%s", (template, text) => {
      expect(render(template)).toBe(text);
    });
  });
}

renders("fields", [
  ["no action at all", "no action at all"],
  ["{{.ToolName}}", "shell"],
  ["{{ .ToolName }}", "shell"],
  ["{{ $.ToolName }}", "shell"],
  ["{{ .ToolInput.nested.deep.key }}", "found"],
  ["{{ (.ToolInput.nested).deep.key }}", "found"],
  ['{{ index .ToolInput "with-dash" }}', "dashed"],
  ["{{ .ToolError }} {{ .ToolReadOnly }}", "true false"],
  ["{{ .Iteration }} {{ .InputTokens }}", "3 0"],
  ["[{{ .Prompt }}]", "[]"],
  ["{{ .ToolResponse }}", "<no value>"],
  ["{{ .ToolInput.none }}", "<no value>"],
  ["{{ .ToolInput.n }} {{ .ToolInput.half }}", "1000000 0.5"],
  ["{{ .ToolInput.list }}", "[one two three]"],
  ["{{ .ToolInput.nested }}", "map[deep:map[key:found]]"],
  ["{{ .Usage.InputTokens }}/{{ .Usage.OutputTokens }}", "12/0"],
]);

renders("white space", [
  ["a {{- .ToolName -}} b", "ashellb"],
  ["a {{ .ToolName -}}\n\n b", "a shellb"],
  ["a \n\t{{- .ToolName }} b", "ashell b"],
  ["{{23 -}} < {{- 45}}", "23<45"],
  ["{{-3}}", "-3"],
  ["a {{/* nothing */}} b", "a  b"],
  ["a {{- /* nothing */ -}} b", "ab"],
  ["{{ .ToolName\n| len }}", "5"],
]);

renders("literals", [
  ['{{"\\"output\\""}}', '"output"'],
  ['{{`"raw\\n"`}}', '"raw\\n"'],
  ["{{ print 1_000 0x10 0b11 0o17 017 .5 1e3 -2 'a' }}", "1000 16 3 15 15 0.5 1000 -2 97"],
  ["{{ true }} {{ false }}", "true false"],
  ['{{ "\\u00e9\\x41\\101\\t|" }}', "éAA\t|"],
]);

renders("pipelines and functions of Go", [
  ['{{printf "%q" "output"}}', '"output"'],
  ['{{"output" | printf "%q"}}', '"output"'],
  ['{{printf "%q" (print "out" "put")}}', '"output"'],
  ['{{"put" | printf "%s%s" "out" | printf "%q"}}', '"output"'],
  ['{{"output" | printf "%s" | printf "%q"}}', '"output"'],
  ['{{ printf "%d of %v, %s: %t %%" 3 .ToolInput.list .ToolName true }}', "3 of [one two three], shell: true %"],
  ['{{ printf "%q" "\\a\\n\\"\\\\é\\u00a0\\x7f" }}', '"\\a\\n\\"\\\\é\\u00a0\\x7f"'],
  ['{{ print "a" 1 2 "b" 3 }}', "a1 2b3"],
  ['{{ println "a" 1 }}', "a 1\n"],
  ["{{ len .ToolInput.list }} {{ len .ToolName }} {{ len .ToolInput.nested }}", "3 5 1"],
  ['{{ len "é" }}', "2"],
  ["{{ index .ToolInput.list 1 }}", "two"],
  ['{{ index .ToolInput "nested" "deep" "key" }}', "found"],
  ["{{ not .ToolError }}", "false"],
  ["{{ eq .ToolName `bash` `shell` }}", "true"],
  ["{{ ne 1 2 }} {{ lt 1 2 }} {{ le 2 2 }} {{ gt 1 2 }} {{ ge 1 2 }}", "true true true false false"],
  ['{{ lt "a" "b" }} {{ lt "\\U0001F600" "\\uFF5E" }}', "true false"],
  ['{{ and 1 "" 2 }}|{{ and 1 2 }}|{{ or "" 0 "x" }}|{{ or "" 0 }}', "|2|x|0"],
  ["{{ or .ToolName (index .ToolInput.list 99) }}", "shell"],
  ["{{ and .ToolInput.empty (index .ToolInput.list 99) }}", ""],
  ["{{ if .ToolResponse | and true }}yes{{ else }}no{{ end }}", "no"],
  ["{{ .ToolResponse | or false }}", "<no value>"],
]);

renders("functions of docker-agent", [
  ["{{ .ToolInput.cmd | toJSON }}", '"echo \\"\\u003ca\\u003e \\u0026 b\\""'],
  ["{{ .ToolInput.nested | toJSON }}", '{"deep":{"key":"found"}}'],
  ["{{ toJSON .ToolInput.list }}", '["one","two","three"]'],
  ["{{ .ToolName | truncate 3 }}", "she…"],
  ["{{ truncate 5 .ToolName }} {{ truncate 0 .ToolName }} {{ truncate -1 .ToolName }}", "shell shell shell"],
  ['{{ truncate 2 "aé" }}', "a…"],
  ["{{ .ToolInput | toJSON | truncate 8 }}", '{"__prot…'],
  ["{{ range .Messages }}{{ .Role }}={{ . | toJSON }};{{ break }}{{ end }}", 'user={"role":"user","content":"hello"};'],
]);

renders("branches", [
  ["{{ if .ToolError }}yes{{ end }}", "yes"],
  ["{{ if .ToolInput.empty }}yes{{ else }}no{{ end }}", "no"],
  ['{{ if eq .ToolName "x" }}1{{ else if eq .ToolName "shell" }}2{{ else }}3{{ end }}', "2"],
  ['{{ if eq .ToolName "x" }}1{{ else if eq .ToolName "y" }}2{{ else }}3{{ end }}', "3"],
  ["{{ with .ToolInput.nested }}{{ .deep.key }}{{ end }}", "found"],
  ["{{ with .ToolInput.empty }}{{ . }}{{ else }}none{{ end }}", "none"],
  ["{{ with .ToolInput.empty }}1{{ else with .ToolName }}{{ . }}{{ end }}", "shell"],
  ["{{ with $x := .ToolName }}{{ $x }}{{ $.SessionID }}{{ end }}", "shells-1"],
  ["{{ range .ToolInput.list }}{{ . }},{{ end }}", "one,two,three,"],
  ["{{ range $i, $x := .ToolInput.list }}{{ $i }}{{ $x }} {{ end }}", "0one 1two 2three "],
  ["{{ range $x := .SteeringMessages }}{{ $x }}{{ end }}", "ab"],
  ["{{ range $k, $v := .ToolInput.nested }}{{ $k }}={{ $v.key }}{{ end }}", "deep=found"],
  ["{{ range .FromAgentModels }}x{{ else }}none{{ end }}", "none"],
  [
    "{{ range .Messages }}{{ .Role }}:{{ .Content }}{{ range .ToolCalls }}{{ .Function.Name }}{{ end }} {{ end }}",
    "user:hello assistant:shell ",
  ],
  ['{{ range .ToolInput.list }}{{ if eq . "two" }}{{ continue }}{{ end }}{{ . }}{{ end }}', "onethree"],
  ['{{ range .ToolInput.list }}{{ if eq . "two" }}{{ break }}{{ end }}{{ . }}{{ end }}', "one"],
  ["{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"],
  ["{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ end }}{{ $x }}", "1"],
  ["{{ if and .ToolError (eq .ToolName `shell`) }}both{{ end }}", "both"],
]);

renders("keys that are not there, where they are asked for", [
  ["{{ if .ToolInput.absent }}yes{{ else }}no{{ end }}", "no"],
  ["{{ if not .ToolInput.absent }}yes{{ end }}", "yes"],
  ["{{ if .ToolInput.absent.further }}yes{{ else }}no{{ end }}", "no"],
  ['{{ if eq .ToolInput.absent "x" }}yes{{ else }}no{{ end }}', "no"],
  ['{{ if index .ToolInput "absent" }}yes{{ else }}no{{ end }}', "no"],
  ["{{ with .ToolInput.absent }}{{ . }}{{ else }}no{{ end }}", "no"],
  ['{{ or .ToolInput.absent "none" }}', "none"],
  ['{{ .ToolInput.absent | or "none" }}', "none"],
  ["{{ if and .ToolError .ToolInput.absent }}yes{{ else }}no{{ end }}", "no"],
  ["{{ $x := .ToolInput.absent }}{{ if $x }}yes{{ else }}no{{ end }}", "no"],
  ["{{ if .ToolInput.constructor }}yes{{ else }}no{{ end }}", "no"],
  ["{{ if .ToolInput.__proto__ }}yes{{ else }}no{{ end }}", "no"],
]);

describe("the fields that a template uses", () => {
  test.each([
    ["Tool: {{ .ToolName }} {{ .ToolInput | toJSON }} {{ .ToolName }}", ["ToolName", "ToolInput"]],
    ["{{ if .ToolError }}{{ .ToolResponse }}{{ end }}", ["ToolError", "ToolResponse"]],
    ["{{ range .Messages }}{{ .Content }}{{ $.Cwd }}{{ end }}", ["Messages", "Cwd"]],
    ["{{ . | toJSON }}", ["."]],
    ["{{ $x := . }}{{ $x.Prompt }}", ["."]],
    ["nothing", []],
  ])("are found in %s", (text, fields) => {
    expect(parseGoTemplate(text, GO_FIELDS)).toMatchObject({ ok: true, fields });
  });
});

describe("the fields of other agents' payloads", () => {
  test("have docker-agent's names as well", () => {
    const canonical = { last_assistant_message: "done", trigger: "manual", agent_type: "helper" };
    expect(render("{{ .StopResponse }} {{ .Source }} {{ .AgentName }}", canonical)).toBe("done manual helper");
  });

  test("that are null count as missing", () => {
    expect(render("[{{ .Prompt }}] {{ .Iteration }}", { prompt: null, iteration: null })).toBe("[] 0");
  });

  test("are those of docker-agent if both exist", () => {
    expect(render("{{ .Source }}", { source: "auto", trigger: "manual" })).toBe("auto");
  });
});
