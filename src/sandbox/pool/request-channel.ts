import { MessageChannel, type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { AskEngine, HttpAsk, HttpReply } from "../guest/capabilities/capability.ts";

/**
 * The guest's end of the line over which it sends requests to the engine. A host function cannot wait for a promise, so
 * the whole thread waits, and the main thread wakes it. A thread opens one line, when a guest first needs it.
 */

/** Message from thread to engine, sent once. */
export interface LineOpened {
  readonly kind: typeof LINE_OPENED;
  readonly port: MessagePort;
  /** Counter of replies. */
  readonly replies: Int32Array;
}

export const LINE_OPENED = "hookbox:line-opened";

/** Message from thread to engine. */
export interface SentAsk {
  readonly call: number;
  readonly ask: HttpAsk;
}

/** Message from engine to thread. */
export interface SentReply {
  readonly call: number;
  readonly reply: HttpReply;
}

let line: Pick<LineOpened, "port" | "replies"> | undefined;

/** Returns a function that sends requests of one call. Drops replies to other calls. */
export function requestChannel(call: number): AskEngine {
  return (ask) => {
    line ??= openLine();
    const { port, replies } = line;
    port.postMessage({ call, ask } satisfies SentAsk);
    for (;;) {
      // The counter is read before the port is checked. If a reply arrives in between, `wait` returns immediately.
      const seen = Atomics.load(replies, 0);
      const received = receiveMessageOnPort(port) as { readonly message: SentReply } | undefined;
      if (received === undefined) Atomics.wait(replies, 0, seen);
      else if (received.message.call === call) return received.message.reply;
    }
  };
}

function openLine(): Pick<LineOpened, "port" | "replies"> {
  const { port1, port2 } = new MessageChannel();
  const replies = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const opened: LineOpened = { kind: LINE_OPENED, port: port2, replies };
  parentPort?.postMessage(opened, [port2]);
  port1.unref();
  return { port: port1, replies };
}
