import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import type { Caller } from "../../caller.ts";
import { HookError } from "../../errors.ts";
import { MAX_PAYLOAD_BYTES } from "../payload.ts";

/**
 * One call of a relay: the command line, the working directory and the environment of the process that the agent has
 * started, and the agent's payload. The relay sends them as one body, because header fields cannot carry all bytes of a
 * path.
 */
export interface Call {
  readonly caller: Caller;
  /** The arguments of `hookbox run` that the agent's entry names. */
  readonly args: readonly string[];
  /** Milliseconds since the agent started the relay. */
  readonly waitedMs: number;
  /** The main file of hookbox that the agent's entry names. */
  readonly main?: string;
  readonly payload: Buffer;
}

/** The version of the protocol between relay and server. */
export const PROTOCOL = "1";

const MAX_CONTEXT_BYTES = 1_048_576;
/** The largest body that a relay sends. */
export const MAX_BODY_BYTES = MAX_PAYLOAD_BYTES + MAX_CONTEXT_BYTES;

/**
 * Reads the body of a relay. The first `contextBytes` bytes are texts that end with a NUL byte: `cwd=FOLDER`,
 * `waited=MILLISECONDS`, `pid=PROCESS`, `main=FILE`, `arg=ARGUMENT` and `env=NAME=VALUE`. The rest is the payload.
 */
export function readCall(body: Buffer, contextBytes: number): Call {
  if (
    !(contextBytes > 0 && contextBytes <= Math.min(MAX_CONTEXT_BYTES, body.byteLength)) ||
    body[contextBytes - 1] !== 0
  )
    throw malformed("the context does not end where the header says");
  const args: string[] = [];
  const environment: Record<string, string> = {};
  let cwd = "";
  let main = "";
  let waitedMs = 0;
  let pid: number | undefined;
  for (const text of body.toString("utf8", 0, contextBytes - 1).split("\0")) {
    const [key, value] = cut(text);
    if (key === "cwd") cwd = value;
    else if (key === "waited") waitedMs = Number(value);
    else if (key === "pid") pid = Number(value);
    else if (key === "main") main = value;
    else if (key === "arg") args.push(value);
    else if (key === "env") {
      const [name, set] = cut(value);
      environment[name] = set;
    } else throw malformed(`unknown key ${JSON.stringify(key)}`);
  }
  if (!isAbsolute(cwd)) throw malformed("the working directory is not an absolute path");
  if (!(waitedMs >= 0)) throw malformed("the time that the agent has waited is not a number");
  return {
    // The relay starts the server without HOME, which the user's command hooks expect.
    caller: { cwd, environment: { HOME: homedir(), ...process.env, ...environment }, pid },
    args,
    waitedMs,
    main,
    payload: body.subarray(contextBytes),
  };
}

function cut(text: string): readonly [before: string, after: string] {
  const at = text.indexOf("=");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function malformed(what: string): HookError {
  return new HookError("HOOK_SERVER_REQUEST", `the relay's request cannot be read: ${what}`);
}
