import childProcess, { ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { Server } from "node:net";
import { afterAll, expect, vi } from "vitest";

/** Fails every test of the fast tier that starts a process or a server. */

const started: string[] = [];

function refuse(what: string): never {
  started.push(what);
  throw new Error(`a test of the fast tier started ${what}: rename its file to NAME.process.test.ts`);
}

vi.spyOn(
  ChildProcess.prototype as unknown as { spawn: (options: { file: string }) => void },
  "spawn",
).mockImplementation((options) => refuse(options.file));
for (const name of ["execFileSync", "execSync", "spawnSync"] as const)
  vi.spyOn(childProcess, name).mockImplementation(((file: string) => refuse(file)) as never);
vi.spyOn(Server.prototype, "listen").mockImplementation(() => refuse("a server"));
syncBuiltinESMExports();

afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  // An executor may have caught the error.
  expect(started, "what this file started, which the fast tier does not allow").toEqual([]);
});
