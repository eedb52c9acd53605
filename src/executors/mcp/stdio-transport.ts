import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Failure } from "../../outcome.ts";
import { CappedTail } from "../../processes/capped-output.ts";
import { ProcessGroup } from "../../processes/process-group.ts";
import { cleanLine } from "../../text.ts";
import { watchOver } from "./end-servers-after-kill.ts";
import type { McpLimits } from "./limits.ts";
import { MessageLines } from "./message-lines.ts";

/** The minimum cost of a line in bytes, because many short lines are work too. */
const LEAST_COST_OF_A_LINE = 64;
const MAX_LAST_LINE_LENGTH = 300;
const ENDED = "was ended";

/** The groups of running servers, which do not keep this process alive and must not outlive it. */
const alive = new Map<ProcessGroup, number>();
const killAlive = (): void => {
  for (const group of alive.keys()) group.signal("SIGKILL");
};

function noteAlive(group: ProcessGroup, pid: number | undefined): void {
  if (pid !== undefined && alive.size === 0) process.once("exit", killAlive);
  if (pid === undefined) alive.delete(group);
  else alive.set(group, pid);
  if (alive.size === 0) process.removeListener("exit", killAlive);
  watchOver([...alive.values()]);
}

/** Sends one message per line over the standard streams of a child process. The first error ends the transport. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #child: ChildProcess;
  readonly #group: ProcessGroup;
  readonly #limits: McpLimits;
  readonly #stderr: CappedTail;
  readonly #lines: MessageLines;
  /** Sent requests without an answer so far. */
  readonly #open = new Set<string | number>();
  #chatterBytes = 0;
  #how = "closed its output";
  #drain: NodeJS.Timeout | undefined;
  #over: Failure | undefined;
  #gone: Promise<void> | undefined;

  constructor(child: ChildProcess, limits: McpLimits) {
    this.#child = child;
    this.#limits = limits;
    this.#group = new ProcessGroup(child.pid);
    this.#stderr = new CappedTail(limits.stderrBytes);
    this.#lines = new MessageLines(
      limits.messageBytes,
      (line) => this.#read(line),
      (bytes) => this.#overflow("a message", limits.messageBytes, bytes),
    );
  }

  /** The failure that ended the transport, without the server's name. Unset if the transport was closed on purpose. */
  get cause(): Failure | undefined {
    return this.#over?.message === ENDED ? undefined : this.#over;
  }

  /** The last line of stderr, as a part of a sentence. */
  get lastLine(): string {
    const last = this.#stderr.text().trimEnd().split("\n").at(-1) ?? "";
    const line = cleanLine(last, MAX_LAST_LINE_LENGTH);
    return line === "" ? "" : `: ${line}`;
  }

  async start(): Promise<void> {
    const child = this.#child;
    if (child.pid !== undefined) noteAlive(this.#group, child.pid);
    child.stdout?.on("data", (chunk: Buffer) => this.#lines.take(chunk));
    child.stderr?.on("data", (chunk: Buffer) => this.#stderr.take(chunk));
    // Only the code is used, because the message contains the program's path, which may contain a variable's value.
    child.on("error", ({ code = "for no reason given" }: NodeJS.ErrnoException) =>
      this.#end(`could not be started (${code})`),
    );
    child.once("exit", (code, signal) => {
      this.#how = signal === null ? `ended with exit code ${code ?? 0}` : `was killed by ${signal}`;
      this.#endAfterDrain();
    });
    // Without stdout the server cannot answer. A short wait follows, because an exit code says more.
    child.stdout?.once("end", () => this.#endAfterDrain());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child;
    if (this.#over !== undefined || stdin === null) throw new Error("the server is gone");
    this.#note(message);
    const text = `${JSON.stringify(message)}\n`;
    const queued = stdin.writableLength + Buffer.byteLength(text);
    const { queuedBytes } = this.#limits;
    if (queued > queuedBytes) {
      this.#end(`does not read what it is sent: ${queued} bytes are waiting, over the limit of ${queuedBytes}`);
      throw new Error("the server does not read");
    }
    stdin.write(text);
  }

  /** Ends the process and its descendants. Resolves when they have ended or cannot be ended. */
  async close(why = ENDED): Promise<void> {
    this.#end(why);
    await this.#gone;
  }

  /** Sets whether the server keeps this process alive. */
  hold(isHeld: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const one of [this.#child, stdin, stdout, stderr] as (Pick<Socket, "ref" | "unref"> | null)[]) {
      if (isHeld) one?.ref();
      else one?.unref();
    }
  }

  #read(line: Buffer): void {
    const message = parse(line);
    if (message !== undefined && this.#isAnswer(message)) this.#chatterBytes = 0;
    else {
      this.#chatterBytes += Math.max(line.length, LEAST_COST_OF_A_LINE);
      const { chatterBytes } = this.#limits;
      if (this.#chatterBytes > chatterBytes) this.#overflow("unrequested messages", chatterBytes, this.#chatterBytes);
    }
    // Lines that are not messages are ignored, because some servers print other text to stdout.
    if (message !== undefined && this.#over === undefined) this.onmessage?.(message as unknown as JSONRPCMessage);
  }

  #note(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#open.add(message.id);
    else if (message.method === "notifications/cancelled") {
      const requestId = message.params?.["requestId"] as string | number;
      this.#open.delete(requestId);
    }
  }

  #isAnswer({ id, method }: JsonObject): boolean {
    return method === undefined && (typeof id === "number" || typeof id === "string") && this.#open.delete(id);
  }

  #overflow(what: string, limit: number, value: number): void {
    const message = `wrote ${what} of ${value} bytes or more, over the limit of ${limit}`;
    this.#finish({ kind: "output-too-large", message, limit, value }, 0);
  }

  /** Reads the rest of the pipe, then ends. A grandchild may keep the pipe open, so its end is not awaited. */
  #endAfterDrain(): void {
    if (this.#drain !== undefined) return;
    const end = (): void => this.#end(`${this.#how}${this.lastLine}`);
    this.#drain = setTimeout(() => setImmediate(end), this.#limits.drainMs);
    this.#child.once("close", end);
  }

  #end(message: string): void {
    this.#finish({ kind: "unavailable", message }, this.#limits.killGraceMs);
  }

  #finish(why: Failure, graceMs: number): void {
    if (this.#over !== undefined) return;
    this.#over = why;
    clearTimeout(this.#drain);
    this.#lines.close();
    const { stdin, stdout, stderr } = this.#child;
    stdin?.end();
    this.#gone = this.#group.end(graceMs).then(() => {
      for (const stream of [stdin, stdout, stderr]) stream?.destroy();
      noteAlive(this.#group, undefined);
    });
    this.onclose?.();
  }
}

function parse(line: Buffer): JsonObject | undefined {
  if (line[0] !== 0x7b) return undefined;
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
