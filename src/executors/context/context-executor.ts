import type { HookEvent } from "../../event.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import type { RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import type { Executor } from "../executor.ts";

const USER_MESSAGE = "{userMessage}";

/** Adds the rule's text and decides nothing. */
export class ContextExecutor implements Executor {
  readonly type = "context";

  async run(rule: Rule, event: HookEvent): Promise<RunResult> {
    const { handler } = rule;
    if (handler.type !== "context") throw new TypeError(`rule ${rule.id} is not a context rule`);
    const receipt = { micros: 0 };
    if (contractOfEvent(event).context === null) {
      return { ok: true, reply: {}, receipt, ignored: [`additionalContext: ${event.name} does not honour it`] };
    }
    const prompt = event.payload["prompt"];
    const message = typeof prompt === "string" ? prompt : "";
    // The replacement is a function, because the prompt may contain `$&`, which a replacement text would expand.
    const text = handler.fillsUserMessage ? handler.text.replaceAll(USER_MESSAGE, () => message) : handler.text;
    return { ok: true, reply: { additionalContext: [text] }, receipt };
  }

  async close(): Promise<void> {}
}
