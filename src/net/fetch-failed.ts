import type { Failure } from "../outcome.ts";

/** What went wrong with a request, as a rule's failure. `cause` is the connection's own error, where it had one. */
export class FetchFailed extends Error {
  override readonly name = "FetchFailed";
  readonly failure: Failure;

  constructor(failure: Failure, cause?: unknown) {
    super(failure.message, { cause });
    this.failure = failure;
  }
}
