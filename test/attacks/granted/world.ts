import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { httpServer, type TestServer } from "../../net/servers.ts";
import { openTrap, type Trap } from "../../net/traps.ts";

/** Servers and files around the attacked engine: some are granted, the others must not change. */

/** Contained in every file without a grant, and in the engine's environment. */
export const CANARY = "n0b0dy-was-granted-this";
/** Contained in granted files. */
const GRANTED_TEXT = "anybody may read this";

export interface World {
  /** The granted server. */
  readonly origin: string;
  readonly port: number;
  /** A server on this machine that must receive nothing. */
  readonly trapPort: number;
  /** For the configuration, by the guards' names for them. */
  readonly granted: { readonly file: string; readonly folder: string; readonly writable: string };
  /** Next to the granted folders, and not granted. */
  readonly secretFolder: string;
}

export interface OpenWorld extends World {
  /** Returns the number of connections to the trap since the last call. */
  caught(): number;
  readonly requests: TestServer["requests"];
  /** Returns the changes to everything that was not granted. */
  damage(): readonly string[];
  close(): Promise<void>;
}

/** `isChanging`: whether links and folders replace each other all the time. */
export async function openWorld({ isChanging }: { readonly isChanging: boolean }): Promise<OpenWorld> {
  const trap = await openTrap();
  const server = await httpServer((response, { url = "/" }) => answer(response, url, trap));
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-world-")));
  const granted = {
    file: join(root, "policy.json"),
    folder: join(root, "folder"),
    writable: join(root, "writable"),
  };
  const secretFolder = join(root, "secret");
  formatConfig(root, granted, secretFolder);
  const untouched = [root, granted.folder, secretFolder, granted.writable];
  const look = (): readonly string[] => untouched.flatMap((folder) => lookAt(folder));
  const before = look();
  const racing = isChanging ? race([granted.folder, granted.writable], secretFolder) : undefined;
  return {
    origin: server.origin,
    port: server.port,
    trapPort: trap.port,
    granted,
    secretFolder,
    caught: trap.caught,
    requests: server.requests,
    damage: () => {
      const after = look();
      return [
        ...before.filter((line) => !after.includes(line)).map((line) => `gone: ${line}`),
        ...after.filter((line) => !before.includes(line)).map((line) => `new: ${line}`),
      ];
    },
    close: async () => {
      await racing?.stop();
      await server.close();
      await trap.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function formatConfig(root: string, granted: World["granted"], secretFolder: string): void {
  for (const folder of [granted.folder, granted.writable, secretFolder]) mkdirSync(folder);
  writeFileSync(granted.file, GRANTED_TEXT);
  writeFileSync(join(granted.folder, "policy.txt"), GRANTED_TEXT);
  writeFileSync(join(granted.folder, "caf\u00e9.txt"), GRANTED_TEXT);
  writeFileSync(join(granted.folder, "huge.bin"), Buffer.alloc(2 * 1_048_576, "a"));
  writeFileSync(join(granted.writable, "kept.txt"), GRANTED_TEXT);
  writeFileSync(join(secretFolder, "canary.txt"), CANARY);
  writeFileSync(join(root, "policy.json.bak"), CANARY);
  for (const folder of [granted.folder, granted.writable]) {
    symlinkSync(join(secretFolder, "canary.txt"), join(folder, "link.txt"));
    symlinkSync(secretFolder, join(folder, "link"));
    symlinkSync("..", join(folder, "up"));
    symlinkSync("/dev/zero", join(folder, "zero"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
  }
}

/** Names, and the contents of regular files; without the paths that change all the time. */
function lookAt(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith("changing"))
    .map((entry) => {
      const path = join(folder, entry.name);
      const content = entry.isFile() ? readFileSync(path).subarray(0, 100).toString() : "";
      return `${path} ${entry.isFile() ? statSync(path).size : ""} ${content}`;
    });
}

/** `changing` is alternately a folder with a harmless file with a secret's name, and a link to the secrets. */
function race(folders: readonly string[], secretFolder: string): { stop(): Promise<void> } {
  const of = (folder: string, name: string): string => join(folder, name);
  for (const folder of folders) {
    mkdirSync(of(folder, "changing"));
    writeFileSync(of(folder, "changing/canary.txt"), GRANTED_TEXT);
    symlinkSync(secretFolder, of(folder, "changing-link"));
  }
  let isOver = false;
  const over = (async () => {
    while (!isOver) {
      for (const folder of folders) {
        renameSync(of(folder, "changing"), of(folder, "changing-folder"));
        renameSync(of(folder, "changing-link"), of(folder, "changing"));
      }
      await sleep(1);
      for (const folder of folders) {
        renameSync(of(folder, "changing"), of(folder, "changing-link"));
        renameSync(of(folder, "changing-folder"), of(folder, "changing"));
      }
      await sleep(1);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await over;
    },
  };
}

/** What hostile servers do. */
function answer(response: ServerResponse, url: string, trap: Trap): void {
  // A kept connection stays open for longer than a second, on purpose.
  response.setHeader("connection", "close");
  const { pathname, searchParams } = new URL(url, "http://server");
  const to = searchParams.get("to");
  switch (pathname) {
    case "/redirect":
      response.writeHead(Number(searchParams.get("status") ?? 302), {
        location: to ?? `http://127.0.0.1:${trap.port}/`,
      });
      response.end();
      return;
    case "/round":
      response.writeHead(302, { location: "/round" }).end();
      return;
    case "/huge":
      response.end(Buffer.alloc(100_000, "a"));
      return;
    case "/endless": {
      const more = setInterval(() => response.write("a".repeat(1_000)), 2);
      response.on("close", () => clearInterval(more));
      return;
    }
    case "/drip": {
      const more = setInterval(() => response.write("a"), 20);
      response.on("close", () => clearInterval(more));
      return;
    }
    case "/packed":
      response.writeHead(200, { "content-encoding": "gzip" }).end("not even gzip");
      return;
    case "/silent":
      return;
    case "/headers":
      for (let at = 0; at < 40; at += 1) response.setHeader(`x-${at}`, '"'.repeat(300));
      response.end("x");
      return;
    case "/text":
      response.end("x");
      return;
    default:
      response.writeHead(404).end();
  }
}
