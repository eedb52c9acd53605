import { HookError, type Place } from "../errors.ts";

const MAX_RULES = 1_000;
/**
 * The maximum number of characters in matchers, conditions and filters. The cost of compiling a matcher grows with its
 * size after its repetitions are unfolded.
 */
const MAX_PATTERNS = 50_000;

/**
 * Counts down the limits for a file that may come with a repository. Rules are read and matched in the thread that
 * answers the agent, and an agent treats a late answer as consent.
 */
export class FileQuota {
  #rules = MAX_RULES;
  #patterns = MAX_PATTERNS;

  /** Throws a `HookError` if the file has too many rules. */
  takeRule(place: () => Place): void {
    this.#rules -= 1;
    if (this.#rules < 0) throw exceeded(`${MAX_RULES} rules`, place());
  }

  /** Throws a `HookError` if the file's patterns are too long. */
  takePatterns(length: number, place: () => Place): void {
    this.#patterns -= length;
    if (this.#patterns < 0)
      throw exceeded(
        `${MAX_PATTERNS} characters of matchers, conditions and filters, with repetitions written out`,
        place(),
      );
  }
}

function exceeded(what: string, place: Place): HookError {
  return new HookError(
    "HOOK_CONFIG_LIMIT",
    `the file has more than ${what}; a file that may come with a repository cannot have more`,
    {
      hint: "your own configuration may have more: ~/.config/hookbox/hookbox.json",
      place,
    },
  );
}
