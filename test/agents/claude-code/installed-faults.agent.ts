import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { bash } from "./calls.ts";
import { type Client, installClaudeCode } from "./install.ts";
import { init, type Resident, startServer } from "./resident.ts";
import { claudeSession, type Place } from "./session.ts";

/** Faults between two calls of a session of the real client: the next call is denied or served, and never let through. */

const run = promisify(execFile);

/** Listens in place of the server, and answers every request with these bytes. */
async function replaceServer(socket: string, answer: string): Promise<void> {
  rmSync(socket);
  const server = createServer((one) => {
    one.on("error", () => {});
    one.once("data", () => one.end(answer));
  });
  await new Promise<void>((listening) => server.listen(socket, listening));
  onTestFinished(() => void server.close());
}

const stateFolder = ({ home }: Place): string => join(home, ".local/state/hookbox");

const canMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-mount-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
  if (status === 0) spawnSync("umount", [folder]);
  rmdirSync(folder);
  return status === 0;
})();

/** Gives the state of hookbox a disk of its own, which can be filled. */
async function mountState(place: Place): Promise<void> {
  const folder = stateFolder(place);
  mkdirSync(folder, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", folder]);
  onTestFinished(async () => void (await run("umount", ["--lazy", folder])));
}

/** Without the right to mount, the folder cannot be written any more. */
async function fillState(place: Place): Promise<void> {
  const folder = stateFolder(place);
  if (!canMount) {
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    return;
  }
  const { stderr } = spawnSync("dd", ["if=/dev/zero", `of=${join(folder, "fill")}`, "bs=4k"], { encoding: "utf8" });
  expect(stderr).toContain("No space left");
}

interface Fault {
  readonly what: string;
  readonly prepare?: (place: Place) => Promise<void>;
  readonly happens: (resident: Resident, pid: number) => Promise<void> | void;
  /** What the dangerous call gets. A server that answers names its guard. */
  readonly says: RegExp;
  /** Whether a harmless call still runs. */
  readonly serves: boolean;
}

const SERVED = /shell-guard: git push --force/;
const HALF = "HTTP/1.1 200 OK\r\nHookbox-Reply: 1 0 2 0\r\nContent-Length: 2\r\n\r\n{";

const FAULTS: readonly Fault[] = [
  { what: "the server was killed", happens: (_, pid) => void process.kill(pid, "SIGKILL"), says: SERVED, serves: true },
  {
    what: "the server was stopped (SIGSTOP)",
    happens: (_, pid) => void process.kill(pid, "SIGSTOP"),
    says: SERVED,
    serves: true,
  },
  {
    what: "another program answers {} at the socket",
    happens: ({ socket }) => replaceServer(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
    says: /could not judge.*HOOK_RELAY_GARBAGE/s,
    serves: false,
  },
  {
    what: "the answer ends in the middle",
    happens: ({ socket }) => replaceServer(socket, HALF),
    says: /could not judge.*HOOK_RELAY_CUT_OFF/s,
    serves: false,
  },
  {
    what: "the disk with the state is full",
    prepare: async (place) => (canMount ? mountState(place) : undefined),
    happens: fillState,
    says: SERVED,
    serves: true,
  },
  {
    what: "the disk with the state is full, and the server was killed",
    prepare: async (place) => (canMount ? mountState(place) : undefined),
    happens: async (resident, pid) => {
      await fillState(resident);
      process.kill(pid, "SIGKILL");
    },
    says: /shell-guard: git push --force|could not judge/,
    serves: canMount,
  },
];

describe.each(["2.1.197", "latest"])("Claude Code %s", (version) => {
  let client: Client;
  beforeAll(async () => {
    client = await installClaudeCode(version);
  });

  test.each(FAULTS)("no dangerous call runs after $what", async ({ prepare, happens, says, serves }) => {
    let fault = async (): Promise<void> => {};
    const turns = [
      bash("echo first > first", "first"),
      bash("touch ran; git push --force nowhere main", "dangerous"),
      bash("echo harmless > harmless", "harmless"),
    ];
    const session = await claudeSession(client, {
      turns,
      prepare: async (place) => {
        await prepare?.(place);
        const resident = await init(place);
        const pid = await startServer(resident);
        fault = async () => happens(resident, pid);
      },
      // After the hooks of the first call, and before those of the dangerous one.
      beforeAnswer: async (done) => (done === 1 ? fault() : undefined),
    });
    expect([session.has("first"), session.has("ran")]).toEqual([true, false]);
    // Without a server, the client ends the session at PostToolBatch, before the model gets the refusal.
    const results = serves ? session.toolResults : session.shownResults;
    expect(results.find(({ id }) => id === "dangerous")).toEqual({
      id: "dangerous",
      isError: true,
      text: expect.stringMatching(says),
    });
    expect(session.has("harmless")).toBe(serves);
  });
});
