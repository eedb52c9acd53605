import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookbox } from "../e2e/cli.ts";
import { makeFolder } from "../helpers/folders.ts";
import { RELAYS, relay, serve, socketFolder } from "./relays.ts";

const [command = []] = Object.values(RELAYS);
const DENIED = '"permissionDecision":"deny"';

const rules = (name: string): string => {
  const slow = { type: "command", name, command: "sleep 2; echo slowly >&2; exit 2" };
  return JSON.stringify({ version: 1, hooks: { PreToolUse: [{ hooks: [slow] }] } });
};

test("a configuration that changes lets the hooks finish that were started before", async () => {
  const cwd = makeFolder({ "hookbox.json": rules("first") });
  const socket = join(socketFolder(), "s");
  await serve(socket);
  const status = async (): Promise<{ open_calls: number; reloads: number }> =>
    JSON.parse((await hookbox(["serve", "--status", "--socket", socket])).stdout);
  const asked = [relay(command, socket, { cwd })];
  await expect.poll(async () => (await status()).open_calls).toBe(1);
  writeFileSync(join(cwd, "hookbox.json"), rules("second"));
  asked.push(relay(command, socket, { cwd }));
  for (const { stdout, stderr } of await Promise.all(asked)) {
    expect(stderr).not.toContain("cancelled");
    expect(stdout).toContain(DENIED);
    expect(stdout).toContain("slowly");
  }
  expect((await status()).reloads).toBe(1);
});
