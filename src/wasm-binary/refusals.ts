/** Thrown for a WebAssembly feature that the oldest supported Node does not have. */
export class RefusedFeature extends Error {}

/** Thrown for a module that is too large to be examined. */
export class TooLarge extends Error {
  readonly limit: number;
  readonly value: number;

  constructor(what: string, value: number, limit: number) {
    super(`has ${value} ${what}; the limit is ${limit}`);
    this.limit = limit;
    this.value = value;
  }
}
