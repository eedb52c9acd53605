import type { HttpReply } from "../guest/capabilities/capability.ts";
import type { ServeAsk } from "./guest-pool.ts";
import { LINE_OPENED, type LineOpened, type SentAsk, type SentReply } from "./request-channel.ts";

interface OpenCall {
  readonly serve: ServeAsk;
  /** Passes an answer on. Set while the guest's thread waits. */
  answer: ((reply: HttpReply) => void) | undefined;
}

/** The reply that ends the guest, because the host function throws this reply like any refusal. */
const STOPPED: HttpReply = {
  kind: "refused",
  failure: { kind: "cancelled", message: "the call was stopped while the guard waited for an answer" },
};

/** The engine's end of the lines over which guests send requests. */
export class RequestServer {
  readonly #calls = new Map<number, OpenCall>();
  #made = 0;

  /** Returns a number for a call whose guest may send requests. The caller must call `leave` after the call. */
  enter(serve: ServeAsk): number {
    this.#made += 1;
    this.#calls.set(this.#made, { serve, answer: undefined });
    return this.#made;
  }

  leave(call: number): void {
    this.#calls.delete(call);
  }

  /**
   * Handles a message that a thread sends outside of its calls. The port is unreferenced, so that an idle line does not
   * keep this process alive. The port closes when its thread ends.
   */
  receive(message: unknown): void {
    const opened = message as Partial<LineOpened> | null;
    if (opened?.kind !== LINE_OPENED) return;
    const { port, replies } = opened as LineOpened;
    port.on("message", ({ call, ask }: SentAsk) => {
      const open = this.#calls.get(call);
      // The call is over, and its thread is being terminated.
      if (open === undefined) return;
      const answer = (reply: HttpReply): void => {
        // An answer after the timeout is dropped, because the guest no longer waits for it.
        if (open.answer !== answer) return;
        open.answer = undefined;
        port.postMessage({ call, reply } satisfies SentReply);
        Atomics.add(replies, 0, 1);
        Atomics.notify(replies, 0);
      };
      open.answer = answer;
      open.serve(ask).then(answer, (error: Error) => answer({ kind: "failed", message: error.message }));
    });
    port.unref();
  }

  /**
   * Ends a guest that waits for a reply, so that its thread can be kept. Returns `false` if the guest does not wait.
   */
  stop(call: number): boolean {
    const answer = this.#calls.get(call)?.answer;
    answer?.(STOPPED);
    return answer !== undefined;
  }
}
