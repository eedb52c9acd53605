import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { withLock } from "../../../../src/executors/builtin/snapshot/lock.ts";
import { openShadow } from "../../../../src/executors/builtin/snapshot/snapshots.ts";
import { Stop } from "../../../../src/stop-signal.ts";
import { makeEvent } from "../../../helpers/rules.ts";
import { gone, until } from "../../mcp/mcp-rule.ts";
import { makeRepository, type Repository, temporaryFolder } from "../repository.ts";
import { notesOf, runBuiltin } from "../run-builtin.ts";

/** Snapshots that cannot be taken end nevertheless, and leave no process. */

const at = ({ top, state }: Repository, stop = new Stop()) =>
  runBuiltin("snapshot", makeEvent("Stop", { cwd: top, session_id: "s" }), { dataFolder: state, stop });

test("a lock that is not a file is reported, and not waited for", async () => {
  const repository = makeRepository({ "a.txt": "1" });
  const shadow = await openShadow(repository.top, new Stop(), join(repository.state, "snapshots"));
  mkdirSync(join(shadow?.folder ?? "", "lock"), { recursive: true });
  expect(notesOf(await at(repository)).join()).toMatch(/no snapshot: .*lock/);
  expect(readdirSync(shadow?.folder ?? "")).toEqual(["lock"]);
});

test("a lock that is taken and released all the time is given up with the caller", async () => {
  const path = join(temporaryFolder(), "lock");
  const stop = new Stop();
  stop.abort({ kind: "cancelled", message: "enough" });
  writeFileSync(path, "not one of ours");
  await expect(withLock(path, 10_000, stop, async () => "in")).rejects.toThrow("stopped");
});

test.each([
  ["a git that starts another one", '"$0" again & wait'],
  ["a git that leaves another one behind, which holds the pipes", '"$0" again & exit 0'],
])("%s ends with the caller, and so does the other one", async (_, script) => {
  const repository = makeRepository({ "a.txt": "1" });
  const bin = temporaryFolder();
  const pids = join(bin, "pids");
  const git = `#!/bin/sh\necho $$ >> ${pids}\ncase "$1" in again) exec sleep 600;; esac\n${script}\n`;
  writeFileSync(join(bin, "git"), git, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const started = (): number[] =>
    existsSync(pids) ? readFileSync(pids, "utf8").split("\n").slice(0, -1).map(Number) : [];
  const stop = new Stop();
  const asked = at(repository, stop);
  await until(() => started().length >= 2);
  stop.abort({ kind: "cancelled", message: "enough" });
  expect(await asked).toMatchObject({ ok: false, failure: { kind: "cancelled" } });
  expect(await gone(started())).toEqual([]);
  expect(readdirSync(join(repository.state, "snapshots"), { recursive: true, encoding: "utf8" }).join()).not.toContain(
    "lock",
  );
});
