import { assert as assertAll, configureGlobal, type IAsyncProperty, type IProperty, type Parameters } from "fast-check";
import { SEED } from "./seed.ts";
import { times } from "./tier.ts";

configureGlobal({ seed: SEED });

export * from "fast-check";

const DEFAULT_RUNS = 100;
/** Fewer runs than this would find little. */
const LEAST_RUNS = 15;
const PART = 1 / 5;

/** In a sample of the tests, a property is tried with fewer values. */
export function assert<Ts>(property: IProperty<Ts>, parameters?: Parameters<Ts>): void;
export function assert<Ts>(property: IAsyncProperty<Ts>, parameters?: Parameters<Ts>): Promise<void>;
export function assert<Ts>(property: IAsyncProperty<Ts> | IProperty<Ts>, parameters: Parameters<Ts> = {}): unknown {
  const { numRuns: all = DEFAULT_RUNS } = parameters;
  const numRuns = times(all, Math.min(all, Math.max(LEAST_RUNS, Math.ceil(all * PART))));
  return assertAll(property, { ...parameters, numRuns });
}
