import type { ErrorCode } from "../../errors.ts";
import type { FailureKind } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";

/** The reason why a module may not run. */
export interface RefusedModule {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly kind: FailureKind;
  /** The text that follows "module NAME". */
  readonly message: string;
  readonly limit?: number;
  readonly value?: number;
  /** The remedy for the rule's author. */
  readonly hint?: string;
}

const MAX_MESSAGE_LENGTH = 400;

export type RefusalDetails = Pick<RefusedModule, "limit" | "value" | "hint">;

export function refusedModule(
  code: ErrorCode,
  kind: FailureKind,
  message: string,
  details: RefusalDetails = {},
): RefusedModule {
  // The message is cleaned, because the module's author chooses its names and terminals print them.
  return { ok: false, code, kind, message: cleanLine(message, MAX_MESSAGE_LENGTH), ...details };
}

/** Thrown by a check and caught by the examination. */
export class Refusal extends Error {
  readonly refused: RefusedModule;

  constructor(code: ErrorCode, kind: FailureKind, message: string, details?: RefusalDetails) {
    const refused = refusedModule(code, kind, message, details);
    super(refused.message);
    this.refused = refused;
  }
}
