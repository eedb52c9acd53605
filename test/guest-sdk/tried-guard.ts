import type { BuiltGuard } from "../../src/authoring/build.ts";
import { asksOf } from "../../src/authoring/conformance/own-tests.ts";
import { type Answered, openGuest } from "../../src/authoring/conformance/sandboxed-guest.ts";
import { readVectors } from "../../src/authoring/conformance/vectors.ts";
import { type Trial, tryBytes } from "../../src/authoring/guard-trial.ts";
import { grantsForTrial } from "../../src/authoring/trial-grants.ts";

/** Runs a guard outside of rules. */
export interface Tried {
  readonly trial: Trial;
  /** A line for each call of its own tests in each of the {@link WORLDS}. */
  readonly saidInOtherWorlds: readonly string[];
}

/** Vectors that make a guard's world invalid, or have it refuse. */
export const WORLDS = (await readVectors()).filter(({ ownTests }) => ownTests !== undefined);

export async function tryGuard({ wasm, manifest }: BuiltGuard): Promise<Tried> {
  const trial = await tryBytes(wasm, manifest);
  const guest = await openGuest(wasm, grantsForTrial(manifest));
  if ("ok" in guest) throw new Error(guest.message);
  try {
    const saidInOtherWorlds: string[] = [];
    for (const vector of WORLDS) {
      for (const ask of asksOf(vector, manifest.fixtures ?? [])) {
        saidInOtherWorlds.push(`${vector.id}: ${whatItSays(await guest.ask(ask))}`);
      }
    }
    return { trial, saidInOtherWorlds };
  } finally {
    await guest.close();
  }
}

function whatItSays(answer: Answered): string {
  if (!answer.ok) return "refused";
  const { hookSpecificOutput: said } = JSON.parse(answer.answer.text);
  return said === undefined ? "none" : `${said.permissionDecision}: ${said.permissionDecisionReason}`;
}
