import { describeThrown } from "../errors.ts";
import { POLICY_SOURCES } from "../events/approval-chain.ts";
import type { PolicyAnswer, UserAnswer, UserDecision } from "./tool-call-host.ts";

/** The result of a callback to the host program. A callback that fails or returns an invalid value permits nothing. */
type HostAnswer<Value> =
  | { readonly kind: "answer"; readonly value: Value }
  | { readonly kind: "cancelled" }
  | { readonly kind: "broken"; readonly message: string };

const CANCELLED = { kind: "cancelled" } as const;

/** Calls the host back, and stops waiting if the call is cancelled. */
export async function askHost<Value>(
  what: string,
  signal: AbortSignal,
  ask: () => Value | Promise<Value>,
): Promise<HostAnswer<Value>> {
  if (signal.aborted) return CANCELLED;
  let stopWaiting: (() => void) | undefined;
  const cancelled = new Promise<typeof CANCELLED>((resolve) => {
    stopWaiting = () => resolve(CANCELLED);
    signal.addEventListener("abort", stopWaiting, { once: true });
  });
  const answered = (async (): Promise<HostAnswer<Value>> => {
    try {
      return { kind: "answer", value: await ask() };
    } catch (error) {
      return { kind: "broken", message: `${what} failed: ${describeThrown(error)}` };
    }
  })();
  const answer = await Promise.race([answered, cancelled]);
  if (stopWaiting !== undefined) signal.removeEventListener("abort", stopWaiting);
  return signal.aborted ? CANCELLED : answer;
}

const DECISIONS: readonly unknown[] = ["allow", "ask", "deny"];
const SOURCES: readonly unknown[] = POLICY_SOURCES;

/**
 * Checks the answer of `policy`, because a caller in plain JavaScript may return anything. Reads each field once,
 * because the answer may change later. Returns `undefined` for an invalid answer, which permits nothing.
 */
export function readPolicyAnswer(answer: unknown): PolicyAnswer | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { decision, source, label, reason } = answer as PolicyAnswer;
  if (!DECISIONS.includes(decision) || !SOURCES.includes(source)) return undefined;
  return Object.freeze({
    decision,
    source,
    ...(typeof label === "string" ? { label } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
  });
}

const USER_DECISIONS: readonly unknown[] = ["allow", "allow-always", "deny"] satisfies UserDecision[];

export function readUserAnswer(
  answer: UserAnswer,
): { readonly decision: UserDecision; readonly reason: string | null } | undefined {
  const { decision, reason } = typeof answer === "object" && answer !== null ? answer : { decision: answer };
  if (!USER_DECISIONS.includes(decision)) return undefined;
  return { decision, reason: typeof reason === "string" && reason !== "" ? reason : null };
}
