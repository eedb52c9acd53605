import type { Compat } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type { Reply } from "../outcome.ts";
import type { EventContract } from "./contract.ts";
import { denialWord } from "./lookup.ts";

/** The answer of a judging model, and the effect of a "no" at each event. */

export interface Judgement {
  readonly ok: boolean;
  readonly reason?: string;
  /** Whether the model says that the task is impossible, so that going on would not help. */
  readonly impossible?: boolean;
}

export interface JudgeOptions {
  /** Whether the agent may go on with something else after a "no". */
  readonly continueOnBlock: boolean;
  readonly compat: Compat;
}

export interface JudgeReply {
  readonly reply: Reply;
  /** Parts of the "no" that have no effect at the event. */
  readonly ignored: readonly string[];
}

interface Refusal {
  /** `none`: the "no" refuses nothing and only ends the turn. */
  readonly decision?: "none";
  /** Whether the "no" also ends the agent's turn. Default: the turn does not end. */
  readonly ends?: "always" | "unless-continued";
  /** Whether a "no" is ignored if the task is impossible. */
  readonly heedsImpossible?: true;
  /** Rules for which the "no" has no effect, as the agent's page says: those with `compat: "faithful"`, or all. */
  readonly inert?: "faithful" | "always";
}

const CALL: Refusal = { ends: "unless-continued" };
const TURN: Refusal = { ends: "always" };
const GO_ON: Refusal = { heedsImpossible: true };

/** Events at which a "no" has a special meaning. Elsewhere a "no" denies, or becomes a message to the user. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  PreToolUse: CALL,
  PostToolUse: CALL,
  Stop: GO_ON,
  SubagentStop: GO_ON,
  PostToolBatch: TURN,
  UserPromptSubmit: TURN,
  UserPromptExpansion: TURN,
  PostToolUseFailure: {},
  TaskCreated: {},
  TaskCompleted: {},
  TeammateIdle: { decision: "none", ends: "unless-continued" },
  PermissionRequest: { inert: "faithful" },
  PermissionDenied: { inert: "always" },
};

const NO_REASON = "the model that judges this said no";

/** Returns the reply for a judgement. A "yes" permits nothing, because it is no opinion. */
export function judgeReply(
  { ok, reason: said, impossible }: Judgement,
  contract: EventContract,
  eventName: string,
  { continueOnBlock, compat }: JudgeOptions,
): JudgeReply {
  if (ok) return { reply: {}, ignored: [] };
  const reason = said === undefined || said.trim() === "" ? NO_REASON : said;
  const { decision, ends, heedsImpossible, inert } = Object.hasOwn(REFUSALS, eventName) ? REFUSALS[eventName]! : {};
  if (inert === "always" || inert === compat) {
    return { reply: {}, ignored: [`the model's no: it has no effect at ${eventName}`] };
  }
  if (heedsImpossible === true && impossible === true) return { reply: { systemMessage: reason }, ignored: [] };

  const ignored: string[] = [];
  const stops = ends === "always" || (ends === "unless-continued" && !continueOnBlock);
  const canStop = contract.verdicts.includes("continue:false");
  if (stops && !canStop) ignored.push(`continue: false: ${eventName} does not honour it`);
  const stop: Reply = stops && canStop ? { continue: false, stopReason: reason } : {};
  if (decision === "none" && stops && canStop) return { reply: stop, ignored };
  const word = denialWord(contract);
  if (word !== undefined) return { reply: { decision: word, reason, ...stop }, ignored };
  if (stop.continue === false) return { reply: stop, ignored };
  // The event cannot be blocked, so the user at least sees the model's reason.
  return { reply: { systemMessage: reason }, ignored: [...ignored, `the model's no: ${eventName} cannot be blocked`] };
}

type ReadJudgement =
  | { readonly ok: true; readonly judgement: Judgement }
  | { readonly ok: false; readonly message: string };

const FIELDS: readonly string[] = ["ok", "reason", "impossible"];

/** Reads a judgement. Only a well-formed "yes" is a yes. A "no" counts even if other fields are wrong. */
export function readJudgement(json: JsonObject): ReadJudgement {
  const ok = ownValue(json, "ok");
  const reason = ownValue(json, "reason");
  const impossible = ownValue(json, "impossible");
  if (ok === false) {
    return {
      ok: true,
      judgement: {
        ok,
        ...(typeof reason === "string" ? { reason } : {}),
        ...(impossible === true ? { impossible } : {}),
      },
    };
  }
  const stranger = Object.keys(json).find((key) => !FIELDS.includes(key));
  const problem =
    ok === undefined
      ? 'it has no "ok"'
      : ok !== true
        ? `"ok" must be true or false, not ${JSON.stringify(ok).slice(0, 80)}`
        : stranger !== undefined
          ? `${JSON.stringify(stranger.slice(0, 80))} is not a field of a judgement`
          : reason !== undefined && typeof reason !== "string"
            ? '"reason" must be a string'
            : impossible !== undefined && impossible !== false
              ? '"impossible" must be false if "ok" is true'
              : undefined;
  return problem === undefined ? { ok: true, judgement: { ok: true } } : { ok: false, message: problem };
}

function ownValue(json: JsonObject, key: string): JsonObject[string] | undefined {
  return Object.hasOwn(json, key) ? json[key] : undefined;
}
