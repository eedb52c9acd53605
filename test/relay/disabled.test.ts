import { chmodSync, linkSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recordOff } from "../../src/cli/off/off-now.ts";
import { RELAYS, relay, socketFolder, standIn } from "./relays.ts";

/** While a person has switched hookbox off, events pass although no server can answer. */

/** A state folder with the record of `hookbox disable`. */
function disabled(forMs = 600_000) {
  const state = socketFolder();
  const before = process.env["XDG_STATE_HOME"];
  process.env["XDG_STATE_HOME"] = state;
  try {
    recordOff(forMs, "/dev/pts/0");
  } finally {
    if (before === undefined) delete process.env["XDG_STATE_HOME"];
    else process.env["XDG_STATE_HOME"] = before;
  }
  const folder = join(state, "hookbox");
  return { folder, socket: join(folder, "s"), file: join(folder, "disabled.json") };
}

describe.each(Object.entries(RELAYS))("the %s relay", { timeout: 120_000 }, (name, command) => {
  const PASSED = {
    exitCode: 0,
    stdout: "",
    stderr: expect.stringMatching(/^hookbox is switched off until .*hookbox enable\n$/),
  };
  /** A Node that cannot start the server. */
  const START = ["--event", "PreToolUse", "--node", "/bin/false"];

  test("lets an event pass if no server can start", async () => {
    const { socket } = disabled();
    expect(await relay(command, socket, { args: [...START, "--patience", "30"] })).toEqual(PASSED);
    if (name === "node") return;
    expect(await relay(command, socket, { args: ["--event", "PreToolUse", "--patience", "30"] })).toEqual(PASSED);
  });

  test("lets an event pass long before the patience ends if the server is silent", async () => {
    const socket = await standIn(() => {});
    const { file } = disabled();
    renameSync(file, join(socket, "../disabled.json"));
    expect(await relay(command, socket, { args: [...START, "--patience", "300"] })).toEqual(PASSED);
  });

  test("lets an event pass if the server's answer is cut off", async () => {
    const socket = await standIn((one) => one.destroy());
    renameSync(disabled().file, join(socket, "../disabled.json"));
    expect(await relay(command, socket, { args: START })).toEqual(PASSED);
  });

  const change = (file: string, of: (record: Record<string, string>) => object): void =>
    writeFileSync(file, `${JSON.stringify(of(JSON.parse(readFileSync(file, "utf8"))), null, 2)}\n`);
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();

  test.each<[string, (file: string) => void]>([
    ["whose time is over", (file) => change(file, (one) => ({ ...one, since: at(-60_000), until: at(-1_000) }))],
    ["from the future", (file) => change(file, (one) => ({ ...one, since: at(600_000), until: at(1_200_000) }))],
    ["for more than a day", (file) => change(file, (one) => ({ ...one, until: at(90_000_000) }))],
    ["that ends before it begins", (file) => change(file, (one) => ({ ...one, since: at(20_000), until: at(10_000) }))],
    ["with a time that is none", (file) => change(file, (one) => ({ ...one, until: "9999-99-99" }))],
    ["of another inode", (file) => change(file, (one) => ({ ...one, inode: "1:1" }))],
    ["without an inode", (file) => change(file, ({ inode, ...rest }) => rest)],
    ["that others can read", (file) => chmodSync(file, 0o644)],
    ["in a folder that others can enter", (file) => chmodSync(join(file, ".."), 0o755)],
    ["that was copied", copied],
    ["that is a link", linked],
    ["that is empty", (file) => writeFileSync(file, "")],
  ])("refuses with a record %s", async (_what, spoil) => {
    const { socket, file } = disabled();
    spoil(file);
    const { exitCode, stderr } = await relay(command, socket, { args: [...START, "--patience", "2"] });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/HOOK_(RELAY|STATE)/)]);
  });
});

test("the native relay counts a day to the millisecond", { timeout: 60_000 }, async () => {
  const { native } = RELAYS;
  if (native === undefined) return;
  const { socket, file } = disabled();
  const { dev, ino } = statSync(file);
  const inode = `${dev}:${ino}`;
  // A record of exactly a day counts, and one of a millisecond more does not.
  for (const [moreMs, exitCode] of [
    [0, 0],
    [1, 2],
  ] as const) {
    const since = new Date();
    const until = new Date(since.getTime() + 86_400_000 + moreMs);
    writeFileSync(file, JSON.stringify({ since, until, by: "x", terminal: "x", inode }, null, 2));
    expect((await relay(native, socket, { args: ["--event", "PreToolUse", "--patience", "2"] })).exitCode).toBe(
      exitCode,
    );
  }
});

function copied(file: string): void {
  const text = readFileSync(file);
  // The old inode stays in use, so that the copy gets another one.
  linkSync(file, `${file}.old`);
  writeFileSync(`${file}.copy`, text, { mode: 0o600 });
  renameSync(`${file}.copy`, file);
}

function linked(file: string): void {
  renameSync(file, `${file}.real`);
  symlinkSync(`${file}.real`, file);
}
