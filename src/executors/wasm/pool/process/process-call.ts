import type { HttpAsk, HttpReply } from "../../guest/capabilities/capability.ts";
import type { GuestAnswer } from "../../guest/protocol.ts";
import type { ServeAsk } from "../guest-pool.ts";
import type { FromProcess } from "./child-messages.ts";
import { ProtocolBreach } from "./frames.ts";

type Said = Extract<FromProcess, { readonly kind: "ask" | "answer" }>;

const TIME_ORIGIN = performance.timeOrigin;

/** A call that a process is making. What the process says of it counts in its turn, and breaks the protocol elsewhere. */
export class ProcessCall {
  readonly id: number;
  /** Rejects with what {@link lose} was told. */
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

  /** Whether the guest has made a request outside, which must not be made twice. */
  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  /** Whether its guest waits for the engine to have something done. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** Whether that was the last of it. What the guest has asked for is done meanwhile, and `reply` given what came of it. */
  hear(said: Said, reply: (reply: HttpReply) => void): boolean {
    if (said.id !== this.id || this.#isAsking) throw outOfTurn(said);
    if (said.kind === "answer") {
      this.#resolve(this.#timed(said.answer));
      return true;
    }
    if (this.#serve === undefined) throw new ProtocolBreach("asked for what its rule does not grant");
    void this.#ask(this.#serve, said.ask, reply);
    return false;
  }

  lose(error: Error): void {
    this.#reject(error);
  }

  /** Its process's clock is its own, and so is what it says of it. */
  #timed(answer: GuestAnswer): GuestAnswer {
    if (answer.kind === "needs-setup") throw new ProtocolBreach("forgot a setup");
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

export function outOfTurn({ kind }: Said): ProtocolBreach {
  return new ProtocolBreach(`sent an ${kind} out of turn`);
}

/** That a call was cancelled is nothing that its process may say. Nobody waits for the answer of one that was. */
function asGuestFailure(reply: HttpReply): HttpReply {
  if (reply.kind !== "refused" || reply.failure.kind !== "cancelled") return reply;
  return { kind: "refused", failure: { ...reply.failure, kind: "unavailable" } };
}
