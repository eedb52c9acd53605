import { BodyReader, type CodeOptions, type FunctionBody, MAX_POINTS } from "./function-reader.ts";
import { LIFTOFF_LIMITS } from "./function-weight.ts";
import { Cursor } from "./operators.ts";
import { TooLarge } from "./refusals.ts";

/** Maximum number of bytes of code, for the same reason as `MAX_POINTS`. */
const MAX_CODE_BYTES = 4 * 1_048_576;

/**
 * Limits for all functions together. Liftoff takes up to 17 ns a value, and up to 2.4 us and 1.4 KB a slow operator.
 */
const MAX_KEPT_VALUES = 50_000_000;
const MAX_SLOW_OPERATORS = 50_000;
/**
 * Limits for all functions of a module that may be optimised. V8 optimises all functions that are called often, one
 * after the other, and keeps the results. A guard in TypeScript reaches a third of the first limit and half of the
 * second.
 */
const MAX_OPTIMISED_PLACE_VALUES = 20_000_000;
const MAX_OPTIMISED_MEMORY_KIB = 768 * 1_024;

export interface Code {
  readonly bodies: readonly FunctionBody[];
  /** Name of an instruction that changes state which JavaScript cannot restore. `undefined` if the code has none. */
  readonly lastingOperator: string | undefined;
  /** Whether V8 may optimise the module. */
  readonly isLight: boolean;
}

/**
 * Reads the code section whose content starts at `content`, even of an invalid module. Throws `RefusedOperator` and
 * `TooLarge`.
 */
export function readCode(bytes: Uint8Array, content: number, end: number, options: CodeOptions): Code {
  if (end - content > MAX_CODE_BYTES) throw new TooLarge("bytes of code", end - content, MAX_CODE_BYTES);
  const cursor = new Cursor(bytes, content);
  const count = cursor.leb();
  const bodies: FunctionBody[] = [];
  let lastingOperator: string | undefined;
  let points = 0;
  const total = { keptValues: 0, slowOperators: 0, placeValues: 0, memoryKiB: 0 };
  let isLight = true;
  for (let index = 0; index < count; index++) {
    const body = new BodyReader(bytes, cursor.at, index, options, MAX_POINTS - points);
    bodies.push(body.read());
    const { weight } = body;
    points += body.points;
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += weight[name];
    isLight &&= weight.isLight;
    limit("instructions in a function", weight.instructions, LIFTOFF_LIMITS.instructions);
    limit(`${KEPT_VALUES} of a function`, weight.keptValues, LIFTOFF_LIMITS.keptValues);
    limit(`${KEPT_VALUES} of the module, or more`, total.keptValues, MAX_KEPT_VALUES);
    limit("divisions, saturating conversions and indirect calls, or more", total.slowOperators, MAX_SLOW_OPERATORS);
    lastingOperator ??= body.lastingOperator;
    cursor.at = bodies.at(-1)?.end ?? cursor.at;
  }
  isLight &&= total.placeValues <= MAX_OPTIMISED_PLACE_VALUES && total.memoryKiB <= MAX_OPTIMISED_MEMORY_KIB;
  return { bodies, lastingOperator, isLight };
}

const KEPT_VALUES = "values that are kept across blocks, loops and branches";

function limit(what: string, value: number, most: number): void {
  if (value > most) throw new TooLarge(what, Math.ceil(value), most);
}
