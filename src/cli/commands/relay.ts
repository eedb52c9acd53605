import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { dialectNamed } from "../../dialects/registry.ts";
import { HookError } from "../../errors.ts";
import { parseJsonObject } from "../../json.ts";
import { isPrivateFolder } from "../../state/private-folder.ts";
import { anyRefusal, exitCodeFor, refusalText } from "../agent-reply.ts";
import { EXIT } from "../exit-codes.ts";
import { lookForOffFileIn, mayBeOff } from "../off/off-file.ts";
import { offNow, offText } from "../off/off-now.ts";
import { patienceMsOf } from "../patience.ts";
import { readBytes } from "../payload.ts";
import { RUN_OPTIONS } from "../run-options.ts";
import { endStopped } from "../serve/end-stopped.ts";
import { defaultSocket } from "../serve/socket-file.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

const OWN_OPTIONS = {
  socket: { type: "string" },
  main: { type: "string" },
  node: { type: "string" },
  path: { type: "string" },
  env: { type: "string", multiple: true, default: [] as string[] },
} as const;
const OPTIONS = { ...RUN_OPTIONS, ...OWN_OPTIONS };

export const relay: Verb = {
  summary: "pass one event to the resident server, and start the server if none runs",
  usage: `usage: hookbox relay DIALECT [--socket FILE] [--env NAME]... [options of hookbox run] < payload

  --socket FILE   the socket of the server. Default: server.sock in the state folder
  --env NAME      pass this variable to the rules, in addition to those that agents set. Can be repeated

The reply is that of "hookbox run". If the server does not answer before the agent's patience ends, the event is refused
with a text that says so. "hookbox init" writes the native relay of this platform, which takes the same arguments and
starts in a millisecond; this one starts Node.`,
  options: () => OPTIONS,
  run: relayVerb,
};

/** The variables that agents set for hooks; the same list as in `relay/relay.c`. */
const PASSED =
  /^(AGENTAO_|AI_AGENT|AUTOHAND_|CLAUDE|CODEX_|COPILOT_|CURSOR_|DOCKER_AGENT_|GEMINI_|HOOKBOX_|KIMI_|LANG|LC_|OPENCLAW_|QWEN_|TZ)/;
const DEFAULT_PATIENCE_MS = 60_000;
const NAP_MS = 20;
/** As in `relay/relay.c`. */
const OFF_PATIENCE_MS = 3_000;
const MAX_STARTS = 4;
const MAX_ATTEMPTS = 3;
/** What Windows and its programs need to find the account's folders. */
const ACCOUNT_VARIABLES =
  /^(?:SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|Path|TEMP|TMP|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles)$/i;

interface Reply {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** An error whose code and text become the refusal. */
class RelayFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

async function relayVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [dialect, ...rest] = positionals;
  if (dialect === undefined || rest.length > 0) throw usageError("relay takes one dialect");
  const patienceMs = patienceMsOf(values.patience) ?? DEFAULT_PATIENCE_MS;
  const socket = values.socket ?? defaultSocket();
  lookForOffFileIn(dirname(socket));
  const deadlineMs = patienceMs - Math.max(250, patienceMs / 20);
  const isOff = mayBeOff() && offNow() !== undefined;
  const until = console.startedAt + (isOff ? Math.min(deadlineMs, OFF_PATIENCE_MS) : deadlineMs);
  let payload = Buffer.alloc(0) as Buffer;
  const refuse = (reason: string): { exitCode: number; stdout: string } => {
    const known = dialectNamed(dialect);
    const named = parseJsonObject(payload.toString())?.["hook_event_name"];
    const spelling = values.event ?? (typeof named === "string" ? named : "");
    const event = known?.eventNames[spelling];
    if (known === undefined) return { exitCode: EXIT.refused, stdout: anyRefusal(undefined, reason) };
    const exitCode = event === undefined ? EXIT.refused : exitCodeFor(event, known.name);
    return { exitCode, stdout: exitCode === EXIT.refused ? refusalText(known, event, reason) : "" };
  };
  console.onDefect(refuse);
  try {
    payload = await readBytes(console);
    const body = Buffer.concat([contextOf(args, values, dialect), payload]);
    const reply = await replyBefore(until, {
      ...values,
      socket,
      dialect,
      body,
      payload,
    });
    console.write(reply.stdout.toString());
    console.writeError(reply.stderr.toString());
    console.onReplied(reply.exitCode);
    return reply.exitCode;
  } catch (error) {
    const off = mayBeOff() ? offNow() : undefined;
    if (off !== undefined) {
      console.writeError(`${offText(off)}\n`);
      console.onReplied(EXIT.done);
      return EXIT.done;
    }
    const code = error instanceof RelayFailure || error instanceof HookError ? error.code : "HOOK_RELAY_SYSTEM";
    const reason = `hookbox could not judge this call, so the call is refused. No rule has refused it. ${code}: ${(error as Error).message}. Run: hookbox doctor`;
    const { exitCode, stdout } = refuse(reason);
    console.writeError(`${reason}\n`);
    console.write(stdout);
    return exitCode;
  }
}

interface Ask {
  readonly socket: string;
  readonly main?: string | undefined;
  readonly node?: string | undefined;
  readonly path?: string | undefined;
  readonly dialect: string;
  readonly body: Buffer;
  readonly payload: Buffer;
}

/** Asks until a server answers. Starts one if none does. Rejects when the time is over. */
async function replyBefore(until: number, ask: Ask): Promise<Reply> {
  let starting: ChildProcess | undefined;
  let starts = 0;
  let cuts = 0;
  if (process.platform !== "win32") isPrivateFolder(dirname(ask.socket));
  endStopped(ask.socket);
  for (;;) {
    if (performance.now() >= until) throw new RelayFailure("HOOK_RELAY_SLOW", "the server did not answer in time");
    const reply = await send(ask, until);
    if (typeof reply !== "string") return reply;
    // A server that was killed is replaced, and asked again.
    if (reply === "cut-off" && ++cuts === MAX_ATTEMPTS) throw cutOff();
    if (reply === "no-server" && !isAlive(starting)) {
      if (++starts > MAX_STARTS) throw new RelayFailure("HOOK_RELAY_NO_SERVER", "the server ends when it starts");
      starting = startServer(ask);
    }
    await sleep(NAP_MS);
  }
}

function isAlive(child: ChildProcess | undefined): boolean {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function startServer({ socket, main = realpathSync(process.argv[1] ?? ""), node = process.execPath, path }: Ask) {
  const isWindows = process.platform === "win32";
  const way = isWindows ? ["--http"] : [];
  // The server answers other agents and projects too, so it must not get the variables of this one.
  const env = isWindows
    ? Object.fromEntries(Object.entries(process.env).filter(([name]) => ACCOUNT_VARIABLES.test(name)))
    : { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
  const child = spawn(node, [main, "serve", "--supervised", "--socket", socket, "--idle", "30m", ...way], {
    detached: true,
    stdio: "ignore",
    cwd: "/",
    env: { ...env, ...(path === undefined ? {} : { PATH: path }) },
    windowsHide: true,
  });
  // The caller's deadline refuses.
  child.on("error", () => {}).unref();
  return child;
}

/**
 * Returns the server's host, port and token for systems without Unix sockets. Returns `undefined` if no server has
 * written `http.json`.
 */
function address(socket: string): { readonly host: string; readonly port: string; readonly token: string } | undefined {
  try {
    const { url, token } = JSON.parse(readFileSync(join(dirname(socket), "http.json"), "utf8")) as Record<
      string,
      string
    >;
    const { hostname: host, port } = new URL(url ?? "");
    return { host, port, token: token ?? "" };
  } catch {
    return undefined;
  }
}

/** `cut-off`: the connection ended before any answer. */
type NoReply = "no-server" | "other-version" | "cut-off";

function send({ socket, dialect, body, payload }: Ask, until: number): Promise<Reply | NoReply> {
  const isByPort = process.platform === "win32";
  const at = isByPort ? address(socket) : undefined;
  if (isByPort && at === undefined) return Promise.resolve("no-server");
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        ...(at === undefined ? { socketPath: socket } : { host: at.host, port: at.port }),
        method: "POST",
        path: `/v1/hooks/${encodeURIComponent(dialect)}`,
        agent: false,
        headers: {
          ...(at === undefined ? {} : { Authorization: `Bearer ${at.token}` }),
          "Content-Type": "application/vnd.hookbox.call",
          "Hookbox-Context": body.byteLength - payload.byteLength,
          "Content-Length": body.byteLength,
        },
      },
      async (response) => {
        try {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk as Buffer);
          resolve(
            response.statusCode === 409
              ? "other-version"
              : readReply(response.headers["hookbox-reply"], Buffer.concat(chunks)),
          );
        } catch (error) {
          reject(error instanceof RelayFailure ? error : cutOff());
        } finally {
          clearTimeout(timer);
        }
      },
    );
    const timer = setTimeout(
      () => {
        reject(new RelayFailure("HOOK_RELAY_SLOW", "the server did not answer in time"));
        asked.destroy();
      },
      Math.max(0, until - performance.now()),
    );
    asked.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (["ENOENT", "ECONNREFUSED", "EAGAIN"].includes(error.code ?? "")) resolve("no-server");
      else if (["ECONNRESET", "EPIPE"].includes(error.code ?? "")) resolve("cut-off");
      else reject(error.code === "HPE_INVALID_CONSTANT" ? garbage() : cutOff());
    });
    asked.end(body);
  });
}

const cutOff = (): RelayFailure => new RelayFailure("HOOK_RELAY_CUT_OFF", "the server's answer ended too early");
const garbage = (): RelayFailure =>
  new RelayFailure("HOOK_RELAY_GARBAGE", "the answer is not that of a hookbox server");

function readReply(header: string | string[] | undefined, body: Buffer): Reply {
  const [, version, exitCode, out, err] = /^(\d+) (\d+) (\d+) (\d+)$/.exec(String(header)) ?? [];
  if (version === undefined || Number(exitCode) > 255) throw garbage();
  if (version !== "1")
    throw new RelayFailure("HOOK_RELAY_VERSION", "the server speaks another version of the protocol");
  const outBytes = Number(out);
  if (body.byteLength !== outBytes + Number(err)) throw cutOff();
  return { exitCode: Number(exitCode), stdout: body.subarray(0, outBytes), stderr: body.subarray(outBytes) };
}

/** See `readCall` for the form. */
function contextOf(
  args: readonly string[],
  { main, env }: { readonly main?: string | undefined; readonly env: readonly string[] },
  dialect: string,
): Buffer {
  const own = new Set(Object.keys(OWN_OPTIONS).map((name) => `--${name}`));
  const passed: string[] = [];
  let hasDialect = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (own.has(arg)) at += 1;
    else if (own.has(arg.replace(/=.*/s, ""))) continue;
    else if (arg === dialect && !hasDialect) hasDialect = true;
    else passed.push(arg);
  }
  const variables = Object.entries(process.env).filter(([name]) => PASSED.test(name) || env.includes(name));
  const texts = [
    `cwd=${process.cwd()}`,
    `main=${main ?? realpathSync(process.argv[1] ?? "")}`,
    ...passed.map((arg) => `arg=${arg}`),
    ...variables.map(([name, value]) => `env=${name}=${value}`),
    `pid=${process.pid}`,
    `waited=${Math.round(performance.now())}`,
  ];
  return Buffer.from(texts.map((text) => `${text}\0`).join(""));
}
