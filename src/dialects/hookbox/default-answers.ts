import type { EventContract } from "../../events/contract.ts";
import { ANSWERS, type Answer, type HandlerType } from "../../rule.ts";
import { JUDGES_MAY } from "../asking-handlers.ts";

/**
 * Returns the default `may`. A guard may have an untrusted author, so by default it can only deny and ask. Where a
 * denial keeps the agent working, a guard may answer nothing, because it could keep the agent working forever. A
 * model's judge may keep the agent working, because its prompt asks for this.
 */
export function defaultAnswers(type: HandlerType, contract: EventContract | undefined): readonly Answer[] {
  if (type === "model" || type === "agent") return JUDGES_MAY;
  if (type !== "wasm") return ANSWERS;
  return contract?.blockMeansGoOn === true ? [] : ["deny", "ask"];
}
