import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

const ASKS = JSON.stringify({ hook_event_name: "pre-tool", tool_name: "run_command", tool_input: { command: "ls" } });
const PERMITS = JSON.stringify({
  hooks: { hooks: [{ event: "pre-tool", command: `echo '{"decision":"allow"}'` }] },
});

test.each(["", "home"])("with HOME=%j no file of the project counts as the user's", async (HOME) => {
  const place = project();
  for (const folder of [".autohand", "home/.autohand"]) {
    mkdirSync(join(place.folder, folder), { recursive: true });
    place.write(`${folder}/config.json`, PERMITS);
  }
  const before = process.cwd();
  process.chdir(place.folder);
  try {
    const { stdout } = await inProcess(["run", "--format", "autohand"], {
      cwd: place.folder,
      env: { HOME },
      stdin: ASKS,
    });
    expect(stdout).not.toContain("allow");
  } finally {
    process.chdir(before);
  }
});

test("a link at the user's file that leads nowhere shuts gates, and is not skipped", async () => {
  const place = project();
  const user = join(place.folder, "config", "hookbox");
  mkdirSync(user, { recursive: true });
  symlinkSync(join(place.folder, "gone.json"), join(user, "hookbox.json"));
  place.write("hookbox.json", "{}");
  const { exitCode, stderr } = await inProcess(["run"], {
    cwd: place.folder,
    env: { XDG_CONFIG_HOME: join(place.folder, "config") },
    stdin: JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } }),
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("does not exist") });
});
