import type { z } from "zod";
import type { Codec } from "../codec.ts";
import type { ErrorCode } from "../errors.ts";
import type { EventContract } from "../events/contract.ts";
import type { JsonObject } from "../json.ts";
import type { Rule } from "../rule.ts";
import type { ParseContext } from "./dialect.ts";
import type { IdentityScope } from "./identity.ts";
import type { Misfit } from "./misfits.ts";

/** The agent whose format a hook uses. */
export interface Speaker {
  readonly dialect: string;
  readonly codec: Codec;
}

/** The types of hooks of one format with matcher groups, and how each is read. */
export interface HandlerFormat {
  readonly dialect: string;
  readonly codec: Codec;
  /** Whether an unknown key keeps a handler from loading. */
  readonly unknownKeys: "error" | "warning";
  readonly handlers: Readonly<Record<string, z.ZodRawShape>>;
  readonly identityScope: IdentityScope;
  /** Returns the event for a name, for formats in which a file may use another event's name. */
  eventNamed?(name: string): string;
  /** Maps a hook type of another agent to how this format writes it. */
  readonly typeHints?: Readonly<Record<string, string>>;
  /** Keys that are known and have no effect in this format. */
  readonly inertKeys?: readonly string[];
  /** Returns the agent whose format a handler uses, if a file can choose one. Default: the format itself. */
  speakerOf?(handler: unknown, context: ParseContext): Speaker;
  /** Returns problems of a valid handler that only the format can find. */
  remarksOn?(handler: JsonObject, context: ParseContext, eventName: string): readonly Misfit[];
  /** Converts a valid handler to the parts of a rule, or returns why it cannot. */
  toRule(handler: JsonObject, context: ParseContext, contract: EventContract, eventName: string): RuleParts | Unfit;
}

/** Why a well-formed handler cannot become a rule. */
export interface Unfit {
  readonly refused: {
    readonly code: ErrorCode;
    /** The key that causes the refusal. */
    readonly key: string;
    readonly message: string;
    readonly hint: string;
  };
}

/** The parts of a rule that its handler sets. `undefined` for a handler that is switched off. */
export type RuleParts =
  | (Pick<Rule, "handler" | "timeoutMs" | "onFailure" | "mode" | "may" | "priority" | "async"> &
      Pick<Rule, "rewakes" | "condition" | "once" | "lane" | "strict" | "filter"> & {
        /** `undefined`: the rule gets its place as a name. */
        readonly name: string | undefined;
      })
  | undefined;
