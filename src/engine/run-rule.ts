import { limitReply } from "../aggregate/limit-reply.ts";
import { refuseReservedKeys } from "../aggregate/patch-input.ts";
import type { HookEvent } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { CANCELLED, runBounded } from "../executors/bounded-run.ts";
import type { ExecutorRegistry } from "../executors/registry.ts";
import type { Patience } from "../executors/run-clock.ts";
import type { Failure, HookOutcome, RunResult } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { type ActivityListener, notifyAround } from "./activity.ts";
import { type Background, settled, undecided } from "./background.ts";
import { patienceSpent } from "./event-deadline.ts";
import { type Claim, type Once, usesUp } from "./once.ts";

/** Conditions under which one rule runs. */
export interface RuleRunOptions {
  readonly contract: EventContract;
  readonly signal: AbortSignal | undefined;
  readonly patience: Patience;
  /** Whether no other rule has run for this event. */
  readonly isFirst: boolean;
  /** Whether to wait for async rules. */
  readonly foreground: boolean;
  /** Claims of `once` rules that have run for this event. In a second look these rules run again. */
  readonly claimed: Map<Rule, Claim>;
}

type Bounds = readonly [signal: AbortSignal | undefined, patience?: Patience];

/** Runs one rule for one event. Never throws because of a hook's behaviour. */
export class RuleRunner {
  readonly #executors: ExecutorRegistry;
  readonly #background: Background;
  readonly #once: Once;
  readonly #listener: ActivityListener | undefined;
  readonly #stateFolder: string | (() => string) | undefined;

  constructor(
    executors: ExecutorRegistry,
    background: Background,
    once: Once,
    listener?: ActivityListener | undefined,
    stateFolder?: string | (() => string) | undefined,
  ) {
    this.#stateFolder = stateFolder;
    this.#executors = executors;
    this.#background = background;
    this.#once = once;
    this.#listener = listener;
  }

  async run(rule: Rule, event: HookEvent, runOptions: RuleRunOptions): Promise<HookOutcome> {
    if (runOptions.signal?.aborted === true) return failed(CANCELLED);
    if (rule.async) {
      return runOptions.foreground ? this.#runAsyncHere(rule, event, runOptions) : this.#runInBackground(rule, event);
    }
    const spent = patienceSpent(runOptions.patience, runOptions.isFirst);
    if (spent !== undefined) return failed(spent);

    let claim = runOptions.claimed.get(rule);
    if (rule.once !== undefined && claim === undefined) {
      const claimed = await this.#once.waitForClaim(rule, event, runOptions);
      if (claimed.kind === "spent") return undecided("the rule runs once, and has run");
      if (claimed.kind === "failed") return failed(claimed.failure);
      claim = claimed.claim;
      runOptions.claimed.set(rule, claim);
    }
    const result = await this.#bounded(rule, event, runOptions);
    if (result.ok && result.detached !== undefined) {
      const detached = settled(result.detached);
      this.#background.keep(rule, event, detached);
      if (claim !== undefined) void detached.then((end) => claim.end(usesUp(end, rule, event)));
      return undecided("the hook has detached itself and is not waited for");
    }
    const outcome = outcomeOf(rule, result, runOptions.contract);
    const ended = outcome.status === "failed" ? ({ ok: false, ...outcome } as const) : result;
    await claim?.end(usesUp(ended, rule, event));
    // Loaded late, because most rules have no exceptions.
    if (rule.exceptions === undefined) return outcome;
    return (await import("./exceptions.ts")).underExceptions(rule, event, outcome, this.#stateFolder);
  }

  /** Runs a rule in the background. The rule decides nothing, but its timeout applies. */
  #runInBackground(rule: Rule, event: HookEvent): HookOutcome {
    const run = (): Promise<RunResult> => this.#execute(rule, event, undefined);
    if (rule.once === undefined) return this.#background.start(rule, event, run);
    const claiming = this.#once.tryClaim(rule, event);
    if (claiming === undefined) return undecided("the rule runs once, and has run or is running");
    let isStarted = false;
    const outcome = this.#background.start(rule, event, async () => {
      isStarted = true;
      const claim = await claiming;
      if (claim === undefined) {
        return {
          ok: true,
          reply: {},
          receipt: { micros: 0 },
          ignored: ["everything: the rule runs once, and has run"],
        };
      }
      const result = await settled(run());
      await claim.end(usesUp(result, rule, event));
      return result;
    });
    // The limit was reached, so the claim is released for the next event.
    if (!isStarted) void claiming.then((claim) => claim?.end(false));
    return outcome;
  }

  /** Runs an async rule for a caller that waits for async rules only. */
  async #runAsyncHere(rule: Rule, event: HookEvent, runOptions: RuleRunOptions): Promise<HookOutcome> {
    const claim = rule.once === undefined ? undefined : await this.#once.tryClaim(rule, event);
    if (rule.once !== undefined && claim === undefined) {
      return undecided("the rule runs once, and has run or is running");
    }
    const result = await this.#background.startAndWait(rule, event, () => this.#bounded(rule, event, runOptions));
    await claim?.end("ok" in result && usesUp(result, rule, event));
    return "ok" in result ? outcomeOf(rule, result, runOptions.contract) : result;
  }

  #bounded(rule: Rule, event: HookEvent, { signal, patience }: RuleRunOptions): Promise<RunResult> {
    return this.#execute(rule, event, signal, patience);
  }

  #execute(rule: Rule, event: HookEvent, ...bounds: Bounds): Promise<RunResult> {
    return notifyAround(this.#listener, rule, event.name, () =>
      runBounded(this.#executors.get(rule.handler.type), rule, event, ...bounds),
    );
  }
}

function failed(failure: Failure): HookOutcome {
  return { status: "failed", failure, receipt: { micros: 0 } };
}

function outcomeOf(rule: Rule, result: RunResult, contract: EventContract): HookOutcome {
  if (!result.ok) return { status: "failed", failure: result.failure, receipt: result.receipt };
  return refuseReservedKeys(limitReply(rule, result), contract);
}
