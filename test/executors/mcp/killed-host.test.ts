import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { gone, isAlive } from "./mcp-rule.ts";

const HOST = fileURLToPath(new URL("../../fixtures/mcp/host.mjs", import.meta.url));
const TRANSPORT = fileURLToPath(new URL("../../../dist/executors/mcp/stdio-transport.js", import.meta.url));
const LIMITS = JSON.stringify({
  messageBytes: 1e6,
  chatterBytes: 1e6,
  stderrBytes: 1e4,
  drainMs: 50,
  killGraceMs: 100,
});

/** Ignores the end of its input and SIGTERM. */
const STUBBORN = "trap '' TERM; echo ready; while :; do sleep 1; done";

test.runIf(process.platform !== "win32").each(["SIGTERM", "SIGKILL"] as const)(
  "a server that ignores signals does not outlive a host that is ended by %s",
  async (signal) => {
    const host = spawn(process.execPath, [HOST, TRANSPORT, LIMITS, "/bin/sh", "-c", STUBBORN], {
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    const [said] = await once(host.stdout, "data");
    const server = Number(String(said));
    onTestFinished(() => {
      if (isAlive(server)) process.kill(-server, "SIGKILL");
    });
    expect(isAlive(server)).toBe(true);
    // Signals the whole process group, as an agent's terminal does.
    process.kill(-(host.pid as number), signal);
    expect(await gone([server])).toEqual([]);
  },
);
