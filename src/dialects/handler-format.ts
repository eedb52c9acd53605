import type { z } from "zod";
import type { Codec } from "../codec.ts";
import type { ErrorCode } from "../errors.ts";
import type { EventContract } from "../events/contract.ts";
import { ANSWERS, type Rule } from "../rule.ts";
import type { ProblemOptions } from "./config-problems.ts";
import type { ParseContext } from "./dialect.ts";
import type { IdentityScope } from "./hook-identity.ts";

/** The agent whose format a hook uses. */
export interface Speaker {
  readonly dialect: string;
  readonly codec: Codec;
}

/** A setting of a hook that cannot be used, or that has no effect at the hook's event. */
export interface SettingProblem extends ProblemOptions {
  readonly code: ErrorCode;
  readonly key: string;
  /** The path inside of the key's value. */
  readonly at?: readonly (string | number)[];
  readonly message: string;
}

/** The fields of each type of hook. */
type HandlerShapes = Readonly<Record<string, z.ZodRawShape>>;

/** A hook that has the fields of its type. */
export type HandlerIn<Shapes extends HandlerShapes> = {
  [Type in keyof Shapes]: z.infer<z.ZodObject<Shapes[Type]>>;
}[keyof Shapes];

/** The types of hooks of one format with matcher groups, and the reader of each type. */
export interface HandlerFormat<Shapes extends HandlerShapes = HandlerShapes> {
  readonly dialect: string;
  readonly codec: Codec;
  /** Whether an unknown key keeps a handler from loading. */
  readonly unknownKeys: "error" | "warning";
  readonly handlers: Shapes;
  readonly identityScope: IdentityScope;
  /** Returns the event for a name, for formats in which a file may use another event's name. */
  eventNamed?(name: string): string;
  /** Hints for hook types of other agents: the type of this format. */
  readonly typeHints?: Readonly<Record<string, string>>;
  /** Keys that are known and have no effect in this format. */
  readonly inertKeys?: readonly string[];
  /** Returns the agent whose format a handler uses, if a file can choose the agent. Default: the format itself. */
  speakerOf?(handler: unknown, context: ParseContext): Speaker;
  /** Returns problems of a valid handler that only the format can find. */
  remarksOn?(handler: HandlerIn<Shapes>, context: ParseContext, eventName: string): readonly SettingProblem[];
  /** Converts a valid handler to the parts of a rule, or returns the reason why it cannot. */
  toRule(
    handler: HandlerIn<Shapes>,
    context: ParseContext,
    contract: EventContract,
    eventName: string,
  ): RuleParts | HandlerProblem;
}

/** The reason why a well-formed handler cannot become a rule. */
export interface HandlerProblem {
  readonly refused: {
    readonly code: ErrorCode;
    /** The key that causes the refusal. */
    readonly key: string;
    readonly message: string;
    readonly hint: string;
  };
}

/** The parts of a rule that its handler sets. `undefined` for a disabled handler. */
export type RuleParts =
  | (Pick<Rule, "handler" | "timeoutMs" | "onFailure" | "mode" | "may" | "priority" | "async"> &
      Pick<Rule, "rewakes" | "condition" | "once" | "lane" | "strict" | "filter"> & {
        /** The rule's name. `undefined`: the rule's place becomes its name. */
        readonly name: string | undefined;
      })
  | undefined;

/** The settings of a rule that most agents' formats do not have. */
export const AGENT_RULE = {
  onFailure: undefined,
  mode: "enforce",
  may: ANSWERS,
  priority: 0,
  async: false,
} as const satisfies Partial<RuleParts>;
