import { realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Program, runProgram } from "../../src/processes/run-program.ts";
import { Stop } from "../../src/stop-signal.ts";
import { isRunning, readPids, scratchFolder } from "../executors/command/command-rule.ts";

function run(file: string, args: readonly string[], parts: Partial<Program> = {}, stop = new Stop()) {
  return runProgram({ file, args, cwd: tmpdir(), env: {}, ...parts }, stop);
}

const script = (text: string, parts?: Partial<Program>, stop?: Stop) => run("/bin/sh", ["-c", text], parts, stop);

describe("a program", () => {
  test("ends with its exit code and its output", async () => {
    const ending = await script("echo out; echo err >&2; exit 3");
    expect(ending).toEqual({ by: "exit", code: 3, stdout: "out\n", stderr: "err\n" });
  });

  test("gets its arguments unchanged, and no shell reads them", async () => {
    const args = ["%s\\n", "$(id)", "; ls", "a b", "*"];
    expect(await run("printf", args)).toMatchObject({ stdout: "$(id)\n; ls\na b\n*\n" });
  });

  test("reads its input, and then the end", async () => {
    expect(await run("cat", [], { input: "grüß\n" })).toMatchObject({ stdout: "grüß\n" });
    expect(await run("cat", [], { input: Buffer.from("bytes") })).toMatchObject({ stdout: "bytes" });
    expect(await run("cat", [])).toMatchObject({ code: 0, stdout: "" });
  });

  test("that does not read its input has not failed", async () => {
    expect(await run("true", [], { input: "x".repeat(1_000_000) })).toMatchObject({ by: "exit", code: 0 });
  });

  test("starts in the given folder", async () => {
    const folder = realpathSync(scratchFolder());
    expect(await run("pwd", [], { cwd: folder })).toMatchObject({ stdout: `${folder}\n` });
  });

  test("sees the short list of variables and the given ones, and no key", async () => {
    process.env["RUN_PROGRAM_SECRET"] = "s";
    try {
      const ending = await run("env", [], { env: { GIVEN: "1", LANG: "C", LEFT_OUT: undefined } });
      const variables = ending.by === "exit" ? ending.stdout.split("\n") : [];
      expect(variables).toEqual(expect.arrayContaining(["GIVEN=1", "LANG=C"]));
      expect(variables.filter((one) => /^(RUN_PROGRAM_SECRET|LEFT_OUT)=/.test(one))).toEqual([]);
    } finally {
      delete process.env["RUN_PROGRAM_SECRET"];
    }
  });

  test("that is killed reports the signal", async () => {
    expect(await script("echo said; kill -KILL $$")).toEqual({
      by: "signal",
      signal: "SIGKILL",
      stdout: "said\n",
      stderr: "",
    });
  });

  test("that writes too much is ended, and its output is kept up to the limit", async () => {
    expect(await run("yes", ["grüße"], { stdoutBytes: 10 })).toMatchObject({
      by: "overflow",
      limit: 10,
      stdout: "grüße\ngr",
    });
    // The limit cuts the ü.
    expect(await run("yes", ["grüße"], { stdoutBytes: 3 })).toMatchObject({ by: "overflow", stdout: "gr" });
    expect(await run("printf", ["abc"], { stdoutBytes: 3 })).toMatchObject({ by: "exit", stdout: "abc" });
  });

  test("may write any amount to stderr, whose end is kept", async () => {
    const ending = await script("yes error | head -c 1000000 >&2; echo last >&2");
    expect(ending).toMatchObject({ by: "exit", code: 0 });
    const { stderr } = ending as { readonly stderr: string };
    expect(stderr.length).toBeLessThanOrEqual(65_536);
    expect(stderr.endsWith("last\n")).toBe(true);
  });

  test("may write output that is not UTF-8", async () => {
    expect(await run("printf", ["a\\377b"])).toMatchObject({ by: "exit", stdout: "a�b" });
  });
});

describe("what cannot be started", () => {
  test.each([
    ["a name that is nowhere", "no-such-program-anywhere", /was not found on PATH/],
    ["a path that is not there", "/no/such/program", /does not exist/],
    ["a folder", "/tmp", /is not a file/],
    ["a path that depends on the folder", "./run.sh", /neither a name nor an absolute path/],
  ])("%s", async (_, file, reason) => {
    expect(await run(file, [])).toEqual({ by: "missing", reason: expect.stringMatching(reason) });
  });

  test("a program in the working directory", async () => {
    const cwd = scratchFolder();
    writeFileSync(path.join(cwd, "planted"), "#!/bin/sh\necho planted\n", { mode: 0o755 });
    expect(await run("planted", [], { cwd, env: { PATH: `.::${process.env["PATH"]}` } })).toMatchObject({
      by: "missing",
    });
  });

  test("in a folder that does not exist", async () => {
    expect(await run("true", [], { cwd: "/no/such/folder" })).toEqual({
      by: "missing",
      reason: "/no/such/folder, where it would start, is not a folder",
    });
  });

  test.each([
    ["a NUL byte in an argument", ["a\0b"]],
    ["more arguments than the system takes", ["x".repeat(4_000_000)]],
  ])("%s", async (_, args) => {
    expect(await run("true", args)).toMatchObject({
      by: "missing",
      reason: expect.stringMatching(/cannot be started/),
    });
  });
});

describe("the end", () => {
  test("of a stopped program leaves no process of it", async () => {
    const pids = path.join(scratchFolder(), "pids");
    const stop = new Stop();
    const running = script(
      'trap "" TERM; sleep 600 & echo $! >> "$PIDS"; echo $$ >> "$PIDS"; wait; sleep 600',
      {
        env: { PIDS: pids },
        killGraceMs: 20,
      },
      stop,
    );
    await expect.poll(() => readPids(pids).length, { timeout: 10_000 }).toBe(2);
    stop.abort("enough");
    expect(await running).toEqual({ by: "stopped" });
    expect(readPids(pids).filter(isRunning)).toEqual([]);
  });

  test("comes before the start if the signal has already fired", async () => {
    const marker = path.join(scratchFolder(), "pids");
    const stop = new Stop();
    stop.abort("enough");
    expect(await script('echo 1 > "$PIDS"', { env: { PIDS: marker } }, stop)).toEqual({ by: "stopped" });
    expect(readPids(marker)).toEqual([]);
  });

  test("of the program ends what it left running, which cannot delay its answer", async () => {
    const pids = path.join(scratchFolder(), "pids");
    const ending = await script('sleep 600 & echo $! > "$PIDS"; echo done', { env: { PIDS: pids } });
    expect(ending).toMatchObject({ by: "exit", code: 0, stdout: "done\n" });
    await expect.poll(() => readPids(pids).filter(isRunning)).toEqual([]);
  });
});
