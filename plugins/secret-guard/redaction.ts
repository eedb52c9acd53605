// Replaces the secrets in a value.

import type { JsonValue } from "../../src/json.ts";
import type { Budget } from "../../src/secrets/find-secret.ts";
import { redactingJsonSteps } from "../../src/secrets/redact-json.ts";

/** Returns what one call may spend with the fuel that its rule gives by default. */
export function newBudget(): Budget {
  return { work: 300_000, workPerCharacter: 30, characters: 600_000, named: 150_000 };
}

export interface Redaction {
  readonly value: unknown;
  /** What was removed, such as "a private key". Empty if the value is unchanged. */
  readonly kinds: ReadonlySet<string>;
  /** Whether a text was left out because it could not be searched. */
  readonly isCut: boolean;
}

interface Options {
  readonly allowed: readonly string[];
  readonly kept?: ReadonlySet<string> | undefined;
  readonly budget?: Budget;
}

/** Returns a value without its secrets. `name` is the name of the value's field. */
export function redact(value: unknown, name: string, { allowed, kept, budget = newBudget() }: Options): Redaction {
  const kinds = new Set<string>();
  let isCut = false;
  const steps = redactingJsonSteps(value as JsonValue, name, {
    allowed,
    kept,
    budget,
    onSecret: ({ kind }) => kinds.add(kind),
    onUnseen: () => {
      isCut = true;
    },
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return { value: step.value, kinds, isCut };
  }
}

/** Redacts messages, the newest first, so that a long conversation loses its oldest texts and not its newest. */
export function redactMessages(messages: readonly unknown[], allowed: readonly string[]): Redaction {
  const budget = newBudget();
  const kinds = new Set<string>();
  let isCut = false;
  const clean: unknown[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const one = redact(messages[at], "messages", { allowed, budget });
    for (const kind of one.kinds) kinds.add(kind);
    isCut ||= one.isCut;
    clean.push(one.value);
  }
  return { value: clean.reverse(), kinds, isCut };
}
