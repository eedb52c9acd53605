import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Verdict } from "../../src/verdict.ts";
import { ABSENT } from "../helpers/folders.ts";
import { accountOf, approveFor } from "./approve.ts";

export const MAIN = resolve(import.meta.dirname, "../../dist/bundle/hookbox.cjs");

export interface CliResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
}

/**
 * Runs the built command line as an agent does: as a process with JSON on its standard input. The user has approved the
 * files of the project, unless `approves` is false.
 */
export async function hookbox(
  args: readonly string[],
  options: {
    readonly stdin?: string | Uint8Array;
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** The script to start. Default: the bundle. */
    readonly main?: string;
    readonly approves?: boolean;
  } = {},
): Promise<CliResult> {
  const cwd = options.cwd ?? elsewhere();
  const approved = options.approves === false ? {} : await approvedAccount(args, { ...options, cwd });
  return new Promise((done, reject) => {
    const begun = performance.now();
    const child = spawn(process.execPath, [options.main ?? MAIN, ...args], {
      cwd,
      env: {
        PATH: process.env["PATH"] ?? "",
        ...ownFolders(),
        ...approved,
        ...options.env,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.stdin.on("error", () => {});
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      done({
        exitCode,
        signal,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
        elapsedMs: performance.now() - begun,
      });
    });
    child.stdin.end(options.stdin ?? "");
  });
}

/**
 * Returns a folder of this test run. The configuration of the tests sets the cache folder and removes it after the run.
 */
function runFolder(name: string): string {
  const folder = join(process.env["XDG_CACHE_HOME"] ?? tmpdir(), name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The home folder of the account that approves the files of the tests' projects. */
export const accountHome = (): string => runFolder("account");

/** Approves the files of the project, and returns the environment for a process of the account that has approved. */
export async function approvedAccount(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Record<string, string>> {
  const home = accountHome();
  const isApproved = await approveFor(args, home, { cwd, env: { ...ownFolders(), ...env } });
  return isApproved ? accountOf(home) : {};
}

/** Returns a working directory without files, because hookbox would read its files as a project's. */
export const elsewhere = (): string => runFolder("elsewhere");

/** Environment variables for an empty home, and for the cache and the state of this test run. */
export function ownFolders(): Record<string, string> {
  return {
    HOME: runFolder("home"),
    XDG_CONFIG_HOME: ABSENT,
    XDG_CACHE_HOME: runFolder("."),
    XDG_STATE_HOME: runFolder("state"),
  };
}

export interface Project {
  readonly folder: string;
  write(name: string, content: string | Uint8Array): string;
  /** Writes a `hookbox.json` with these hooks for one event. */
  configure(event: string, ...hooks: object[]): string;
}

export function project(): Project {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-e2e-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, content: string | Uint8Array): string => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  return {
    folder,
    write,
    configure: (event, ...hooks) => write("hookbox.json", JSON.stringify({ hooks: { [event]: [{ hooks }] } })),
  };
}

export const bashCall = (command: string): string =>
  JSON.stringify({
    session_id: "s",
    cwd: "/x",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
  });

export const stopCall = JSON.stringify({
  session_id: "s",
  cwd: "/x",
  hook_event_name: "Stop",
  stop_hook_active: false,
});

export const verdictOf = (result: CliResult): Verdict => JSON.parse(result.stdout) as Verdict;

/** Returns Claude Code's reply at PreToolUse. */
export function replyOf(result: CliResult): { permissionDecision?: string; permissionDecisionReason?: string } {
  const reply = JSON.parse(result.stdout) as { hookSpecificOutput?: Record<string, string> };
  return reply.hookSpecificOutput ?? {};
}

/**
 * Expects that a run ended in time. A run over the limit is compared with a run that decides immediately, because the
 * machine may be busy.
 */
export async function expectEndedSoon({ elapsedMs }: CliResult, withinMs: number, timesIdle: number): Promise<void> {
  if (elapsedMs < withinMs) return;
  const idle = await hookbox(["run", "--config", project().configure("Stop")], { stdin: stopCall });
  expect(elapsedMs).toBeLessThan(withinMs + timesIdle * idle.elapsedMs);
}
