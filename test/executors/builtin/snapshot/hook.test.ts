import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { readCheckpoints } from "../../../../src/executors/builtin/snapshot/checkpoints.ts";
import { openShadow } from "../../../../src/executors/builtin/snapshot/snapshots.ts";
import type { Failure } from "../../../../src/outcome.ts";
import { Stop } from "../../../../src/stop-signal.ts";
import { makeEvent } from "../../../helpers/rules.ts";
import { makeRepository, type Repository, temporaryFolder } from "../repository.ts";
import { notesOf, runBuiltin } from "../run-builtin.ts";

async function listOf({ top, state }: Repository) {
  const shadow = await openShadow(top, new Stop(), join(state, "snapshots"));
  return readCheckpoints(shadow?.folder ?? "");
}

const at = (name: string, { top, state }: Repository, stop = new Stop()) =>
  runBuiltin("snapshot", makeEvent(name, { cwd: top, session_id: "s" }), { dataFolder: state, stop });

describe("the snapshot hook", () => {
  test("stores the state at each event that it is configured for, and says nothing", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    for (const [n, event] of ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"].entries()) {
      repository.write("a.txt", `content ${n}`);
      expect(await at(event, repository)).toMatchObject({
        ok: true,
        reply: {},
        receipt: { micros: expect.any(Number) },
      });
    }
    expect((await listOf(repository)).map(({ event, session }) => [event, session])).toEqual([
      ["SessionStart", "s"],
      ["PreToolUse", "s"],
      ["PostToolUse", "s"],
      ["Stop", "s"],
      ["SessionEnd", "s"],
    ]);
  });

  test("does nothing outside of a repository, and without git", async () => {
    const cwd = temporaryFolder();
    const dataFolder = temporaryFolder();
    expect(notesOf(await runBuiltin("snapshot", makeEvent("Stop", { cwd }), { dataFolder }))).toEqual([]);
    const repository = makeRepository({ "a.txt": "1" });
    vi.stubEnv("PATH", temporaryFolder());
    expect(notesOf(await at("Stop", { ...repository, state: dataFolder }))).toEqual([]);
    vi.unstubAllEnvs();
    expect(readdirSync(dataFolder)).toEqual([]);
  });

  test("reports files over the limit and errors, and blocks nothing", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write("large.bin", Buffer.alloc(2_097_153));
    expect(notesOf(await at("PreToolUse", repository))).toEqual(["left out of the snapshot as too large: 1 new files"]);

    const broken = makeRepository({ "a.txt": "1" });
    mkdirSync(broken.state);
    writeFileSync(join(broken.state, "snapshots"), "a file where a folder should be");
    expect(notesOf(await at("PreToolUse", broken)).join()).toContain("no snapshot: ");
  });

  test("ends with a note before its deadline, so that a gate stays open", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const bin = temporaryFolder();
    writeFileSync(join(bin, "git"), "#!/bin/sh\nexec sleep 600\n");
    chmodSync(join(bin, "git"), 0o755);
    vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
    const event = makeEvent("PreToolUse", { cwd: repository.top, session_id: "s".repeat(10_000_000) });
    const late = await runBuiltin("snapshot", event, { dataFolder: repository.state, timeLeftMs: 400 });
    expect(notesOf(late)).toEqual(["no snapshot: it was not done within 300 ms"]);
    vi.unstubAllEnvs();
    await runBuiltin("snapshot", event, { dataFolder: repository.state, timeLeftMs: Number.POSITIVE_INFINITY });
    expect((await listOf(repository)).map(({ session }) => session)).toEqual(["s".repeat(200)]);
  });

  test("has ended at its deadline, with git and lock", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const bin = temporaryFolder();
    const started = join(bin, "started");
    // A git that never ends, and writes its process id.
    writeFileSync(
      join(bin, "git"),
      `#!/bin/sh\necho $$ > ${started}.draft\nmv ${started}.draft ${started}\nexec sleep 600\n`,
    );
    chmodSync(join(bin, "git"), 0o755);
    vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
    const stop = new Stop();
    const running = at("PreToolUse", repository, stop);
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 10_000 });
    const pid = Number((await import("node:fs")).readFileSync(started, "utf8"));
    stop.abort({ kind: "timeout", message: "late" } satisfies Failure);
    expect(await running).toMatchObject({ ok: false, failure: { kind: "timeout", message: "late" } });
    vi.unstubAllEnvs();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect(await listOf(repository)).toEqual([]);
    await at("PreToolUse", repository);
    expect(await listOf(repository)).toHaveLength(1);
  });
});
