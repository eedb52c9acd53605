import { getEventListeners } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { eventVariables } from "../../../src/dialects/event-variables.ts";
import type { HookEvent } from "../../../src/event.ts";
import { makeEvent } from "../../helpers/rules.ts";
import {
  commandRule,
  HOOKS,
  openExecutor,
  run,
  runToFailure,
  runToReply,
  scratchFolder,
  TIMEOUT_FAILURE,
  textOf,
  toolEvent,
} from "./command-rule.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("a command hook", () => {
  test("reads the event from stdin and answers on stdout", async () => {
    const event = toolEvent({ tool_name: "Bash", tool_input: { command: "echo 'ü' \"$HOME\"" } });
    const reply = await runToReply(commandRule("cat"), { event });
    expect(reply).toMatchObject(event.payload);
  });

  test("without output has no opinion", async () => {
    expect((await run(commandRule("true"))).ok).toBe(true);
    expect(await runToReply(commandRule("true"))).toEqual({ receipt: expect.anything() });
  });

  test("is read by the codec of its rule, exit code and stderr included", async () => {
    const reply = await runToReply(commandRule({ command: "./denies.sh", args: [] }));
    expect(reply).toMatchObject({ decision: "deny", reason: "not while I am here\n" });
    expect(await runToFailure(commandRule("exit 3"))).toMatchObject({ kind: "exit", value: 3 });
  });

  test("runs in the agent's working directory if it was written for that agent", async () => {
    const cwd = scratchFolder();
    expect(await textOf(commandRule("pwd -P", { dialect: "claude-code" }), { event: toolEvent({ cwd }) })).toContain(
      path.basename(cwd),
    );
  });

  test("gets its arguments unchanged in the exec form", async () => {
    const args = ["a b", "", "$HOME", "*", "'\"", "$(id)", "-n"];
    const text = await textOf(commandRule({ command: "./prints-arguments.sh", args }));
    expect(text).toBe(args.map((arg) => `<${arg}>`).join(""));
  });

  test("whose guard is killed under the shell that runs it is a failure by signal", async () => {
    const failure = await runToFailure(commandRule("true && sh -c 'kill -9 $$'; exit $?"));
    expect(failure).toMatchObject({ kind: "signal", message: "killed by SIGKILL (exit 137)" });
  });

  test("runs in bash if its rule asks for it", async () => {
    const command = 'words=(one two); echo "${words[1]} ${BASH_VERSION:+bash}"';
    expect(await textOf(commandRule({ command, shell: "bash" }))).toBe("two bash\n");
  });

  test("has no terminal and a separate process group", async () => {
    const text = await textOf(commandRule('tty 2>&1; echo $$ "$(ps -o pgid= -p $$)"; (: </dev/tty) 2>&1 || true'));
    expect(text).not.toContain("/dev/pts");
    const [, pid, group] = /^(\d+) +(\d+)$/m.exec(text) ?? [];
    expect(pid).toBeDefined();
    expect(group).toBe(pid);
  });
});

describe("the environment of a hook", () => {
  test("does not contain secrets of the parent for a rule of hookbox's own format", async () => {
    vi.stubEnv("SOME_TOKEN", "secret-value");
    vi.stubEnv("OPENAI_API_KEY", "secret-value");
    const rule = commandRule(
      { command: "env", env: { DECLARED: "yes" } },
      { codec: { environment: () => ({ FROM: "codec" }) } },
    );
    const text = await textOf(rule);
    expect(text).not.toContain("secret-value");
    expect(text).toContain("DECLARED=yes");
    expect(text).toContain("FROM=codec");
  });

  test("is the parent's for another dialect, without API keys for models", async () => {
    vi.stubEnv("SOME_TOKEN", "secret-value");
    vi.stubEnv("OPENAI_API_KEY", "key-value");
    const text = await textOf(commandRule("env", { dialect: "claude-code" }));
    expect(text).toContain("SOME_TOKEN=secret-value");
    expect(text).not.toContain("key-value");
  });

  test.each(["hookbox", "claude-code"])(
    "does not let a program in the working directory replace a system program (%s)",
    async (dialect) => {
      const cwd = scratchFolder();
      writeFileSync(path.join(cwd, "uname"), "#!/bin/sh\necho hijacked\n", { mode: 0o755 });
      mkdirSync(path.join(cwd, "bin"));
      writeFileSync(path.join(cwd, "bin", "uname"), "#!/bin/sh\necho hijacked\n", { mode: 0o755 });
      const { PATH: parentPath } = process.env;
      for (const PATH of [`:${parentPath}`, `.:bin:${parentPath}`, `./bin::${parentPath}:`, ""]) {
        vi.stubEnv("PATH", PATH);
        for (const handler of [{ command: "uname" }, { command: "uname", args: [] }]) {
          const text = await textOf(commandRule(handler, { dialect }), { event: toolEvent({ cwd }) });
          expect(text).not.toContain("hijacked");
          expect(text).not.toBe("");
        }
      }
    },
  );
});

describe("an event as variables", () => {
  const codec = { environment: (event: HookEvent) => eventVariables(event) };

  test("reaches a script unchanged, whatever it contains", async () => {
    const folder = scratchFolder();
    const command = 'printf "%s" "$tool_input_path"';
    for (const value of [
      "$(touch pwned)",
      "`touch pwned`",
      "'; touch pwned; '",
      '"; touch pwned',
      "a\nb\n",
      "-n",
      "ü\\",
    ]) {
      const event = toolEvent({ tool_name: "Read", tool_input: { file_path: value } });
      expect(await textOf(commandRule(command, { codec, baseDir: folder }), { event })).toBe(value);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  const manyFields = Object.fromEntries(
    Array.from({ length: 200 }, (_, index): [string, string] => [`field${index}`, "ü".repeat(70_000)]),
  );

  test("starts an observer's hook whatever its length", async () => {
    const event = makeEvent("Notification", { tool_name: "Write", tool_input: manyFields }, "patterns");
    const command = 'printf "%s " "${#tool_input_field0}" "${HOOK_CUT%% *}" "${HOOK_OMITTED%% *}"';
    const text = await textOf(commandRule(command, { codec, event: "Notification" }), { event });
    expect(text).toMatch(/^(61440|122880) tool_input_field0 tool_input_field\d+ /);
  });

  test("does not start a hook at a gate if a variable would hide a part of the event", async () => {
    const script = 'case "$tool_input_command" in *"rm -rf"*) exit 2;; esac';
    const judged = (command: string) =>
      run(commandRule(script, { codec }), { event: toolEvent({ tool_name: "Bash", tool_input: { command } }) });
    const padded = (bytes: number) => `: ${"x".repeat(bytes)}; rm -rf ~`;
    expect(await judged(padded(33_000))).toMatchObject({ ok: true, reply: { decision: "deny" } });
    expect(await judged(padded(130_000))).toMatchObject({
      ok: false,
      failure: { kind: "spawn", message: expect.stringContaining("tool_input_command") },
    });
  });

  test("does not start a hook at a gate if two fields name different files", async () => {
    const input = { file_path: "/etc/passwd", path: "README.md" };
    const event = toolEvent({ tool_name: "Write", tool_input: input });
    const script = 'case "$HOOK_PATH" in /etc/*) exit 2;; esac';
    expect(await run(commandRule(script, { codec }), { event })).toMatchObject({
      ok: false,
      failure: { kind: "spawn", message: expect.stringContaining("HOOK_PATH") },
    });
  });

  test("starts a hook with what fits into a variable if the page is followed to the letter, and says so", async () => {
    const command = `: ${"x".repeat(130_000)}`;
    const event = toolEvent({ tool_name: "Bash", tool_input: { command } });
    expect(await run(commandRule("exit 0", { codec, compat: "faithful" }), { event })).toMatchObject({
      ok: true,
      ignored: expect.arrayContaining([expect.stringContaining("tool_input_command")]),
    });
  });
});

describe("a hook that cannot be started is a failure that names the file and the reason", () => {
  test.each([
    ["a missing file", { command: "./nowhere.sh", args: [] }, `${HOOKS}/nowhere.sh does not exist`],
    ["a missing exec bit", { command: "./no-exec-bit.sh", args: [] }, `${HOOKS}/no-exec-bit.sh is not executable`],
    ["a folder", { command: "../hooks", args: [] }, `${HOOKS} is not a file`],
    ["a name that is not on PATH", { command: "no-such-program", args: [] }, '"no-such-program" was not found on PATH'],
    [
      "a missing interpreter",
      { command: "./missing-interpreter.sh", args: [] },
      "missing-interpreter.sh could not be started",
    ],
    ["too long an argument", { command: "true", args: ["x".repeat(4_000_000)] }, "longer than the system allows"],
    ["a NUL byte in an argument", { command: "true", args: ["a\0b"] }, "/true could not be started"],
    ["a NUL byte in the environment", { command: "true", env: { A: "a\0b" } }, "/bin/sh could not be started"],
    ["a shell command that is missing", { command: "no-such-program --flag" }, "not found (exit 127): "],
    ["a shell command without its exec bit", { command: "./no-exec-bit.sh" }, "could not be run (exit 126): "],
  ])("%s", async (_case, handler, message) => {
    const failure = await runToFailure(commandRule(handler));
    expect(failure.kind).toBe("spawn");
    expect(failure.message).toContain(message);
    expect(failure.receipt.inputBytes).toBeGreaterThan(0);
  });

  test("with the first line of the shell's error, on one clean line", async () => {
    const failure = await runToFailure(commandRule("printf '\\n\\033[31mone\\ntwo\\n' >&2; exit 127"));
    expect(failure.message).toBe("the command was not found (exit 127): [31mone");
    expect((await runToFailure(commandRule("exit 126"))).message).toBe(
      "the command was found and could not be run (exit 126)",
    );
  });

  test("but in the exec form 126 and 127 are the program's own", async () => {
    const rule = commandRule({ command: "sh", args: ["-c", "exit 127"] });
    expect(await runToFailure(rule)).toMatchObject({ kind: "exit", value: 127 });
  });
});

describe("output", () => {
  test("that is not UTF-8 does not cancel a refusal by exit code 2", async () => {
    const { decision } = await runToReply(commandRule("printf '\\377'; echo no >&2; exit 2"));
    expect(decision).toBe("deny");
  });

  test("that is not UTF-8 is a failure", async () => {
    expect(await runToFailure(commandRule('printf \'{"reason":"\\377"}\''))).toMatchObject({ kind: "invalid-output" });
  });

  test("on stderr may be any bytes", async () => {
    const { receipt } = await runToReply(commandRule("printf 'bad \\377 byte' >&2"));
    expect(receipt.stderr).toBe("bad \ufffd byte");
  });

  test("of exactly the limit is read completely, and one byte more is a failure", async () => {
    const executor = openExecutor({ stdoutBytes: 1000 });
    expect(await textOf(commandRule("head -c 1000 /dev/zero"), { executor })).toHaveLength(1000);
    const failure = await runToFailure(commandRule("head -c 1001 /dev/zero"), { executor });
    expect(failure).toMatchObject({ kind: "output-too-large", limit: 1000, value: 1001 });
    expect(failure.message).toContain("1000 bytes");
  });

  test("that is larger than a pipe arrives whole", async () => {
    const text = await textOf(commandRule("head -c 1000000 /dev/zero | tr '\\0' x"));
    expect(text).toBe("x".repeat(1_000_000));
  });
});

describe("a hook that is killed by a signal has failed, whatever it printed before", () => {
  test.each(["KILL", "TERM", "SEGV"])("SIG%s", async (name) => {
    const failure = await runToFailure(commandRule(`echo '{"decision":"allow"}'; kill -${name} $$`));
    expect(failure).toMatchObject({
      kind: "signal",
      message: `killed by SIG${name}`,
      receipt: { signal: `SIG${name}` },
    });
    expect(failure.receipt).not.toHaveProperty("exitCode");
  });
});

describe("input", () => {
  const event = toolEvent({ text: "x".repeat(2 * 1024 * 1024) });

  test("of 2 MiB that the hook does not read is no failure", async () => {
    expect(await runToReply(commandRule("exit 0"), { event })).toMatchObject({ receipt: { exitCode: 0 } });
    expect(await runToReply(commandRule("exec <&-; echo '{}'"), { event })).toMatchObject({ receipt: { exitCode: 0 } });
    expect(await runToReply(commandRule("head -c 10 >/dev/null; exit 2"), { event })).toMatchObject({
      decision: "deny",
    });
  });

  test("of 2 MiB arrives whole", async () => {
    const rule = commandRule('printf \'{"reason":"%d"}\' "$(wc -c)"');
    const { reason } = await runToReply(rule, { event });
    expect(Number(reason)).toBe(Buffer.byteLength(JSON.stringify(event.payload)));
  });
});

describe("the receipt", () => {
  test("contains bytes, exit code and the end of stderr", async () => {
    const event = toolEvent({ text: "ü" });
    const { receipt } = await runToFailure(commandRule("echo out; echo oops >&2; exit 3"), { event });
    expect(receipt).toEqual({
      micros: expect.any(Number),
      inputBytes: Buffer.byteLength(JSON.stringify(event.payload)),
      outputBytes: 4,
      exitCode: 3,
      stderr: "oops",
    });
    expect(receipt.micros).toBeGreaterThan(0);
  });

  test("has no stderr if there was none", async () => {
    expect((await runToReply(commandRule("printf '\\n\\a' >&2"))).receipt).not.toHaveProperty("stderr");
  });

  test("has at most the last 2,000 characters of it, cleaned for a terminal", async () => {
    const { receipt } = await runToReply(
      commandRule("head -c 100000 /dev/zero | tr '\\0' x >&2; printf '\\033[2Jend' >&2"),
    );
    expect(receipt.stderr).toMatch(/^x+\[2Jend$/);
    expect(receipt.stderr?.length).toBeGreaterThan(1990);
    expect(receipt.stderr?.length).toBeLessThanOrEqual(2000);
  });
});

describe("the signal of a run", () => {
  test("that is already aborted starts nothing", async () => {
    const mark = path.join(scratchFolder(), "mark");
    const signal = AbortSignal.abort(TIMEOUT_FAILURE);
    expect(await runToFailure(commandRule(`echo x >'${mark}'`), { signal })).toMatchObject(TIMEOUT_FAILURE);
    expect(existsSync(mark)).toBe(false);
  });

  test("has no listener left, however the run ends", async () => {
    const { signal } = new AbortController();
    const executor = openExecutor({ stdoutBytes: 10 });
    const commands = ["true", "exit 9", "kill -9 $$", "echo far too much output", "no-such-program"];
    for (const command of commands) {
      await run(commandRule(command), { signal, executor });
      await run(commandRule({ command, args: [] }), { signal, executor });
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
  });
});

test("a rule of another type throws, because the caller is wrong", async () => {
  const rule = commandRule("true", {});
  const wrong = { ...rule, handler: { type: "broken", declaredType: "x", problem: {} } } as unknown as typeof rule;
  await expect(run(wrong)).rejects.toThrow(TypeError);
});
