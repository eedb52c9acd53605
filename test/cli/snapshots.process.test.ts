import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openShadow, takeSnapshot } from "../../src/executors/builtin/snapshot/snapshots.ts";
import { Stop } from "../../src/stop-signal.ts";
import { inProcess } from "../e2e/in-process.ts";
import { makeRepository, type Repository, temporaryFolder } from "../executors/builtin/repository.ts";

interface Place extends Repository {
  capture(event: string): Promise<void>;
  run(args: readonly string[], answer?: string): ReturnType<typeof inProcess>;
}

function place(files: Readonly<Record<string, string>>): Place {
  const repository = makeRepository(files);
  const env = { XDG_STATE_HOME: repository.state };
  return {
    ...repository,
    capture: async (event) => {
      const folder = join(repository.state, "hookbox", "snapshots");
      const shadow = await openShadow(repository.top, new Stop(), folder);
      if (shadow !== undefined) await takeSnapshot(shadow, { event, session: "s" });
    },
    run: (args, answer) =>
      inProcess(["snapshots", ...args], { cwd: repository.top, env, ...(answer === undefined ? {} : { answer }) }),
  };
}

async function changed(): Promise<Place> {
  const made = place({ "a.txt": "one\n", "gone.txt": "1\n" });
  await made.capture("TurnStart");
  made.write("a.txt", "two\nthree\n");
  made.write("evil\u001b[2J.txt", "1\n");
  made.git("rm", "--quiet", "gone.txt");
  await made.capture("TurnEnd");
  return made;
}

describe("hookbox snapshots", () => {
  test("lists the snapshots, newest first", async () => {
    const { run, top } = await changed();
    const { exitCode, stdout } = await run([]);
    expect(exitCode).toBe(0);
    const time = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d";
    expect(stdout).toMatch(
      new RegExp(
        `^  ${top}\n    ID +time +event +files +session\n    2 +${time} +TurnEnd +3 +s\n    1 +${time} +TurnStart +- +s\n$`,
      ),
    );
    expect(JSON.parse((await run(["list", "--json"])).stdout)).toMatchObject({
      repository: top,
      snapshots: [
        { id: 2, event: "TurnEnd", session: "s", files: 3, tooLarge: 0, undoTo: null },
        { id: 1, event: "TurnStart", session: "s", files: null, tooLarge: 0, undoTo: null },
      ],
    });
  });

  test("says if there are none, and creates nothing by listing", async () => {
    const made = place({ "a.txt": "1" });
    expect((await made.run(["list"])).stdout).toBe(
      `  No snapshots of ${made.top}. The built-in hook "snapshot" makes them.\n`,
    );
    const { exitCode, stderr } = await made.run(["undo", "--yes"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("no earlier snapshot")]);
    expect(made.has("../state")).toBe(false);
  });

  test("shows the differences from the one before, with cleaned names", async () => {
    const { run } = await changed();
    const { stdout } = await run(["show", "2"]);
    expect(stdout).toContain("Snapshot 2, ");
    expect(stdout).toContain("changed       a.txt (+2 -1)\n");
    expect(stdout).toContain("added         evil[2J.txt (+1 -0)\n");
    expect(stdout).toContain("deleted       gone.txt (+0 -1)\n");
    expect(stdout).not.toContain("\u001b");
    expect(JSON.parse((await run(["show", "2", "--json"])).stdout)).toMatchObject({
      id: 2,
      changes: [
        { path: "a.txt", change: "modified", lines: { added: 2, deleted: 1 } },
        { path: "evil\u001b[2J.txt", change: "added" },
        { path: "gone.txt", change: "deleted" },
      ],
    });
    expect((await run(["show", "1"])).stdout).toContain("the first snapshot");
  });

  test("undoes after the user has agreed, and says how to revert that", async () => {
    const { run, read, has } = await changed();
    const { exitCode, stdout } = await run(["undo"], "y");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Back to snapshot 1, ");
    expect(stdout).toContain("reverted      a.txt");
    expect(stdout).toContain("restored      gone.txt");
    expect(stdout).toContain("removed       evil[2J.txt");
    expect(stdout).toContain("hookbox snapshots undo 2\n");
    expect([read("a.txt"), has("evil\u001b[2J.txt"), has("gone.txt")]).toEqual(["one\n", false, true]);
    await run(["undo", "2", "--yes"]);
    expect([read("a.txt"), has("evil\u001b[2J.txt"), has("gone.txt")]).toEqual(["two\nthree\n", true, false]);
  });

  test.each([
    { who: "nobody sits there", args: [], answer: undefined },
    { who: "somebody says no", args: [], answer: "n" },
    { who: "somebody only presses Enter", args: [], answer: "" },
    { who: "a machine asks", args: ["--json"], answer: "y" },
  ])("changes nothing when $who", async ({ args, answer }) => {
    const { run, read } = await changed();
    const { exitCode, stdout } = await run(["undo", ...args], answer);
    expect(exitCode).toBe(1);
    expect(read("a.txt")).toBe("two\nthree\n");
    if (args.length > 0) expect(JSON.parse(stdout)).toMatchObject({ done: false, to: { id: 1 }, before: { id: 2 } });
    else expect(stdout).toContain("Nothing was changed. Once you agree, run it again with --yes.");
  });

  test("prints what it did with --json", async () => {
    const { run } = await changed();
    expect(JSON.parse((await run(["undo", "1", "--yes", "--json"])).stdout)).toMatchObject({
      done: true,
      to: { id: 1 },
      before: { id: 2 },
      left: [],
    });
    const { exitCode, stdout } = await run(["undo", "1", "--yes"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("no file differs from the snapshot");
  });

  test.each([
    { args: ["undo", "9"], message: "there is no snapshot 9 of this repository: there are 1 to 2" },
    { args: ["show"], message: "show takes 1 ID" },
    { args: ["show", "1", "2"], message: "show takes 1 ID" },
    { args: ["undo", "1; rm"], message: "is not the ID of a snapshot" },
    { args: ["list", "--yes"], message: "--yes is for undo" },
    { args: ["constructor"], message: 'unknown action "constructor"' },
  ])("refuses $args", async ({ args, message }) => {
    const { run } = await changed();
    const { exitCode, stderr } = await run(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  test("refuses outside of a repository", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "state"));
    const { exitCode, stderr } = await inProcess(["snapshots"], { cwd, env: { XDG_STATE_HOME: join(cwd, "state") } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("the working directory is in no git repository");
  });
});
