import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { scratchFolder } from "./small-guards.ts";

/** A process for one event, as an agent starts it: the guard in the cache, the cache empty, and node by itself. */

const MAIN = fileURLToPath(new URL("../dist/bundle/cli/hookbox.cjs", import.meta.url));
const GUARD = fileURLToPath(new URL("../dist/guards/shell-guard.wasm", import.meta.url));
const EVENT = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "bench",
  cwd: "/home/me/project",
  tool_name: "Bash",
  tool_input: { command: "rm -rf /" },
});

const CACHE = join(scratchFolder, "cache");

function start(args: readonly string[], expected: string): void {
  const { stdout, status, stderr } = spawnSync(process.execPath, args, {
    input: EVENT,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: scratchFolder, XDG_CACHE_HOME: CACHE },
  });
  if (status !== 0 || !stdout.includes(expected)) throw new Error(`${args.join(" ")}: ${status} ${stdout}${stderr}`);
}

function configWith(name: string, module: string): string {
  const file = join(scratchFolder, name);
  writeFileSync(
    file,
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module }] }] } }),
  );
  return file;
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const module = join(scratchFolder, "third-party.wasm");
  copyFileSync(GUARD, module);
  const thirdParty = configWith("third-party.json", module);
  const shipped = configWith("shipped.json", "builtin:shell-guard");
  const decide = (config: string) => () => start([MAIN, "run", "--config", config], '"deny"');
  const forget = (): void => rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  return measure(
    [
      { name: "node", perBlock: 3, run: () => start(["-e", "console.log(1)"], "1") },
      { name: "shipped", perBlock: 3, before: () => decide(shipped)(), run: decide(shipped) },
      { name: "cached", perBlock: 3, before: () => decide(thirdParty)(), run: decide(thirdParty) },
      { name: "not cached", perBlock: 1, before: forget, run: decide(thirdParty) },
    ],
    rounds,
  );
}

const GOALS: readonly Goal[] = [
  { name: "run with a guard from the cache", of: "cached", against: "node", atMost: 2.5 },
  { name: "run with a shipped guard", of: "shipped", against: "node", atMost: 2.5 },
];

export const coldStart: Scope = {
  name: "cold-start",
  question: "a process for one event: hookbox run, beside node that does nothing",
  floor: "node",
  run,
  goals: GOALS,
};
