import type { HttpReply } from "../guest/capabilities/capability.ts";
import { LINE_OPENED, type LineOpened, type SentAsk, type SentReply } from "./ask-line.ts";
import type { ServeAsk } from "./guest-pool.ts";

interface OpenCall {
  readonly serve: ServeAsk;
  /** Set while the guest's thread waits. */
  answer: ((reply: HttpReply) => void) | undefined;
}

/** Ends the guest: it is thrown into it like any refusal. */
const STOPPED: HttpReply = {
  kind: "refused",
  failure: { kind: "cancelled", message: "the call was stopped while the guard waited for an answer" },
};

/** The engine's end of the lines over which guests ask for something. */
export class AskDesk {
  readonly #calls = new Map<number, OpenCall>();
  #made = 0;

  /** A number for a call whose guest may ask; `leave` when it is over. */
  enter(serve: ServeAsk): number {
    this.#made += 1;
    this.#calls.set(this.#made, { serve, answer: undefined });
    return this.#made;
  }

  leave(call: number): void {
    this.#calls.delete(call);
  }

  /** What a thread says outside of its calls. A line that is not needed keeps no process from ending, and ends with its thread. */
  hear(message: unknown): void {
    const opened = message as Partial<LineOpened> | null;
    if (opened?.kind !== LINE_OPENED) return;
    const { port, replies } = opened as LineOpened;
    port.on("message", ({ call, ask }: SentAsk) => {
      const open = this.#calls.get(call);
      // Its thread is being ended.
      if (open === undefined) return;
      const answer = (reply: HttpReply): void => {
        // What comes after the deadline has nobody to go to.
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

  /** Lets go of a guest that waits, so that its thread need not be ended with it. `false` where it does not wait. */
  stop(call: number): boolean {
    const answer = this.#calls.get(call)?.answer;
    answer?.(STOPPED);
    return answer !== undefined;
  }
}
