import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { answering, guest } from "../helpers/guests.ts";
import { NODE } from "../relay/relays.ts";

/** The projects of several agents, and how their relays start the server. */

/** Guards that never answer well. Each call of their tool must be denied. */
const HOSTILE: Readonly<Record<string, () => Uint8Array>> = {
  Loops: () => guest("allows-then-loops-for-ever"),
  Traps: () => guest("allows-then-traps"),
  WantsAHugeBlock: () => guest("wants-a-huge-block"),
  Grows: () => guest("grows-to-its-limit"),
  Floods: () => guest("floods-the-log"),
  Recurses: () => guest("recurses-for-ever"),
  Garbage: () => answering("\u0000{not JSON"),
  Silent: () => guest("says-nothing"),
};
export const HOSTILE_TOOLS = Object.keys(HOSTILE);

export interface Resident {
  readonly socket: string;
  readonly port: number;
  /** What starts the server instead of Node, with the additions of this test. */
  readonly node: string;
  readonly projects: readonly string[];
  /** The user's configuration. */
  readonly file: string;
  /** A configuration that means the same for each number. */
  readonly configuration: (number: number) => string;
  readonly pid: () => number | undefined;
  readonly token: () => string;
  /** Bytes after a collection of garbage. */
  readonly memory: () => Promise<{ readonly heapUsed: number; readonly rss: number; readonly external: number }>;
}

export async function residentFor(projectCount: number): Promise<Resident> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hb-load-")));
  chmodSync(folder, 0o700);
  const socket = join(folder, "s");
  const port = await freePort();
  const configuration = (number: number): string => configurationText(number);
  // The user's own file, because a project's file would need an approval for each change.
  const file = join(folder, ".config", "hookbox", "hookbox.json");
  mkdirSync(dirname(file), { recursive: true });
  for (const [tool, bytes] of Object.entries(HOSTILE)) writeFileSync(join(dirname(file), `${tool}.wasm`), bytes());
  writeFileSync(file, configuration(0));
  const projects = Array.from({ length: projectCount }, (_, index) => {
    const project = join(folder, `project-${index}`);
    mkdirSync(project);
    return project;
  });
  const node = join(folder, "node");
  const saboteur = join(folder, "saboteur.cjs");
  const memoryFile = join(folder, "memory.json");
  copyFileSync(join(import.meta.dirname, "saboteur.cjs"), saboteur);
  const added = Object.entries({
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    HOOKBOX_LOAD_MEMORY: memoryFile,
  });
  const exports = added.map(([name, value]) => `export ${name}='${value}'\n`).join("");
  const command = `exec '${NODE}' --expose-gc --require '${saboteur}' "$@" --http --port ${port}`;
  writeFileSync(node, `#!/bin/sh\n${exports}${command}\n`, { mode: 0o755 });

  const address = (): { pid?: number; token?: string } => {
    try {
      return JSON.parse(readFileSync(join(folder, "http.json"), "utf8")) as { pid: number; token: string };
    } catch {
      // No server runs, or it is starting.
      return {};
    }
  };
  onTestFinished(async () => {
    for (let i = 0; i < 500 && (address().pid ?? 0) > 0; i++) {
      try {
        process.kill(address().pid ?? 0, i === 0 ? "SIGTERM" : 0);
      } catch {
        break;
      }
      await sleep(20);
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    socket,
    port,
    node,
    projects,
    file,
    configuration,
    pid: () => address().pid,
    token: () => address().token ?? "",
    memory: async () => {
      rmSync(memoryFile, { force: true });
      process.kill(address().pid ?? 0, "SIGURG");
      for (let i = 0; i < 2_000; i++) {
        try {
          return JSON.parse(readFileSync(memoryFile, "utf8"));
        } catch {
          await sleep(10);
        }
      }
      throw new Error("the server does not measure its memory");
    },
  };
}

function configurationText(number: number): string {
  const command = "sleep 0.05; echo no >&2; exit 2";
  return JSON.stringify({
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] },
        { matcher: "Command", hooks: [{ type: "command", command }] },
        ...HOSTILE_TOOLS.map((tool) => ({ matcher: tool, hooks: [{ type: "wasm", module: `./${tool}.wasm` }] })),
        { matcher: `Tool${number}`, hooks: [{ type: "command", command: "exit 2" }] },
      ],
    },
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}
