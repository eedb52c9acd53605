import { describe, expect, test } from "vitest";
import { actionsOf } from "../../src/actions/actions-of.ts";
import { dialectNamed } from "../../src/dialects/registry.ts";
import type { JsonObject } from "../../src/json.ts";
import fc from "../helpers/fc.ts";

const PATCH = `*** Begin Patch
*** Add File: new.txt
+hello
*** Update File: src/old.ts
*** Move to: src/moved.ts
@@
-a
+b
*** Delete File: /etc/gone
*** End Patch
`;

const act = (tool_name: string, tool_input: JsonObject, more: JsonObject = {}): unknown =>
  actionsOf({ cwd: "/p", tool_name, tool_input, ...more }, "claude-code");

const command = (text: unknown, directory?: string): object => ({
  kind: "command",
  command: text,
  ...(directory === undefined ? {} : { directory }),
});
const write = (path: string, content?: string): object => ({
  kind: "write",
  path,
  ...(content === undefined ? {} : { content }),
});
const read = (path: string): object => ({ kind: "read", path });
const remove = (path: string): object => ({ kind: "delete", path });
const move = (path: string, to: string): object => ({ kind: "move", path, to });
const request = (url: string, method = "GET"): object => ({ kind: "request", url, method });
const unread = (of: string, at = expect.any(String)): object => ({ kind: "unread", of, at, why: expect.any(String) });

const PATCHED = (at: string): object[] => [
  write("/p/new.txt", at),
  write("/p/src/old.ts", at),
  move("/p/src/old.ts", "/p/src/moved.ts"),
  remove("/etc/gone"),
];

describe("a call of an agent's own tool", () => {
  test.each<[agent: string, tool: string, input: JsonObject, actions: readonly object[]]>([
    ["Claude Code", "Bash", { command: "ls" }, [command("ls", "/p")]],
    ["Claude Code", "PowerShell", { command: "ls" }, [{ ...command("ls", "/p"), shell: "powershell" }]],
    ["Claude Code", "Write", { file_path: "/p/a", content: "x" }, [write("/p/a", "/content")]],
    ["Claude Code", "Edit", { file_path: "a", old_string: "x", new_string: "y" }, [write("/p/a", "/new_string")]],
    ["Claude Code", "MultiEdit", { file_path: "a", edits: [{ old_string: "x" }] }, [write("/p/a", "/edits")]],
    [
      "Claude Code",
      "NotebookEdit",
      { notebook_path: "n.ipynb", new_source: "1" },
      [write("/p/n.ipynb", "/new_source")],
    ],
    ["Claude Code", "Read", { file_path: "~/.ssh/id_rsa" }, [read("~/.ssh/id_rsa")]],
    ["Claude Code", "Grep", { pattern: "KEY", path: ".env" }, [read("/p/.env")]],
    ["Claude Code", "WebFetch", { url: "https://a.example/x", prompt: "sum up" }, [request("https://a.example/x")]],
    ["Claude Code", "WebFetch", { url: "file:///etc/pass%77d" }, [read("/etc/passwd")]],
    ["Claude Code", "TodoWrite", { todos: [] }, []],
    ["Codex", "Bash", { command: ["bash", "-lc", "ls"] }, [command(["bash", "-lc", "ls"], "/p")]],
    ["Codex", "apply_patch", { command: PATCH }, PATCHED("/command")],
    [
      "Codex",
      "Bash",
      { command: `apply_patch <<'E'\n${PATCH}E` },
      [command(expect.any(String), "/p"), ...PATCHED("/command")],
    ],
    [
      "Claude Code",
      "Bash",
      { command: "git apply <<'E'\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nE" },
      [command(expect.any(String), "/p"), write("/p/x", "/command")],
    ],
    [
      "Claude Code",
      "Bash",
      { command: "git commit -F - <<'E'\n--- a/x\n+++ b/x\nE" },
      [command(expect.any(String), "/p")],
    ],
    ["Codex", "write_stdin", { chars: "rm x\n", session_id: 1 }, [command("rm x\n")]],
    ["Codex", "view_image", { path: "a.png" }, [read("/p/a.png")]],
    ["Copilot CLI", "create", { path: "/p/a", file_text: "x" }, [write("/p/a", "/file_text")]],
    ["Copilot CLI", "Write", { path: "/p/a", file_text: "x" }, [write("/p/a", "/file_text")]],
    ["Copilot CLI", "edit", { path: "a", old_str: "x", new_str: "y" }, [write("/p/a", "/new_str")]],
    ["Copilot CLI", "str_replace_editor", { command: "view", path: "a" }, [read("/p/a")]],
    ["Qwen Code", "run_shell_command", { command: "ls", directory: "/etc" }, [command("ls", "/etc")]],
    ["Qwen Code", "write_file", { file_path: "a", content: "x" }, [write("/p/a", "/content")]],
    ["Gemini CLI", "run_shell_command", { command: "ls", dir_path: "sub" }, [command("ls", "/p/sub")]],
    ["Gemini CLI", "replace", { file_path: "a", instruction: "i", new_string: "y" }, [write("/p/a", "/new_string")]],
    ["Gemini CLI", "web_fetch", { prompt: "read https://a.example/x and" }, [request("https://a.example/x")]],
    ["Gemini CLI", "read_many_files", { paths: ["a", "b"] }, [read("/p/a"), read("/p/b")]],
    ["Kimi Code", "FetchURL", { url: "https://a.example" }, [request("https://a.example")]],
    ["OpenCode", "write", { filePath: "/p/a", content: "x" }, [write("/p/a", "/content")]],
    ["OpenCode", "bash", { command: "ls", workdir: "/etc" }, [command("ls", "/etc")]],
    ["OpenCode", "patch", { patchText: PATCH }, PATCHED("/patchText")],
    ["pi", "edit", { path: "a", edits: [{ oldText: "x", newText: "y" }] }, [write("/p/a", "/edits")]],
    ["a server", "mcp__files__write_file", { path: "a", content: "x" }, [write("/p/a", "/content")]],
    ["a server", "mcp_files_move_file", { source: "a", destination: "/b" }, [move("/p/a", "/b")]],
    ["a server", "files-read_multiple_files", { paths: ["a"] }, [read("/p/a")]],
    ["a server", "files__copy_file", { source: "a", destination: "b" }, [read("/p/a"), write("/p/b")]],
    [
      "a server",
      "mcp__desk__execute_command",
      { command: "rm", args: ["-r", "x"] },
      [command(["rm", "-r", "x"], "/p")],
    ],
    ["a server", "mcp__api__send", { url: "http://a.example", method: "post" }, [request("http://a.example", "POST")]],
    ["a server", "mcp__mail__send", { to: "a@b.example", files: ["x"] }, []],
    ["a server", "mcp__notes__write", { path: "a" }, []],
  ])("%s: %s %j", (_agent, tool, input, actions) => {
    expect(act(tool, input)).toEqual(actions);
  });

  test.each<[dialect: string, event: string | undefined, payload: JsonObject, actions: readonly object[]]>([
    [
      "docker-agent",
      "pre_tool_use",
      { cwd: "/p", tool_name: "shell", tool_input: { CMD: "ls", cwd: "/etc" } },
      [command("ls", "/etc")],
    ],
    [
      "docker-agent",
      "pre_tool_use",
      { cwd: "/p", tool_name: "edit_file", tool_input: { path: "a", edits: [{ oldText: "x", newText: "y" }] } },
      [write("/p/a", "/edits")],
    ],
    [
      "docker-agent",
      "pre_tool_use",
      { cwd: "/p", tool_name: "fetch", tool_input: { urls: ["http://a.example", "http://b.example"] } },
      [request("http://a.example"), request("http://b.example")],
    ],
    [
      "autohand",
      "pre-tool",
      {
        event: "pre-tool",
        cwd: "/p",
        tool_name: "run_command",
        tool_input: { command: "rm", args: ["-r", "x"], directory: "/" },
      },
      [command("rm -r x", "/")],
    ],
    [
      "autohand",
      "pre-tool",
      { event: "pre-tool", cwd: "/p", tool_name: "delete_path", tool_input: { path: "x" } },
      [remove("/p/x")],
    ],
    [
      "autohand",
      "pre-tool",
      {
        event: "pre-tool",
        cwd: "/p",
        tool_name: "multi_file_edit",
        tool_input: { edits: [{ path: "x", old: "1" }, { file_path: "y" }] },
      },
      [write("/p/x"), write("/p/y")],
    ],
    [
      "openclaw",
      "before_tool_call",
      {
        hook: "before_tool_call",
        event: { toolName: "apply_patch", params: { input: PATCH }, derivedPaths: ["/p/new.txt", "/q/z"] },
        ctx: {},
      },
      [
        write("new.txt", "/input"),
        write("src/old.ts", "/input"),
        move("src/old.ts", "src/moved.ts"),
        remove("/etc/gone"),
      ],
    ],
    [
      "openclaw",
      "before_tool_call",
      { hook: "before_tool_call", event: { toolName: "process", params: { action: "write", data: "rm x" } }, ctx: {} },
      [command("rm x")],
    ],
    [
      "agentao",
      undefined,
      {
        event: "PreToolUse",
        data: { cwd: "/p", toolName: "run_shell_command", toolInput: { command: "ls", working_directory: ".." } },
      },
      [command("ls", "/p/..")],
    ],
  ])("%s: %s", (name, eventName, payload, actions) => {
    const decoded = dialectNamed(name)?.decodeEvent(payload, eventName);
    expect(decoded).toMatchObject({ ok: true });
    expect(decoded?.ok && actionsOf(decoded.payload, name)).toEqual(expect.arrayContaining([...actions]));
  });
});

describe("the directory of a call", () => {
  test("is absent if neither the call nor the event names one", () => {
    expect(actionsOf({ tool_name: "Bash", tool_input: { command: "ls" } }, "patterns")).toEqual([command("ls")]);
    expect(actionsOf({ tool_name: "Write", tool_input: { file_path: "a" } }, "patterns")).toEqual([write("a")]);
  });

  test("stays relative if the event has no absolute directory", () => {
    expect(act("Bash", { command: "ls", cwd: "sub" }, { cwd: "somewhere" })).toEqual([command("ls", "sub")]);
  });

  test("is each of several that the call names", () => {
    expect(act("Bash", { command: "ls", cwd: "/a", workdir: "b" })).toEqual([
      command("ls", "/a"),
      command("ls", "/p/b"),
    ]);
  });

  test("is only the field that the tool of the dialect reads", () => {
    const payload = { cwd: "/p", tool_name: "Bash", tool_input: { command: "ls", cwd: "/a", workdir: "b" } };
    expect(actionsOf(payload, "openclaw")).toEqual([command("ls", "/a")]);
  });

  test.each<JsonObject>([{ cwd: "" }, { cwd: null }, { cwd: "." }])("is the event's for %j", (more) => {
    expect(act("Bash", { command: "ls", ...more })).toEqual([command("ls", "/p")]);
  });

  test.each<JsonObject>([{ cwd: 7 }, { workdir: "$HOME" }, { cwd: ["/"] }, { cwd: "a\nb" }])(
    "is unread for %j",
    (more) => {
      expect(act("Bash", { command: "ls", ...more })).toEqual([command("ls", "/p"), unread("command")]);
    },
  );
});

describe("an input that cannot be read", () => {
  test.each<[tool: string, input: JsonObject, of: string, at: string]>([
    ["Bash", { command: 7 }, "command", "/command"],
    ["Bash", { command: null }, "command", "/command"],
    ["Bash", { command: ["ls", 7] }, "command", "/command"],
    ["Bash", { command: "x".repeat(200_000) }, "command", "/command"],
    ["Write", { file_path: 7 }, "write", "/file_path"],
    ["Write", { "file/~path": "a", path: { a: 1 } }, "write", "/path"],
    ["Read", { file_path: "x".repeat(5_000) }, "read", "/file_path"],
    ["apply_patch", { command: "no patch" }, "write", ""],
    ["apply_patch", {}, "write", ""],
    ["WebFetch", { url: 7 }, "request", "/url"],
    ["mcp__f__move_file", { source: "a" }, "move", ""],
  ])("%s %j", (tool, input, of, at) => {
    expect(act(tool, input)).toEqual([unread(of, at)]);
  });

  test.each<JsonObject>([{ tool_name: 7 }, {}, { tool_input: {} }])("has no actions without a tool: %j", (payload) => {
    expect(actionsOf(payload, "claude-code")).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ["Write", { file_path: null, content: null }],
    ["Write", { file_path: "" }],
    ["WebFetch", { url: null }],
  ])("has no actions if nothing is given: %s %j", (tool, input) => {
    expect(act(tool, input)).toEqual([]);
  });

  test("has no actions without an object", () => {
    expect(actionsOf({ tool_name: "Bash", tool_input: null }, "claude-code")).toEqual([]);
  });
});

describe("a unified diff", () => {
  const diff = (patch: string): unknown => act("apply_patch", { patch });

  test("names changed, new, removed, renamed and copied files", () => {
    expect(
      diff(`diff --git a/one b/one
--- a/one\t2026-01-01
+++ b/one
@@ -1 +1 @@
-a
+b
--- /dev/null
+++ b/sub/two
--- a/three
+++ /dev/null
rename from four
rename to "f\\303\\244nf"
copy to six
diff --git a/seven b/seven
deleted file mode 100644
index 1..0
GIT binary patch
`),
    ).toEqual([
      write("/p/one", "/patch"),
      write("/p/sub/two", "/patch"),
      remove("/p/three"),
      move("/p/four", "/p/fänf"),
      write("/p/six", "/patch"),
      remove("/p/seven"),
    ]);
  });

  test("counts both names if the names differ", () => {
    expect(diff("--- .env\n+++ other\n")).toEqual([write("/p/other", "/patch"), write("/p/.env", "/patch")]);
  });
});

test("a call with too many files ends with an unread action", () => {
  const edits = Array.from({ length: 1_000 }, (_, at) => ({ path: `file-${at}` }));
  const actions = act("multi_file_edit", { edits }) as readonly object[];
  expect(actions).toHaveLength(257);
  expect(actions.at(-1)).toEqual(unread("write"));
});

test("any tool input gives a list of bounded size without an error", () => {
  const tool = fc.constantFrom(
    ...[
      "Bash",
      "Write",
      "Read",
      "apply_patch",
      "mcp__a__move_file",
      "copy_file",
      "WebFetch",
      "multi_file_edit",
      "process",
      "x",
    ],
  );
  const key = fc.constantFrom(
    ...[
      "file_path",
      "path",
      "paths",
      "command",
      "args",
      "cwd",
      "workdir",
      "edits",
      "patch",
      "url",
      "to",
      "content",
      "action",
    ],
  );
  const text = fc.oneof(
    fc.constantFrom(PATCH, "--- a/x\n+++ b/y", "file:///%zz", '--- "a/\\777', "delete", "diff --git a/ b/"),
    fc.string({ unit: "binary" }),
    fc.string({ minLength: 4_000, maxLength: 9_000 }),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.jsonValue(),
      fc.array(tie("any"), { maxLength: 5 }),
      fc.dictionary(fc.oneof(key, fc.string()), tie("any"), { maxKeys: 5 }),
    ),
  })).any;
  const input = fc.dictionary(fc.oneof(key, fc.string()), value, { maxKeys: 8 });
  fc.assert(
    fc.property(tool, input, fc.oneof(fc.string(), fc.constant("/p")), (name, fields, cwd) => {
      const actions = actionsOf({ cwd, tool_name: name, tool_input: fields as JsonObject }, "claude-code") ?? [];
      expect(actions.length).toBeLessThanOrEqual(257);
      expect(JSON.stringify(actions).length).toBeLessThan(2_000_000);
      for (const { kind } of actions) expect(kind).toMatch(/^(command|read|write|delete|move|request|unread)$/);
    }),
  );
});
