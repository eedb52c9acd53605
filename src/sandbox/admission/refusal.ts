import type { ErrorCode } from "../../errors.ts";
import type { FailureKind } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";

/** Why a module may not run. */
export interface RefusedModule {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly kind: FailureKind;
  /** The text that follows "module NAME". */
  readonly message: string;
  readonly limit?: number;
  readonly value?: number;
  /** What the rule's author can do about it. */
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
  // Cleaned, because names in the module come from its author and are printed in terminals.
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
