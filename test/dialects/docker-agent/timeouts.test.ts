import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createEngine } from "../../../src/index.ts";

test("A19: a timeout that is missing, 0 or negative is 60 seconds", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-timeouts-"));
  try {
    const hooks = ["", "timeout: 0", "timeout: -1", "timeout: 30"].map(
      (timeout, index) => `    - {type: command, command: "exit ${index}"${timeout === "" ? "" : `, ${timeout}`}}\n`,
    );
    writeFileSync(join(folder, "agent.yaml"), `hooks:\n  stop:\n${hooks.join("")}`);
    const engine = await createEngine({
      configFiles: [{ file: "agent.yaml", layer: "user", dialect: "docker-agent" }],
      cwd: folder,
      dialect: "docker-agent",
      cacheDir: false,
    });
    expect(engine.problems).toEqual([]);
    expect(engine.rules.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000, 60_000, 60_000, 30_000]);
    await engine.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
