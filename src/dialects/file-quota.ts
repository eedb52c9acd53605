import { HookError, type Place } from "../errors.ts";

const MAX_RULES = 1_000;
/** Characters of matchers, conditions and filters. What a matcher costs to compile grows with the size that it unfolds into. */
const MAX_PATTERNS = 50_000;

/**
 * What is left for a file that may come with a repository. To read and match rules is work of the thread that answers,
 * and an answer that comes too late is consent.
 */
export class FileQuota {
  #rules = MAX_RULES;
  #patterns = MAX_PATTERNS;

  /** Throws a `HookError` when the file has too many. */
  takeRule(place: () => Place): void {
    this.#rules -= 1;
    if (this.#rules < 0) throw exceeded(`${MAX_RULES} rules`, place());
  }

  /** Throws a `HookError` when the file has too many. */
  takePatterns(length: number, place: () => Place): void {
    this.#patterns -= length;
    if (this.#patterns < 0)
      throw exceeded(
        `${MAX_PATTERNS} characters of matchers, conditions and filters, with repetitions and alternatives written out`,
        place(),
      );
  }
}

function exceeded(what: string, place: Place): HookError {
  return new HookError("HOOK_CONFIG_LIMIT", `the file has more than ${what}, and it may come with a repository`, {
    hint: "your own configuration may have more: ~/.config/hookbox/hookbox.json",
    place,
  });
}
