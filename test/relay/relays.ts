import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { RELAY_SHELL } from "../../src/cli/init/installation.ts";
import { accountOf } from "../e2e/approve.ts";
import { accountHome, approvedAccount, MAIN, ownFolders } from "../e2e/cli.ts";
import { RUNS_ALL } from "../helpers/tier.ts";

const FOLDER = resolve(import.meta.dirname, "../../relay");
const native = join(FOLDER, `relay-linux-${process.arch}`);
const hasQemu = spawnSync("qemu-aarch64", ["--version"]).status === 0;
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** Each relay as a command. All of them are held to the same behaviour. */
export const RELAYS: Readonly<Record<string, readonly string[]>> = {
  ...(process.platform === "linux" && existsSync(native) ? { native: [native] } : {}),
  ...(hasQemu ? { "native for arm64": ["qemu-aarch64", join(FOLDER, "relay-linux-arm64")] } : {}),
  ...(hasCurl ? { shell: [...RELAY_SHELL, join(FOLDER, "relay.sh")] } : {}),
  node: [process.execPath, MAIN, "relay"],
};

/**
 * The relays of this tier. The relay for arm64 is the same C file as the native one, and each of its tests starts a
 * server again, so `npm test` runs it only in tests that name {@link RELAYS}.
 */
export const RELAYS_OF_TIER: readonly (readonly [string, readonly string[]])[] = Object.entries(RELAYS).filter(
  ([name]) => RUNS_ALL || name !== "native for arm64" || !("native" in RELAYS),
);

export const NODE = realpathSync(process.execPath);

export interface Relayed {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RelayOptions {
  readonly cwd?: string;
  readonly stdin?: string | Buffer;
  /** Whether standard input stays open after `stdin`. */
  readonly keepsOpen?: boolean;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the user has approved the files of the project. Default: `true`. */
  readonly approves?: boolean;
}

/** A private folder with a short path, because a socket's path has at most 107 bytes. */
export function socketFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hb-")));
  chmodSync(folder, 0o700);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Drops the options that only a relay has. */
const withoutOwnOptions = (args: readonly string[]): readonly string[] =>
  args.filter((one, at) => one !== "--env" && args[at - 1] !== "--env");

/** Runs a relay as an agent does. The user has approved the files of the project. */
export async function relay(
  command: readonly string[],
  socket: string,
  {
    cwd = tmpdir(),
    stdin = BASH_CALL,
    keepsOpen = false,
    args = ["--event", "PreToolUse"],
    env = {},
    approves = true,
  }: RelayOptions = {},
): Promise<Relayed> {
  const [file = "", ...first] = command;
  const dialect = args[0]?.startsWith("-") === false ? [] : ["claude-code"];
  const said = ["run", ...withoutOwnOptions(args.slice(1 - dialect.length))];
  const account = approves ? await approvedAccount(said, { cwd, env }) : {};
  const child = spawn(file, [...first, ...dialect, ...args, "--socket", socket, "--main", MAIN], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...ownFolders(), ...account, ...env },
  });
  child.stdin.on("error", () => {});
  if (keepsOpen) child.stdin.write(stdin);
  else child.stdin.end(stdin);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  return new Promise((done, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) =>
      done({ exitCode, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
  });
}

export const payload = (command: string, more: object = {}): string =>
  JSON.stringify({
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    session_id: "s",
    ...more,
  });
const BASH_CALL = payload("ls");

/** Listens at a socket of its own, and lets `answer` do what a broken server might. */
export async function standIn(answer: (socket: Socket, request: () => string) => void): Promise<string> {
  const socket = join(socketFolder(), "s");
  const open = new Set<Socket>();
  const server = createServer((one) => {
    open.add(one);
    let request = "";
    one.on("error", () => {});
    one.on("data", (chunk) => {
      request += chunk.toString("latin1");
    });
    answer(one, () => request);
  });
  await new Promise<void>((listening) => server.listen(socket, listening));
  onTestFinished(() => {
    for (const one of open) one.destroy();
    server.close();
  });
  return socket;
}

/** Starts the server as `hookbox serve` does, and resolves when it listens. It is stopped after the test. */
export async function serve(
  socket: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly pid: number; readonly said: () => string; readonly ended: Promise<number | null> }> {
  const child = spawn(NODE, [MAIN, "serve", "--supervised", "--socket", socket, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...ownFolders(), ...accountOf(accountHome()), ...env },
    cwd: "/",
  });
  let said = "";
  const ended = new Promise<number | null>((done) => child.on("close", done));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const wanted = args.includes("--http") ? /the token is in/ : /serves/;
  await new Promise<void>((listening, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (wanted.test(said)) listening();
    });
    child.on("close", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  return { pid: child.pid ?? 0, said: () => said, ended };
}
