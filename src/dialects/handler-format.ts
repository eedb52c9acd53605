import type { z } from "zod";
import type { Codec } from "../codec.ts";
import type { ErrorCode } from "../errors.ts";
import type { JsonObject } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import type { Rule } from "../rule.ts";
import type { ParseContext } from "./dialect.ts";
import type { IdentityScope } from "./identity.ts";
import type { Misfit } from "./misfits.ts";

/** The agent that a hook was written for. */
export interface Speaker {
  readonly dialect: string;
  readonly codec: Codec;
}

/** What tells one format with matcher groups from another: the types of hooks that it has, and what each means. */
export interface HandlerFormat {
  readonly dialect: string;
  readonly codec: Codec;
  /** Whether a key that nobody defines keeps a handler from loading. */
  readonly unknownKeys: "error" | "warning";
  readonly handlers: Readonly<Record<string, z.ZodRawShape>>;
  readonly identityScope: IdentityScope;
  /** The event that a name stands for, where such a file calls one by another event's name. */
  eventNamed?(name: string): string;
  /** Words of others for a type of hook -> how it is written here. */
  readonly typeHints?: Readonly<Record<string, string>>;
  /** Keys that are known and mean nothing in such a file. */
  readonly inertKeys?: readonly string[];
  /** Whose words a handler speaks, where a file may say so. Default: the format's own. */
  speakerOf?(handler: unknown, context: ParseContext): Speaker;
  /** What there is to say of a validated handler where it stands, of which the format alone knows. */
  remarksOn?(handler: JsonObject, context: ParseContext, eventName: string): readonly Misfit[];
  /** A validated handler -> what runs and under which terms, or why it may not. */
  toRule(handler: JsonObject, context: ParseContext, contract: EventContract, eventName: string): RuleParts | Unfit;
}

/** Why a well-formed handler makes no rule. */
export interface Unfit {
  readonly refused: {
    readonly code: ErrorCode;
    /** The key that is at fault. */
    readonly key: string;
    readonly message: string;
    readonly hint: string;
  };
}

/** What a handler says about its rule. `undefined` for a handler that is switched off. */
export type RuleParts =
  | (Pick<Rule, "handler" | "timeoutMs" | "onFailure" | "mode" | "may" | "priority" | "async"> &
      Pick<Rule, "rewakes" | "condition" | "once" | "lane" | "strict" | "filter"> & {
        /** `undefined`: the rule is called by its place. */
        readonly name: string | undefined;
      })
  | undefined;
