import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { writeHookbox } from "./approved.ts";
import { type Installed, installPackage } from "./install.ts";
import { startModelServer } from "./model-servers.ts";
import { CLIENTS_NODE, nodeIn, type OtherClient } from "./other-clients.ts";

interface Ended {
  /** Whether the shell call ran. */
  readonly ran: boolean;
  /** Whether the hook was started: without that, a session proves nothing. */
  readonly asked: boolean;
  /** Everything that the model was sent. */
  readonly sent: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  has(file: string): boolean;
}

const SESSION_MS = 60_000;

export interface Ready {
  readonly client: OtherClient;
  readonly installed: Installed;
  readonly node: string;
}

export async function installOther(client: OtherClient): Promise<Ready> {
  const runtime = await installPackage(`node-${process.platform}-${process.arch}`, CLIENTS_NODE);
  const installed = await installPackage(client.package, client.version);
  return { client, installed, node: nodeIn(runtime.packages) };
}

/** Runs one headless session whose model asks for one shell call that creates the file `ran`. `hook` is shell text. */
export async function otherSession(
  { client, installed, node }: Ready,
  hook: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  command = "touch ran",
): Promise<Ended> {
  const root = mkdtempSync(join(tmpdir(), `hookbox-${client.name}-`));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const write = (name: string, content: string | Uint8Array, mode = 0o644): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content, { mode });
  };
  const project = join(root, "project");
  const home = join(root, "home");
  mkdirSync(project, { recursive: true });
  write("gate.sh", `#!/bin/sh\n: >'${root}/asked'\nPATH='${root}/bin':"$PATH"\n${hook}\n`, 0o755);
  const model = await startModelServer(command);
  onTestFinished(() => model.close());
  const terms = { modelUrl: model.url, hook: join(root, "gate.sh"), home, project };
  for (const [name, text] of Object.entries(client.files(terms))) write(name, text);
  for (const [name, content] of Object.entries(files)) write(`project/${name}`, content);
  await writeHookbox(join(root, "bin"), home, project, Object.keys(files));
  const ended = await run(node, [join(installed.packages, client.package, client.program), ...client.args("Do it.")], {
    cwd: project,
    env: {
      PATH: `${dirname(node)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: home,
      // The client cannot reach any other server.
      HTTPS_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1",
      no_proxy: "127.0.0.1",
      NO_COLOR: "1",
      ...client.env(terms),
    },
  });
  const has = (file: string): boolean => existsSync(join(project, file));
  return { ...ended, ran: has("ran"), asked: existsSync(join(root, "asked")), sent: model.sent(), has };
}

function run(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Pick<Ended, "exitCode" | "stdout" | "stderr">> {
  return new Promise((done, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: SESSION_MS });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (exitCode) => done({ exitCode, stdout, stderr }));
  });
}
