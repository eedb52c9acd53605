import type { Failure } from "../outcome.ts";

/** Thrown if a request failed. `cause` is the error of the connection, if there was one. */
export class FetchFailed extends Error {
  override readonly name = "FetchFailed";
  readonly failure: Failure;

  constructor(failure: Failure, cause?: unknown) {
    super(failure.message, { cause });
    this.failure = failure;
  }
}
