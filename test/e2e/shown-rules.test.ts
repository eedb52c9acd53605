import { describe, expect, test } from "vitest";
import { bashCall, hookbox, project, stopCall } from "./cli.ts";
import { inProcess } from "./in-process.ts";
import { USER_FILE, world } from "./trust-world.ts";

/** What `check` and `explain` report about the terms that a rule runs under. */

const HOOKS = [
  { type: "command", name: "once", command: "true", once: true, if: "Bash(git *)", filter: { tools: ["Bash"] } },
  { type: "command", name: "once", command: "true", once: true, if: "Bash(git *)", filter: { tools: ["Bash"] } },
  { type: "http", name: "early", url: "http://localhost:1/", lane: "preempt" },
  { type: "command", name: "later", command: "true", async: true, asyncRewake: true, onFailure: "block" },
];

const lineOf = (stdout: string, name: string): string =>
  stdout.split("\n").find((line) => line.includes(`  ${name} `)) ?? "";

describe("check", () => {
  test("says when a rule runs, how often, and in which order", async () => {
    const { stdout } = await hookbox(["check", project().configure("PreToolUse", ...HOOKS)]);
    expect(lineOf(stdout, "once")).toMatch(/if Bash\(git \*\), filter, once per session/);
    expect(lineOf(stdout, "early")).toMatch(/on failure default: deny.*preempt/);
    expect(lineOf(stdout, "later")).toMatch(/on failure continue.*async, wakes the agent/);
  });

  test("says the same with --json", async () => {
    const { stdout } = await hookbox(["check", "--json", project().configure("PreToolUse", ...HOOKS)]);
    const { rules } = JSON.parse(stdout) as { rules: object[] };
    const none = { condition: null, filter: null, once: null, lane: null, wakes: false };
    expect(rules).toMatchObject([
      { ...none, condition: "Bash(git *)", filter: { tools: ["Bash"] }, once: "session" },
      {},
      { ...none, lane: "preempt" },
      { ...none, wakes: true },
    ]);
  });

  const SENDING = {
    modelProviders: { here: { type: "openai", baseUrl: "http://localhost:8080/v1", apiKeyEnv: null } },
    mcpServers: {
      desk: { type: "http", url: "http://localhost:1/mcp/k3y" },
      local: { command: "policy-server" },
    },
    hooks: {
      PreToolUse: [
        {
          hooks: [
            { type: "prompt", name: "judge", prompt: "Fine? $ARGUMENTS", model: "here/small" },
            {
              type: "model",
              name: "bare",
              prompt: "{{ .ToolName }} in {{ .Cwd }}",
              model: "here/small",
              redact: false,
            },
            { type: "agent", name: "looker", prompt: "Look.", model: "here/small" },
            { type: "mcp_tool", name: "desk", server: "desk", tool: "t", input: { a: "${tool_name}" } },
            { type: "mcp_tool", name: "near", server: "local", tool: "t" },
            { type: "http", name: "web", url: "https://hooks.example/in?k=1" },
            { type: "command", name: "cmd", command: "true" },
          ],
        },
      ],
    },
  };

  test("says which data a rule sends to which address, and whether secrets are removed first", async () => {
    const file = project().write("hookbox.json", JSON.stringify(SENDING));
    const { stdout, exitCode } = await inProcess(["check", file]);
    const sent = stdout.split("\n").filter((line) => line.includes(" sends "));
    expect(sent.map((line) => line.trim())).toEqual([
      "PreToolUse  judge   sends the whole event to here (localhost:8080), with secrets redacted",
      "PreToolUse  bare    sends ToolName, Cwd to here (localhost:8080), as it is",
      expect.stringMatching(/looker {2}sends .*what the model reads in the working directory to here/),
      "PreToolUse  desk    sends tool_name to desk (localhost:1), as it is",
      "PreToolUse  web     sends the whole event to hooks.example, as it is",
    ]);
    expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining("k3y")]);
  });

  test("reports a problem once that the parser warns of and the executor rejects", async () => {
    const misplaced = { type: "function", run: "builtin:max_iterations", args: ["5"] };
    const file = project().configure("Stop", misplaced);
    const { stdout, exitCode } = await inProcess(["check", file]);
    expect(stdout.match(/.*does nothing at Stop.*/g)).toEqual([expect.stringContaining("  error  ")]);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining("0 rules, 1 error, 0 warnings")]);
  });

  test("says with --json which data a rule sends to which address", async () => {
    const file = project().write("hookbox.json", JSON.stringify(SENDING));
    const { rules } = JSON.parse((await inProcess(["check", "--json", file])).stdout) as { rules: { sends: object }[] };
    expect(rules.map(({ sends }) => sends)).toEqual([
      { to: "here (localhost:8080)", shows: ["the whole event"], redacted: true },
      { to: "here (localhost:8080)", shows: ["ToolName", "Cwd"], redacted: false },
      expect.objectContaining({ redacted: true }),
      { to: "desk (localhost:1)", shows: ["tool_name"], redacted: false },
      null,
      { to: "hooks.example", shows: ["the whole event"], redacted: false },
      null,
    ]);
  });

  test("says what a failure means for a hook that was written for an agent", async () => {
    const place = project();
    const of = (event: string, onFailure?: string) => ({
      [event]: [{ hooks: [{ type: "command", command: "x", ...(onFailure && { onFailure }) }] }],
    });
    const hooks = { ...of("PreToolUse"), ...of("Stop", "block"), ...of("PermissionRequest", "block") };
    const { stdout } = await hookbox(["check", place.write("settings.json", JSON.stringify({ hooks }))]);
    expect(lineOf(stdout, "settings.json PreToolUse #1")).toContain("on failure default: by kind");
    expect(lineOf(stdout, "settings.json Stop #1")).toContain("on failure continue");
    expect(lineOf(stdout, "settings.json PermissionRequest #1")).toContain("on failure deny");
  });
});

describe("explain", () => {
  test("says that a hook which is configured twice runs once", async () => {
    const config = project().configure("PreToolUse", ...HOOKS.slice(0, 2));
    const { stdout } = await hookbox(["explain", "--json", "--config", config], { stdin: bashCall("git push") });
    const { rules } = JSON.parse(stdout) as { rules: { applies: boolean; why: string }[] };
    expect(rules.map(({ applies }) => applies)).toEqual([true, false]);
    expect(rules[1]?.why).toMatch(/fits the filter.*; the same hook is configured before it$/);
  });

  test("shows the other terms of a rule that applies", async () => {
    const config = project().configure("PreToolUse", ...HOOKS);
    const { stdout } = await hookbox(["explain", "--config", config], { stdin: bashCall("git push") });
    expect(stdout).toMatch(/once per session: skipped after it has succeeded/);
    expect(stdout).toMatch(/preempt: asked early in a tool call/);
    expect(stdout).toMatch(/async: runs in the background/);
  });

  test("shows a terminal no control characters from any rule", async () => {
    const hook = { type: "command", command: "true \u001b[31m", name: "red \u001b]0;title\u0007\u202e" };
    const config = project().configure("PreToolUse", hook);
    const stdin = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "\u001b[2J", tool_input: {} });
    const { stdout } = await hookbox(["explain", "--config", config], { stdin });
    expect(stdout).toContain("red ");
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});

test("check names the dialect of a hook only in hookbox's own format", async () => {
  const hook = { type: "command", command: "true" };
  const hooks = (one: object) => JSON.stringify({ hooks: { PreToolUse: [{ hooks: [one] }] } });
  const place = project();
  const shown = async (name: string, text: string) =>
    (await inProcess(["check", place.write(name, text)], { cwd: place.folder })).stdout;
  expect(await shown("hookbox.json", hooks({ ...hook, speaks: "claude-code" }))).toContain("speaks claude-code");
  const plain = await shown("settings.json", hooks(hook));
  expect(plain).toContain("PreToolUse");
  expect(plain).not.toContain("speaks");
});

test("explain and check warn of a tool name that no tool has, with its place and the name that was meant", async () => {
  const hooks = { PreToolUse: [{ matcher: "bash", hooks: [{ type: "command", command: "exit 2" }] }] };
  const config = project().write("hookbox.json", JSON.stringify({ hooks }));
  const [check, explain, data] = await Promise.all([
    hookbox(["check", config]),
    hookbox(["explain", "--config", config], { stdin: bashCall("ls") }),
    hookbox(["explain", "--json", "--config", config], { stdin: bashCall("ls") }),
  ]);
  for (const { stdout } of [check, explain]) {
    expect(stdout).toContain("HOOK_CONFIG_UNKNOWN_TOOL");
    expect(stdout).toContain('did you mean "Bash"?');
  }
  expect(check.exitCode).toBe(0);
  expect(JSON.parse(data.stdout).warnings).toMatchObject([{ code: "HOOK_CONFIG_UNKNOWN_TOOL", place: { line: 1 } }]);
});

test("check and explain identify a rule without a name by what it runs or asks, without a key in its address", async () => {
  const hooks = [
    { type: "command", command: `./audit.sh\n --all ${"x".repeat(80)}` },
    { type: "command", command: "./audit", args: ["two words"] },
    { type: "http", url: "http://me:secret@localhost:1/hook?key=secret" },
  ];
  const config = project().configure("PreToolUse", ...hooks);
  for (const args of [
    ["check", config],
    ["explain", "--config", config],
  ]) {
    const { stdout } = await inProcess(args, { stdin: bashCall("ls") });
    expect(stdout).toContain(`runs ./audit.sh --all ${"x".repeat(42)}…`);
    expect(stdout).toContain("runs ./audit two words");
    expect(stdout).toContain("asks http://localhost:1/hook");
    expect(stdout).not.toContain("secret");
    for (const number of [1, 2, 3]) expect(stdout).toContain(`hookbox.json PreToolUse #${number}`);
  }
});

describe("run names a rule that cannot match the call, and answers as before", () => {
  const hook = { type: "command", command: "echo no >&2; exit 2" };
  const withMatchers = (...matchers: string[]) =>
    project().write(
      "hookbox.json",
      JSON.stringify({ hooks: { PreToolUse: matchers.map((matcher) => ({ matcher, hooks: [hook] })) } }),
    );

  test.each([
    ["Bsh", /^hookbox: \S+hookbox\.json:1:\d+: HOOK_CONFIG_UNKNOWN_TOOL: matcher "Bsh" .*did you mean "Bash".*\n$/],
    ["Bash(rm *)", /^hookbox: \S+hookbox\.json:1:\d+: HOOK_CONFIG_MATCHER: .*written like an "if".*\n$/],
  ])("on one line of standard error, for the matcher %s", async (matcher, line) => {
    const config = withMatchers(matcher);
    // The first run reads the file, the second run finds it in the cache.
    for (let times = 1; times <= 2; times += 1) {
      const said = await inProcess(["run", "--config", config], { stdin: bashCall("ls") });
      expect(said).toMatchObject({ exitCode: 0, stdout: "", stderr: expect.stringMatching(line) });
    }
  });

  test("and counts further ones", async () => {
    const config = withMatchers("Bsh", "bash", "Wrte");
    const { stderr } = await inProcess(["run", "--config", config], { stdin: bashCall("ls") });
    expect(stderr.match(/\n/g)).toHaveLength(1);
    expect(stderr).toContain("and 2 more: hookbox check");
  });

  test("but not at events without a tool, nor next to a refusal by exit code, whose reason is on standard error", async () => {
    const config = withMatchers("Bsh");
    expect((await inProcess(["run", "--config", config], { stdin: stopCall })).stderr).toBe("");
    const { stderr, exitCode } = await inProcess(
      ["run", "--config", withMatchers("Bsh", "Bash"), "--dialect", "patterns"],
      { stdin: bashCall("ls") },
    );
    expect({ exitCode, warns: stderr.includes("HOOK_CONFIG") }).toEqual({ exitCode: 2, warns: false });
  });

  test("once at the start of --lines", async () => {
    const config = withMatchers("Bsh");
    const { stderr, stdout } = await inProcess(["run", "--lines", "--config", config], {
      stdin: `${bashCall("ls")}\n${bashCall("ls")}\n`,
    });
    expect(stderr.match(/HOOK_CONFIG_UNKNOWN_TOOL/g)).toHaveLength(1);
    expect(stdout).not.toContain("HOOK_CONFIG");
  });
});

describe("check says what disableAllHooks switches off", () => {
  const hook = { type: "command", command: "exit 2" };
  const OFF = { disableAllHooks: true };
  const hooks = (count: number) => ({
    hooks: {
      PreToolUse: [
        {
          hooks: Array(count)
            .fill(hook)
            .map((one, at) => ({ ...one, name: `r${at}` })),
        },
      ],
    },
  });
  const DISABLED = { severity: "warning", code: "HOOK_CONFIG_DISABLED" };

  test("in the user's own file, with its place and the number of rules", async () => {
    const place = world();
    const file = place.write(USER_FILE, { ...OFF, ...hooks(2) });
    place.write("project/hookbox.json", hooks(1));
    expect(await place.problems()).toMatchObject([
      {
        ...DISABLED,
        message: '"disableAllHooks" switches 3 rules off: none of them is asked',
        place: { file, line: 2, pointer: "/disableAllHooks" },
      },
    ]);
    const { stdout, exitCode } = await inProcess(["check"], {
      cwd: place.project,
      env: { HOME: place.home, XDG_CONFIG_HOME: "" },
    });
    expect(stdout).toContain("switches 3 rules off");
    expect(exitCode).toBe(0);
  });

  test("in a project's file, for the project's rules", async () => {
    const place = world();
    place.write(USER_FILE, hooks(2));
    place.write("project/hookbox.json", { ...OFF, ...hooks(1) });
    expect(await place.problems()).toMatchObject([
      { code: "HOOK_CONFIG_SCOPE" },
      { ...DISABLED, message: '"disableAllHooks" switches 1 rule off: it is not asked' },
    ]);
  });

  test("but not a switch that switches nothing off", async () => {
    const place = world();
    place.write(USER_FILE, OFF);
    expect(await place.problems()).toEqual([]);
    place.write(USER_FILE, { disableAllHooks: false, ...hooks(1) });
    expect(await place.problems()).toEqual([]);
  });

  test("once, if the switches of two files do the same", async () => {
    const place = world();
    const user = place.write(USER_FILE, { ...OFF, ...hooks(1) });
    place.write("project/hookbox.json", { ...OFF, ...hooks(1) });
    const told = (await place.problems()).filter(({ code }) => code === DISABLED.code);
    expect(told.map(({ message, place: at }) => [message, at?.file])).toEqual([
      ['"disableAllHooks" switches 2 rules off: none of them is asked', user],
    ]);
  });
});
