import type { HttpAsk, HttpReply } from "../../guest/capabilities/capability.ts";
import type { GuestAnswer } from "../../guest/protocol.ts";
import type { ServeAsk } from "../guest-pool.ts";
import type { FromProcess } from "./child-messages.ts";
import { ProtocolBreach } from "./frames.ts";

type Said = Extract<FromProcess, { readonly kind: "ask" | "answer" }>;

const TIME_ORIGIN = performance.timeOrigin;

/** A call that a process is making. A message about another call, or out of order, breaks the protocol. */
export class ProcessCall {
  readonly id: number;
  /** Rejects with the error that was passed to {@link lose}. */
  readonly answer: Promise<GuestAnswer>;
  readonly #serve: ServeAsk | undefined;
  readonly #startedAtMs = TIME_ORIGIN + performance.now();
  #resolve!: (answer: GuestAnswer) => void;
  #reject!: (error: Error) => void;
  #hasAsked = false;
  #isAsking = false;

  constructor(id: number, serve: ServeAsk | undefined) {
    this.id = id;
    this.#serve = serve;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether the guest has sent a request, which must not be repeated. */
  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  /** Whether the guest waits for the engine to answer a request. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /**
   * Handles a message of the process. Returns whether the call is over. A request is carried out asynchronously, and
   * its result is passed to `reply`.
   */
  receive(said: Said, reply: (reply: HttpReply) => void): boolean {
    if (said.id !== this.id || this.#isAsking) throw unexpectedMessage(said);
    if (said.kind === "answer") {
      this.#resolve(this.#timed(said.answer));
      return true;
    }
    if (this.#serve === undefined) throw new ProtocolBreach("sent a request that its rule does not grant");
    void this.#ask(this.#serve, said.ask, reply);
    return false;
  }

  lose(error: Error): void {
    this.#reject(error);
  }

  /** Clamps the time that the process reports to the time of the call, because the process's clock is not trusted. */
  #timed(answer: GuestAnswer): GuestAnswer {
    if (answer.kind === "needs-setup") throw new ProtocolBreach("lost a setup that it had received");
    const { doneAtMs } = answer.usage;
    const now = TIME_ORIGIN + performance.now();
    const usage = { ...answer.usage, doneAtMs: Math.max(this.#startedAtMs, Math.min(doneAtMs, now)) };
    return { ...answer, usage };
  }

  async #ask(serve: ServeAsk, ask: HttpAsk, reply: (reply: HttpReply) => void): Promise<void> {
    this.#hasAsked = true;
    this.#isAsking = true;
    const served = await serve(ask);
    this.#isAsking = false;
    reply(asGuestFailure(served));
  }
}

export function unexpectedMessage({ kind }: Said): ProtocolBreach {
  return new ProtocolBreach(`sent an ${kind} out of order`);
}

/** Replaces `cancelled`, which a process may not report. The answer of a cancelled call is not used. */
function asGuestFailure(reply: HttpReply): HttpReply {
  if (reply.kind !== "refused" || reply.failure.kind !== "cancelled") return reply;
  return { kind: "refused", failure: { ...reply.failure, kind: "unavailable" } };
}
