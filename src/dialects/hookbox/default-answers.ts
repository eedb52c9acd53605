import type { EventContract } from "../../events/contract.ts";
import { ANSWERS, type Answer, type Handler } from "../../rule.ts";
import { JUDGES_MAY } from "../asking-handlers.ts";
import { furtherAnswersOf } from "../shipped-guards.ts";

/**
 * Returns the default `may`. A guard may have an untrusted author, so by default it can only deny and ask. Where a
 * denial keeps the agent working, a guard may not deny, because it could keep the agent working forever. A model's judge
 * may keep the agent working, because its prompt asks for this. A guard that ships may also do what it is made for.
 */
export function defaultAnswers(handler: Handler, contract: EventContract | undefined): readonly Answer[] {
  if (handler.type === "model" || handler.type === "agent") return JUDGES_MAY;
  if (handler.type !== "wasm") return ANSWERS;
  const further = furtherAnswersOf(handler.module);
  return contract?.blockMeansGoOn === true ? further : ["deny", "ask", ...further];
}
