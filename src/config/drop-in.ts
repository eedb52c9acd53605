import type { ParsedConfig } from "../dialects/dialect.ts";
import type { Problem } from "../errors.ts";

/** Problems that do not make a file malformed, because the agent itself would run such a hook. */
const NOT_MALFORMED = ["HOOK_CONFIG_UNSUPPORTED"];

/** Skips a malformed file with a warning, because the agent also skips it. */
export function asDropIn(parsed: ParsedConfig, file: string): ParsedConfig {
  const isMalformed = ({ severity, code }: Problem): boolean => severity === "error" && !NOT_MALFORMED.includes(code);
  const first = parsed.problems.find(isMalformed);
  if (first === undefined) return parsed;
  const skipped: Problem = {
    ...first,
    severity: "warning",
    message: `the agent skips ${file}: ${first.message}`,
    hint: first.hint ?? 'without compat: "faithful", the gates that the file may guard stay shut',
  };
  return { rules: [], problems: [skipped] };
}
