/**
 * A generator of pseudo-random numbers that are the same for a seed on every machine: integer arithmetic only, no
 * `Math`.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 to 2^32 - 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  below(end: number): number {
    return this.next() % end;
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 0;
  }

  pick<Value>(values: readonly Value[]): Value {
    if (values.length === 0) throw new RangeError("nothing to pick from");
    return values[this.below(values.length)] as Value;
  }

  times<Value>(count: number, make: (index: number) => Value): Value[] {
    return Array.from({ length: count }, (_, index) => make(index));
  }

  shuffled<Value>(values: readonly Value[]): Value[] {
    const all = [...values];
    for (let last = all.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      [all[last], all[other]] = [all[other] as Value, all[last] as Value];
    }
    return all;
  }
}
