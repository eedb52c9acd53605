import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeEvent } from "../../helpers/rules.ts";
import { temporaryFolder } from "./repository.ts";
import { fileChanged, notesOf, runBuiltin, stopped, written } from "./run-builtin.ts";

const now = (): Date => new Date("2026-01-02T03:04:05.678Z");
const TIME = "2026-01-02T03:04:05.678Z";

describe("the log", () => {
  test("has a line for each event, in a file that only the user can read", async () => {
    const cwd = temporaryFolder();
    const dataFolder = join(temporaryFolder(), "state");
    writeFileSync(join(cwd, "a b.ts"), "");
    const common = { dataFolder, now };
    await runBuiltin(
      "log-session-start",
      makeEvent("SessionStart", { cwd, session_id: "s", source: "startup" }),
      common,
    );
    await runBuiltin("log-stop", stopped(cwd, { tokens_used: 12, tool_calls_count: 3 }), common);
    await runBuiltin("log-file-modified", fileChanged(cwd, "a b.ts"), common);
    await runBuiltin("log-file-modified", fileChanged(cwd, "gone.ts"), common);
    await runBuiltin("log-session-end", makeEvent("SessionEnd", { cwd, session_id: "s", duration: 60_000 }), common);
    const file = join(dataFolder, "hooks.log");
    expect(readFileSync(file, "utf8").split("\n")).toEqual([
      `${TIME} SessionStart session=s source=startup`,
      `${TIME} Stop session=s tokens_used=12 tool_calls_count=3`,
      `${TIME} FileChanged session=s changed="a b.ts"`,
      `${TIME} FileChanged session=s deleted=gone.ts`,
      `${TIME} SessionEnd session=s duration=60000`,
      "",
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("has one line for each event, for any session id", async () => {
    const cwd = temporaryFolder();
    const dataFolder = temporaryFolder();
    const event = makeEvent("SessionStart", { cwd, session_id: `s\n${TIME} Stop session=t\u001b[2J`, source: "a b" });
    await runBuiltin("log-session-start", event, { dataFolder, now });
    expect(readFileSync(join(dataFolder, "hooks.log"), "utf8")).toBe(
      `${TIME} SessionStart session="s ${TIME} Stop session=t[2J" source="a b"\n`,
    );
  });

  test("has no line for a file that was only read", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a.ts"), "");
    await runBuiltin("log-file-modified", written(cwd, "a.ts", "Read"), { args: ["log"] });
    await runBuiltin("log-file-modified", written(cwd, "a.ts"), { args: ["log"], now });
    expect(readFileSync(join(cwd, "log"), "utf8")).toBe(`${TIME} PostToolUse session=s changed=a.ts\n`);
  });

  test("is rotated at its size limit, and the previous file is kept", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "log"), "x".repeat(1_048_576));
    await runBuiltin("log-stop", stopped(cwd), { args: ["log"], now });
    await runBuiltin("log-stop", stopped(cwd), { args: ["log"], now });
    expect(readFileSync(join(cwd, "log"), "utf8")).toBe(`${TIME} Stop session=s\n`);
    expect(readFileSync(join(cwd, "log.1"), "utf8")).toMatch(new RegExp(`^x+${TIME} Stop session=s\n$`));
  });

  test("is not written through a link or into a pipe, and blocks nothing", async () => {
    const cwd = temporaryFolder();
    const target = join(temporaryFolder(), "target");
    writeFileSync(target, "");
    symlinkSync(target, join(cwd, "link"));
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    for (const file of ["link", "pipe", "missing/log"]) {
      expect(notesOf(await runBuiltin("log-stop", stopped(cwd), { args: [file] })).join()).toContain(
        "cannot be written",
      );
    }
    expect(readFileSync(target, "utf8")).toBe("");
  });

  test("of a rule that may come with a repository stays in the working directory", async () => {
    const cwd = temporaryFolder();
    const outside = temporaryFolder();
    symlinkSync(outside, join(cwd, "out"));
    mkdirSync(join(cwd, "logs"));
    for (const file of [join(outside, "log"), "../log"]) {
      expect(await runBuiltin("log-stop", stopped(cwd), { args: [file], layer: "project" })).toMatchObject({
        ok: false,
      });
    }
    const through = await runBuiltin("log-stop", stopped(cwd), { args: ["out/log"], layer: "project" });
    expect(notesOf(through).join()).toContain("outside of the working directory");
    await runBuiltin("log-stop", stopped(cwd), { args: ["logs/log"], layer: "project", now });
    expect(readFileSync(join(cwd, "logs/log"), "utf8")).toContain("Stop");
    await runBuiltin("log-stop", stopped(cwd), { args: [join(outside, "log")], layer: "user" });
    expect(readFileSync(join(outside, "log"), "utf8")).toContain("Stop");
  });
});
