import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../cache/cache-folder.ts";
import type { HookEvent } from "../event.ts";
import { contractOfEvent } from "../events/lookup.ts";
import { CANCELLED } from "../executors/bounded-run.ts";
import { outOfPatience, type Patience } from "../executors/run-clock.ts";
import type { Failure, RunResult } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import type { OnceStore } from "./once-store.ts";

/**
 * Rules that run until one run uses up their `once`. A run is claimed before it starts, so that concurrent events run
 * the rule once. Other events wait for the run to end, because their gate must not open on a run that may still fail. A
 * run that fails or refuses releases its claim, because running too often is the safe side.
 */

/** The exclusive right to run a rule until the run has ended. */
export interface Claim {
  /** Ends the claim. May be called again with another result, if the rule judged the same event in a second look. */
  end(isSpent: boolean): Promise<void>;
}

type ClaimResult =
  | { readonly kind: "run"; readonly claim: Claim }
  | { readonly kind: "spent" }
  | { readonly kind: "failed"; readonly failure: Failure };

type Attempt = Exclude<ClaimResult, { kind: "failed" }> | Busy;

interface Busy {
  readonly kind: "busy";
  readonly ended: Promise<unknown>;
}

interface Key {
  readonly text: string;
  /** The session, as another process would read it from the same event. `undefined` if the event names no session. */
  readonly session: string | undefined;
}

interface WaitLimits {
  readonly patience: Patience;
  readonly signal: AbortSignal | undefined;
}

/** The maximum number of remembered runs, because sessions are many. A rule with a forgotten run runs again. */
const MAX_REMEMBERED = 4_096;
/** Time between two checks whether another process has ended its run, in milliseconds. */
const POLL_MS = 25;

const SPENT = { kind: "spent" } as const;

export class Once {
  readonly #openStore: (() => Promise<OnceStore>) | undefined;
  #store: Promise<OnceStore> | undefined;
  readonly #states = new Map<string, Busy | typeof SPENT>();

  /** `stateFolder` is where other processes can see which rules have run. */
  constructor(stateFolder: string | (() => string) | undefined) {
    if (stateFolder === undefined) return;
    this.#openStore = async () => new (await import("./once-store.ts")).OnceStore(stateFolder);
  }

  /** Waits while the rule runs for another event. Stops waiting at the end of patience or when the caller cancels. */
  async waitForClaim(rule: Rule, event: HookEvent, limits: WaitLimits): Promise<ClaimResult> {
    const key = keyOf(rule, event);
    for (;;) {
      const attempt = this.#states.get(key.text) ?? (await this.#claim(key, rule));
      if (attempt.kind !== "busy") return attempt;
      const failure = await waitFor(attempt.ended, limits);
      if (failure !== undefined) return { kind: "failed", failure };
    }
  }

  /** Claims a run without waiting. Returns `undefined` if the rule has run, or is running for another event. */
  tryClaim(rule: Rule, event: HookEvent): Promise<Claim | undefined> | undefined {
    const key = keyOf(rule, event);
    if (this.#states.has(key.text)) return undefined;
    return this.#claim(key, rule).then((attempt) => (attempt.kind === "run" ? attempt.claim : undefined));
  }

  /** Claims a run. Sets the state before the first await, so that the claim is exclusive within this process. */
  async #claim(key: Key, rule: Rule): Promise<Attempt> {
    let resolve: () => void = () => {};
    const ended = new Promise<void>((done) => {
      resolve = done;
    });
    this.#forgetOldest();
    this.#states.set(key.text, { kind: "busy", ended });
    const release = (isSpent: boolean): void => {
      if (isSpent) this.#states.set(key.text, SPENT);
      else this.#states.delete(key.text);
      resolve();
    };

    const shared = await this.#claimShared(key, rule);
    if (shared === "done") {
      release(true);
      return SPENT;
    }
    if (shared === "busy") {
      release(false);
      return { kind: "busy", ended: sleep(POLL_MS) };
    }
    const end = async (isSpent: boolean): Promise<void> => {
      await shared?.end(isSpent);
      release(isSpent);
    };
    return { kind: "run", claim: { end } };
  }

  async #claimShared({ text, session }: Key, { once, layer }: Rule): Promise<Awaited<ReturnType<OnceStore["claim"]>>> {
    if (this.#openStore === undefined || (session === undefined && once !== "forever")) return undefined;
    this.#store ??= this.#openStore();
    return (await this.#store).claim(once === "forever" ? "forever" : "session", {
      layer,
      session: once === "forever" ? text : sha256(`session ${session}`),
      rule: text,
    });
  }

  #forgetOldest(): void {
    if (this.#states.size < MAX_REMEMBERED) return;
    for (const [key, state] of this.#states) {
      if (state.kind !== "spent") continue;
      this.#states.delete(key);
      return;
    }
  }
}

/**
 * Whether a run uses up `once`. A failure does not. A refusal does not either, because the agent may retry the refused
 * action and the rule must then run again. A block that makes the agent go on working does count, because otherwise the
 * rule could keep the agent working forever. With `compat: "faithful"` every run counts, as the agents' documentation
 * says.
 */
export function usesUp(result: RunResult, rule: Rule, event: HookEvent): boolean {
  if (rule.compat === "faithful" && rule.dialect !== "hookbox") return result.ok || result.failure.kind !== "cancelled";
  if (!result.ok) return false;
  const { decision, continue: goesOn } = result.reply;
  return contractOfEvent(event).blockMeansGoOn || (decision !== "deny" && decision !== "block" && goesOn !== false);
}

/** Returns a key with everything that was configured, so that a changed rule counts as not yet run. */
function keyOf(rule: Rule, event: HookEvent): Key {
  const session = event.payload["session_id"];
  const scope = rule.once === "forever" ? ["forever"] : ["session", typeof session === "string" ? session : null];
  // Two functions may have the same text, so the key contains the rule's id, which is its place among the registered
  // rules.
  const configured = [rule.identity ?? null, rule.event, rule.matcher, rule.condition, rule.filter, rule.handler];
  // A generated name is left out, because this name is a position in the file and changes with earlier entries.
  const name = rule.unnamed === true && rule.identity !== undefined ? null : rule.name;
  const place = [rule.layer, rule.baseDir, rule.handler.type === "function" ? rule.id : name];
  return {
    text: sha256(JSON.stringify([scope, configured, place])),
    session: typeof session === "string" ? session : undefined,
  };
}

async function waitFor(ended: Promise<unknown>, { patience, signal }: WaitLimits): Promise<Failure | undefined> {
  const begunAt = performance.now();
  const leftMs = patience.answerMs - (begunAt - patience.startedAt);
  return new Promise((resolve) => {
    const settle = (failure?: Failure): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onCancel);
      resolve(failure);
    };
    const onCancel = (): void => settle(CANCELLED);
    const onEnd = (): void => {
      const failure = outOfPatience(patience, "queue", performance.now() - begunAt);
      settle({
        ...failure,
        message: `the rule runs once, and a run for another event did not end: ${failure.message}`,
      });
    };
    const timer = setTimeout(onEnd, Math.max(0, Math.ceil(leftMs)));
    if (signal?.aborted === true) onCancel();
    else signal?.addEventListener("abort", onCancel, { once: true });
    void ended.then(() => settle());
  });
}
