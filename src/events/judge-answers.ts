import type { JsonObject } from "../event.ts";
import type { Reply } from "../outcome.ts";
import type { Compat } from "../rule.ts";
import type { EventContract } from "./contract.ts";
import { denialWord } from "./lookup.ts";

/** What a model that judges says, and what its "no" means at each event. */

export interface Judgement {
  readonly ok: boolean;
  readonly reason?: string;
  /** What is asked of the agent cannot be done, so that to go on would help nothing. */
  readonly impossible?: boolean;
}

export interface JudgeTerms {
  /** Whether a "no" leaves the agent to go on with something else. */
  readonly continueOnBlock: boolean;
  readonly compat: Compat;
}

export interface JudgeReply {
  readonly reply: Reply;
  /** Parts of the "no" that the event does not honour. */
  readonly ignored: readonly string[];
}

interface Refusal {
  /** `none`: it is no refusal of anything, and only ends what goes on. */
  readonly decision?: "none";
  /** Whether it ends the agent's turn as well. Default: it does not. */
  readonly ends?: "always" | "unless-continued";
  /** Whether a "no" to what cannot be done is none. */
  readonly heedsImpossible?: true;
  /** The agent's page says that it has no effect: for whoever is faithful to that, or for everybody. */
  readonly inert?: "faithful" | "always";
}

const CALL: Refusal = { ends: "unless-continued" };
const TURN: Refusal = { ends: "always" };
const GO_ON: Refusal = { heedsImpossible: true };

/** Elsewhere it is the event's own word for "no", or if it has none a message to the user. */
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

/** A "yes" is no opinion: it permits nothing that others would refuse. */
export function judgeReply(
  { ok, reason: said, impossible }: Judgement,
  contract: EventContract,
  eventName: string,
  { continueOnBlock, compat }: JudgeTerms,
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
  // Nothing here can be refused, and a "no" that nobody hears is worse than one that is only told.
  return { reply: { systemMessage: reason }, ignored: [...ignored, `the model's no: ${eventName} cannot be blocked`] };
}

export type ReadJudgement =
  | { readonly ok: true; readonly judgement: Judgement }
  | { readonly ok: false; readonly message: string };

const FIELDS: readonly string[] = ["ok", "reason", "impossible"];

/** Nothing but a flawless "yes" is one. A "no" is a "no" whatever else is said with it. */
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
  const flaw =
    ok === undefined
      ? 'it has no "ok"'
      : ok !== true
        ? `"ok" must be true or false, not ${JSON.stringify(ok).slice(0, 80)}`
        : stranger !== undefined
          ? `${JSON.stringify(stranger.slice(0, 80))} is no part of a judgement`
          : reason !== undefined && typeof reason !== "string"
            ? '"reason" must be a text'
            : impossible !== undefined && impossible !== false
              ? '"impossible" cannot stand beside a yes'
              : undefined;
  return flaw === undefined ? { ok: true, judgement: { ok: true } } : { ok: false, message: flaw };
}

function ownValue(json: JsonObject, key: string): JsonObject[string] | undefined {
  return Object.hasOwn(json, key) ? json[key] : undefined;
}
