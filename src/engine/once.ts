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
 * Rules that run until a run uses up their `once`. A run is claimed before it starts, so that events at the same moment
 * run the rule once; the others wait for its end, as their gate must not open on a run that may still fail. A run that
 * fails or refuses gives its claim back: to run too often is the safe side.
 */

/** The right to run a rule, until it is known how the run ended. */
export interface Claim {
  /** May be told again, when the rule has looked at the same event once more and thinks otherwise. */
  end(isSpent: boolean): Promise<void>;
}

type Turn =
  | { readonly kind: "run"; readonly claim: Claim }
  | { readonly kind: "spent" }
  | { readonly kind: "failed"; readonly failure: Failure };

type Attempt = Exclude<Turn, { kind: "failed" }> | Busy;

interface Busy {
  readonly kind: "busy";
  readonly ended: Promise<unknown>;
}

interface Key {
  readonly text: string;
  /** The session that another process would take the same event for; `undefined` for none. */
  readonly session: string | undefined;
}

interface WaitTerms {
  readonly patience: Patience;
  readonly signal: AbortSignal | undefined;
}

/** Sessions are many; a rule that is forgotten about runs once more. */
const MAX_REMEMBERED = 4_096;
/** Between two looks at what another process does. */
const POLL_MS = 25;

const SPENT = { kind: "spent" } as const;

export class Once {
  readonly #openStore: (() => Promise<OnceStore>) | undefined;
  #store: Promise<OnceStore> | undefined;
  readonly #states = new Map<string, Busy | typeof SPENT>();

  /** `stateFolder`: where other processes see which rules have run. */
  constructor(stateFolder: string | (() => string) | undefined) {
    if (stateFolder === undefined) return;
    this.#openStore = async () => new (await import("./once-store.ts")).OnceStore(stateFolder);
  }

  /** Waits while the rule is running elsewhere, at the longest to the end of patience or until the caller gives up. */
  async waitForTurn(rule: Rule, event: HookEvent, terms: WaitTerms): Promise<Turn> {
    const key = keyOf(rule, event);
    for (;;) {
      const attempt = this.#states.get(key.text) ?? (await this.#claim(key, rule));
      if (attempt.kind !== "busy") return attempt;
      const failure = await waitFor(attempt.ended, terms);
      if (failure !== undefined) return { kind: "failed", failure };
    }
  }

  /** Waits for nobody: `undefined` when the rule has run, or is running elsewhere. */
  tryClaim(rule: Rule, event: HookEvent): Promise<Claim | undefined> | undefined {
    const key = keyOf(rule, event);
    if (this.#states.has(key.text)) return undefined;
    return this.#claim(key, rule).then((attempt) => (attempt.kind === "run" ? attempt.claim : undefined));
  }

  /** The state is set before anything is awaited: that makes the claim exclusive in this process. */
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
 * Whether a run uses up `once`. A failure does not, and neither does a refusal: the refused action is tried again, and
 * the rule would be gone. Where a block makes the agent go on working, a rule that blocks each time would never let the
 * agent stop, so a block counts. With `compat: "faithful"` each run counts, as the agents' pages say.
 */
export function usesUp(result: RunResult, rule: Rule, event: HookEvent): boolean {
  if (rule.compat === "faithful" && rule.dialect !== "hookbox") return result.ok || result.failure.kind !== "cancelled";
  if (!result.ok) return false;
  const { decision, continue: goesOn } = result.reply;
  return contractOfEvent(event).blockMeansGoOn || (decision !== "deny" && decision !== "block" && goesOn !== false);
}

/** Everything that was configured is part of the key: a rule that has been changed has not run yet. */
function keyOf(rule: Rule, event: HookEvent): Key {
  const session = event.payload["session_id"];
  const scope = rule.once === "forever" ? ["forever"] : ["session", typeof session === "string" ? session : null];
  // Two functions look the same from outside. Their places in what was registered tell them apart.
  const configured = [rule.identity ?? null, rule.event, rule.matcher, rule.condition, rule.filter, rule.handler];
  // A name that is a place in the file changes with what stands before it.
  const name = rule.unnamed === true && rule.identity !== undefined ? null : rule.name;
  const place = [rule.layer, rule.baseDir, rule.handler.type === "function" ? rule.id : name];
  return {
    text: sha256(JSON.stringify([scope, configured, place])),
    session: typeof session === "string" ? session : undefined,
  };
}

async function waitFor(ended: Promise<unknown>, { patience, signal }: WaitTerms): Promise<Failure | undefined> {
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
