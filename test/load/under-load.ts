import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { bashCall, type CliResult, hookbox, replyOf } from "../e2e/cli.ts";
import { fixtureOf, guardText, projectWith } from "../e2e/guard-folder.ts";

/** One-shot calls on a busy machine, with an empty cache. */

/** The agent's entry: `timeout: 60` with `--patience 60`. */
const PATIENCE_SECONDS = 60;

/** None of these is refused by the guards below. */
export const HARMLESS = ["npm test", "git status", "ls -la src", "cargo build --release", "cat README.md", "node a.js"];

/** The additional code of each author's guard: a call may ask it to fail. */
const FAILS = `
    const command = String(event.tool_input.command);
    if (command === "loop for ever") for (;;) context;
    if (command === "throw") throw new Error("broken");`;

const GUARDS: Readonly<Record<string, string>> = {
  "no-force-push": 'if (/push .*--force/.test(command)) return deny("no");',
  "asks-about-pipes": 'if (command.includes("| sh")) return ask("sure?");',
  "no-secrets": 'if (/AKIA[A-Z0-9]{16}/.test(JSON.stringify(event.tool_input))) return deny("no");',
};

interface LoadTerms {
  /** Processes that only use the processor. */
  readonly burners: number;
  /** The number of guards that are built from source: 1 to 3. */
  readonly authors: number;
}

interface LoadedMachine {
  /** Calls all guards once. Fails the test if they refuse. Resolves to the milliseconds from start to end. */
  harmless(command: string): Promise<number>;
  /**
   * Calls each failing guard once. Fails the test if one does not deny with its cause before the agent's patience ends.
   */
  failing(): Promise<void>;
}

/**
 * Builds this many guards as an author does, with a separate cache, and then makes the machine busy until the test
 * ends. They are called together with a shipped guard.
 */
export async function loadedMachine({ burners, authors }: LoadTerms): Promise<LoadedMachine> {
  const folder = projectWith();
  const cache = emptyFolder();
  const builds = { XDG_CACHE_HOME: emptyFolder() };
  const module = (name: string): string => join(folder, name, "guard.wasm");
  const guards = Object.entries(GUARDS).slice(0, authors);
  for (const [name, body] of guards) await build(folder, name, body, builds);
  const [first = ""] = guards.map(([name]) => name);
  mkdirSync(join(folder, "changed"));
  copyFileSync(module(first), module("changed"));

  const guard = (name: string): object => ({ type: "wasm", name, module: module(name) });
  const configure = (name: string, ...hooks: object[]): string => {
    mkdirSync(join(folder, "configs", name), { recursive: true });
    const file = join(folder, "configs", name, "hookbox.json");
    writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } }));
    return file;
  };
  const all = configure("all", ...guards.map(([name]) => guard(name)), { type: "wasm", module: "builtin:shell-guard" });
  const failing = [
    { config: all, command: "loop for ever", cause: /: fuel: / },
    { config: all, command: "throw", cause: /: (?:trap|the guard reported an error): .*broken/ },
    { config: configure("changed", guard("changed")), command: "ls", cause: /: integrity: HOOK_LOCK_MISMATCH/ },
    { config: configure("missing", guard("missing")), command: "ls", cause: /HOOK_MODULE_NOT_FOUND/ },
  ];
  const locked = await hookbox(["lock", "--yes", "--config", join(folder, "configs/changed/hookbox.json")], {
    env: builds,
  });
  expect(locked).toMatchObject({ exitCode: 0 });
  // An empty custom section makes another file with the same guard.
  appendFileSync(module("changed"), Uint8Array.of(0, 2, 1, 0x78));

  burn(burners);
  const call = (config: string, command: string): Promise<CliResult> =>
    hookbox(["run", "--config", config, "--patience", String(PATIENCE_SECONDS)], {
      stdin: bashCall(command),
      env: { XDG_CACHE_HOME: cache, XDG_STATE_HOME: cache },
    });
  return {
    harmless: async (command) => {
      const result = await call(all, command);
      expect(result, command).toMatchObject({ exitCode: 0, signal: null, stdout: "", stderr: "" });
      return result.elapsedMs;
    },
    failing: async () => {
      for (const { config, command, cause } of failing) {
        const result = await call(config, command);
        expect(replyOf(result)).toMatchObject({
          permissionDecision: "deny",
          permissionDecisionReason: expect.stringMatching(cause),
        });
        expect(result.elapsedMs).toBeLessThan(PATIENCE_SECONDS * 1_000);
      }
    },
  };
}

/** Returns the value that this percentage of the samples does not exceed. */
export function percentile(samples: readonly number[], percent: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

async function build(folder: string, name: string, body: string, env: Record<string, string>): Promise<void> {
  const source = join(folder, name);
  mkdirSync(source);
  writeFileSync(join(source, "guard.ts"), guardText(`${FAILS}\n    ${body}`, { name }));
  const fixture = fixtureOf({ name: "harmless", command: "ls", decision: "none" });
  writeFileSync(join(source, "fixtures.json"), JSON.stringify([fixture]));
  const built = await hookbox(["build", source, "--out", join(source, "guard.wasm")], { cwd: folder, env });
  expect(built, built.stderr).toMatchObject({ exitCode: 0 });
}

/** Endless loops, ended by the test. */
function burn(count: number): void {
  const burners = Array.from(
    { length: count },
    (): ChildProcess => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  onTestFinished(() => {
    for (const one of burners) one.kill("SIGKILL");
  });
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-load-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
