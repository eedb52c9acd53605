import { formatProblem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import type { RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import type { Executor } from "../executor.ts";

/** Runs rules that could not be loaded: each run fails with the rule's problem and is never skipped. */
export class BrokenExecutor implements Executor {
  readonly type = "broken";

  async run(rule: Rule, _event: HookEvent): Promise<RunResult> {
    if (rule.handler.type !== "broken") throw new TypeError(`rule ${rule.id} is not broken`);
    // The place is removed, because the verdict already names the place.
    const { place: _, ...problem } = rule.handler.problem;
    return {
      ok: false,
      failure: { kind: "unavailable", code: problem.code, message: `could not be loaded: ${formatProblem(problem)}` },
      receipt: { micros: 0 },
    };
  }

  async close(): Promise<void> {}
}
