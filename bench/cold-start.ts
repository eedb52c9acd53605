import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildGuard } from "../src/authoring/build.ts";
import { type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { scratchFolder } from "./small-guards.ts";

/**
 * Measures one process per event, as an agent starts it: with a shipped guard, with an author's guard from the cache,
 * with a guard that no process on this machine has seen before, with an empty cache, and node alone. The author's guard
 * has tests, which another process runs afterwards.
 */

const MAIN = fileURLToPath(new URL("../dist/bundle/hookbox.cjs", import.meta.url));
const GUARD = fileURLToPath(new URL("../dist/guards/shell-guard.wasm", import.meta.url));
const EVENT = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "bench",
  cwd: "/home/me/project",
  tool_name: "Bash",
  tool_input: { command: "rm -rf / production" },
});

const AUTHORS = fileURLToPath(new URL("../guest-sdk/typescript/example", import.meta.url));
const CACHE = join(scratchFolder, "cache");
const ENTRIES = join(CACHE, "hookbox");

const entries = (): readonly string[] => (existsSync(ENTRIES) ? readdirSync(ENTRIES) : []);

/** Waits until the processes that run tests of guards have ended. */
async function quiet(): Promise<void> {
  while (entries().some((name) => name.endsWith(".claim"))) await sleep(50);
}

/** Removes the cached data of guards, but not the rules and not hookbox's own compiled script. */
function forgetGuards(): void {
  const known = entries().filter((name) => /\.(admitted|fixtures)$/.test(name));
  for (const name of known) rmSync(join(ENTRIES, name), { force: true });
}

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
  const copy = join(scratchFolder, "third-party.wasm");
  copyFileSync(GUARD, copy);
  const author = join(scratchFolder, "author.wasm");
  writeFileSync(author, (await buildGuard(AUTHORS)).wasm);
  const thirdParty = configWith("third-party.json", copy);
  const authors = configWith("author.json", author);
  const shipped = configWith("shipped.json", "builtin:shell-guard");
  const decide = (config: string) => () => start([MAIN, "run", "--config", config], '"deny"');
  const ready = (config: string) => async () => {
    decide(config)();
    await quiet();
    decide(config)();
  };
  const without = (forget: () => void) => async () => {
    await quiet();
    forget();
  };
  mkdirSync(CACHE, { recursive: true });
  return measure(
    [
      { name: "node", perBlock: 3, before: quiet, run: () => start(["-e", "console.log(1)"], "1") },
      { name: "shipped", perBlock: 3, before: ready(shipped), run: decide(shipped) },
      { name: "copy of a shipped", perBlock: 3, before: ready(thirdParty), run: decide(thirdParty) },
      { name: "author's, cached", perBlock: 3, before: ready(authors), run: decide(authors) },
      { name: "author's, new", perBlock: 1, before: without(forgetGuards), run: decide(authors) },
      {
        name: "author's, no cache",
        perBlock: 1,
        before: without(() => rmSync(CACHE, { recursive: true, force: true })),
        run: decide(authors),
      },
    ],
    rounds,
  );
}

const GOALS: readonly Goal[] = [
  { name: "run with a shipped guard", of: "shipped", against: "node", atMost: 2.5 },
  { name: "run with a guard from the cache", of: "author's, cached", against: "node", atMost: 2.5 },
  { name: "run with a guard that is new", of: "author's, new", against: "author's, cached", atMost: 1.5 },
];

export const coldStart: Scope = {
  name: "cold-start",
  question: "a process for one event: hookbox run, compared with node alone",
  floor: "node",
  run,
  goals: GOALS,
};
