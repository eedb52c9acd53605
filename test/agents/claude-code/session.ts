import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { writeHookbox } from "../approved.ts";
import type { Client } from "./install.ts";
import { type Block, type Message, resultsOf, type Script, startMessagesApi, type ToolResult } from "./messages-api.ts";

interface SessionOptions {
  /** The model's answers, turn by turn. */
  readonly turns: readonly Block[];
  /** The answers of the model to the sub-agents, by the prompt of each. */
  readonly subAgents?: Script;
  /** `.claude/settings.json` of the project. */
  readonly settings?: object;
  /** More files of the project. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** `default`: a call that the user would be asked about is refused, because there is no user. */
  readonly permissions?: "bypassPermissions" | "default";
  /** Whether the user has confirmed that the project is trusted. */
  readonly trusted?: boolean;
  readonly prompt?: string;
  /** Called before the client starts. */
  readonly prepare?: (place: Place) => Promise<void>;
  /** Called before the model answers, with the number of calls that the session has finished. */
  readonly beforeAnswer?: (done: number) => Promise<void>;
}

/** Where a session takes place. */
export interface Place {
  readonly home: string;
  readonly project: string;
  /** The program `hookbox`. */
  readonly hookbox: string;
}

interface Session {
  readonly exitCode: number | null;
  /** The client's output: one JSON object on each line. */
  readonly stdout: string;
  readonly stderr: string;
  /** What the model received about its calls. */
  readonly toolResults: readonly ToolResult[];
  /** What the client's output shows about the calls. */
  readonly shownResults: readonly ToolResult[];
  /** Everything that the model was sent. */
  readonly sent: string;
  readonly elapsedMs: number;
  /** How long each call took, as the model sees it, in milliseconds. */
  readonly callsMs: readonly number[];
  readonly project: string;
  /** Whether the project has this file now. */
  has(file: string): boolean;
  read(file: string): string;
}

const SESSION_MS = 50_000;

export const CLIENT_VARIABLES = {
  ANTHROPIC_API_KEY: "made-up-for-a-test",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_AUTOUPDATER: "1",
  // Root may not skip permissions without this variable.
  IS_SANDBOX: "1",
};

/** Runs one headless session of the real client, with a separate project, home and environment. */
export async function claudeSession({ binary }: Client, options: SessionOptions): Promise<Session> {
  const root = mkdtempSync(join(tmpdir(), "hookbox-claude-code-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const write = (name: string, content: string | Uint8Array, mode = 0o644): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content, { mode });
  };
  const trust = { projects: { [join(root, "project")]: { hasTrustDialogAccepted: options.trusted === true } } };
  write("home/.claude.json", JSON.stringify(trust));
  write("project/.claude/settings.json", JSON.stringify(options.settings ?? {}));
  for (const [name, content] of Object.entries(options.files ?? {})) {
    write(`project/${name}`, content, name.endsWith(".sh") ? 0o755 : 0o644);
  }
  const project = join(root, "project");
  await writeHookbox(join(root, "bin"), join(root, "home"), project, Object.keys(options.files ?? {}));
  await options.prepare?.({ home: join(root, "home"), project, hookbox: join(root, "bin", "hookbox") });
  const prompt = options.prompt ?? "Do it.";
  const api = await startMessagesApi({ [prompt]: options.turns, ...options.subAgents }, options.beforeAnswer);
  onTestFinished(() => api.close());
  const ended = await run(binary, {
    args: [
      ...["-p", prompt, "--output-format", "stream-json", "--verbose"],
      ...["--permission-mode", options.permissions ?? "bypassPermissions"],
    ],
    cwd: project,
    env: {
      PATH: `${join(root, "bin")}:${process.env["PATH"]}`,
      HOME: join(root, "home"),
      ANTHROPIC_BASE_URL: api.url,
      ...CLIENT_VARIABLES,
    },
  });
  return {
    ...ended,
    toolResults: api.toolResults(),
    shownResults: shownIn(ended.stdout),
    sent: api.sent(),
    callsMs: api.callsMs(),
    project,
    has: (file) => existsSync(join(project, file)),
    read: (file) => readFileSync(join(project, file), "utf8"),
  };
}

function shownIn(stdout: string): readonly ToolResult[] {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  return lines.flatMap((line) => {
    // Newer clients also report a refused permission, with a text as the message.
    const { message } = JSON.parse(line) as { readonly message?: Message | string };
    return message === undefined || typeof message === "string" ? [] : resultsOf(message);
  });
}

interface Start {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

function run(
  binary: string,
  { args, cwd, env }: Start,
): Promise<Pick<Session, "exitCode" | "stdout" | "stderr" | "elapsedMs">> {
  return new Promise((done, reject) => {
    const begun = performance.now();
    const child = spawn(binary, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: SESSION_MS });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (exitCode) => done({ exitCode, stdout, stderr, elapsedMs: performance.now() - begun }));
  });
}
