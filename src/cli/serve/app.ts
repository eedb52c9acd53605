import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { AgentReply } from "../../dialects/dialect.ts";
import { dialectNamed } from "../../dialects/registry.ts";
import { HookError } from "../../errors.ts";
import { parseJsonObject } from "../../json.ts";
import { packageInfo } from "../../package-info.ts";
import { anyRefusal } from "../agent-reply.ts";
import { EXIT } from "../exit-codes.ts";
import { failureText } from "../failure-text.ts";
import { mayBeOff } from "../off/off-file.ts";
import { offNow, offText } from "../off/off-now.ts";
import { answerCall } from "./answer-call.ts";
import type { Metrics } from "./metrics.ts";
import { type Call, MAX_BODY_BYTES, PROTOCOL, readCall } from "./relayed-call.ts";
import { type Ask, whyForbidden } from "./request-access.ts";
import type { WarmProjects } from "./warm-projects.ts";

/** The routes of the server, for the Unix socket and for loopback HTTP alike. */

export interface AppOptions {
  readonly projects: WarmProjects;
  readonly metrics: Metrics;
  /** Fires when rules are cancelled and open calls are refused. The reason is a `HookError`. */
  readonly cutOff: AbortSignal;
  /** Whether the relay's command line means this server: the same installation, which has not changed since. */
  readonly isCurrent: (main: string | undefined) => boolean;
  /** Stops the server after the open calls. `followed`: another server must serve the port of this one. */
  readonly stop: (why?: "followed") => void;
  /** For loopback HTTP. Without a token the permissions of the socket decide who may ask. */
  readonly token?: string;
}

/** Bodies that are in memory at the same time. */
const MAX_OPEN_BYTES = 256 * 1_048_576;

export function createApp(options: AppOptions): Hono<{ Bindings: HttpBindings }> {
  const { projects, metrics, token } = options;
  const app = new Hono<{ Bindings: HttpBindings }>();
  const startedAt = Date.now();
  let openCalls = 0;
  let openBytes = 0;
  const refuse = (ask: Ask, status: 400 | 401 | 403 | 404 | 413, why: string): Response => {
    metrics.count("requests_refused", { why });
    return ask.text(`hookbox refused the request: ${why}\n`, status, { Connection: "close" });
  };

  app.use(async (ask, next) => {
    const why = token === undefined ? undefined : whyForbidden(ask, token);
    if (why !== undefined) return refuse(ask, why === "token" ? 401 : 403, why);
    return next();
  });

  app.post("/v1/hooks/:dialect", async (ask) => {
    const dialect = ask.req.param("dialect");
    const context = ask.req.header("hookbox-context");
    if (dialect !== "auto" && dialectNamed(dialect) === undefined) return refuse(ask, 404, "dialect");
    // A page of a browser cannot send these types without asking the server first, which answers no such question.
    const type = ask.req.header("content-type")?.split(";")[0]?.trim();
    if (type !== (context === undefined ? "application/json" : "application/vnd.hookbox.call"))
      return refuse(ask, 400, "content-type");
    const length = Number(ask.req.header("content-length") ?? Number.NaN);
    if (!(length >= 0)) return refuse(ask, 400, "content-length");
    if (length > MAX_BODY_BYTES) return refuse(ask, 413, "body");
    const begun = performance.now();
    const body: Buffer[] = [];
    openCalls += 1;
    try {
      const reply = await replyTo(ask, dialect, context, body);
      if (reply === "other-version") {
        options.stop("followed");
        return ask.text("another version of hookbox must answer\n", 409, { Connection: "close" });
      }
      metrics.count("calls", { dialect, exit: String(reply.exitCode) });
      metrics.observe((performance.now() - begun) / 1_000);
      return context === undefined ? asBody(ask, reply) : asFrame(ask, reply);
    } finally {
      openCalls -= 1;
      openBytes -= bytesOf(body);
    }
  });

  /** Never rejects: a call that cannot be read is refused in words that every agent understands. */
  async function replyTo(
    ask: Ask,
    dialect: string,
    context: string | undefined,
    received: Buffer[],
  ): Promise<AgentReply | "other-version"> {
    let payload: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of ask.env.incoming) {
        received.push(chunk as Buffer);
        // Counts what has arrived: a client that announces a long body and sends nothing must not refuse other calls.
        openBytes += (chunk as Buffer).byteLength;
        if (openBytes > MAX_OPEN_BYTES) {
          metrics.count("requests_refused", { why: "bytes" });
          const what = `calls of more than ${MAX_OPEN_BYTES} bytes are open at the same time`;
          throw new HookError("HOOK_SERVER_BUSY", what);
        }
      }
      const body = Buffer.concat(received);
      payload = body;
      const call: Call =
        context === undefined
          ? { caller: { cwd: folderOf(body), environment: process.env }, args: [], waitedMs: 0, payload: body }
          : readCall(body, Number(context));
      payload = call.payload;
      if (context !== undefined && !options.isCurrent(call.main)) return "other-version";
      const args = ["--dialect", dialect, ...call.args];
      return await answerCall({ ...call, args }, projects, options);
    } catch (error) {
      const off = mayBeOff() ? offNow() : undefined;
      if (off !== undefined) return { exitCode: EXIT.done, stdout: "", stderr: `${offText(off)}\n` };
      const stderr = failureText(error);
      return { exitCode: EXIT.refused, stdout: anyRefusal(parseJsonObject(payload.toString()), stderr.trim()), stderr };
    }
  }

  const gauges = (): Readonly<Record<string, number>> => ({
    engines: projects.size,
    reloads: projects.reloads,
    open_calls: openCalls,
    resident_memory_bytes: process.memoryUsage.rss(),
    uptime_seconds: Math.round((Date.now() - startedAt) / 1_000),
  });

  app.get("/metrics", (ask) => ask.text(metrics.text(gauges())));
  app.get("/health", async (ask) =>
    ask.json({
      hookbox: packageInfo().version,
      protocol: PROTOCOL,
      pid: process.pid,
      node: process.versions.node,
      ...gauges(),
      requests_refused: metrics.refused,
      off: offNow() ?? null,
      projects: await projects.states(),
    }),
  );
  app.post("/v1/stop", (ask) => {
    options.stop();
    return ask.text("stopping\n");
  });
  app.notFound((ask) => refuse(ask, 404, "route"));
  return app;
}

/** For the relay: standard output, then standard error. The header says where one ends, so that nothing can be cut off. */
function asFrame(ask: Ask, { exitCode, stdout, stderr }: AgentReply): Response {
  const [out, err] = [Buffer.from(stdout), Buffer.from(stderr)];
  return ask.body(Buffer.concat([out, err]) as Uint8Array<ArrayBuffer>, 200, {
    "Hookbox-Reply": `${PROTOCOL} ${exitCode} ${out.byteLength} ${err.byteLength}`,
    "Content-Length": String(out.byteLength + err.byteLength),
    "Content-Type": "application/octet-stream",
    ...closing(ask),
  });
}

/** Ends the connection of a request that was refused before its end. Otherwise the client goes on sending. */
function closing(ask: Ask): Readonly<Record<string, string>> {
  return ask.env.incoming.complete ? {} : { Connection: "close" };
}

/**
 * For an agent's own HTTP hook. Status 200 for refusals as well, because agents take other statuses for a failed hook and
 * go on.
 */
function asBody(ask: Ask, { exitCode, stdout, stderr }: AgentReply): Response {
  const text = stdout === "" && exitCode === EXIT.refused ? anyRefusal(undefined, stderr.trim()) : stdout || "{}";
  return ask.body(text, 200, { "Content-Type": "application/json", ...closing(ask) });
}

const bytesOf = (chunks: readonly Buffer[]): number => chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);

function folderOf(body: Buffer): string {
  const cwd = parseJsonObject(body.toString())?.["cwd"];
  return typeof cwd === "string" && cwd.startsWith("/") ? cwd : process.cwd();
}
