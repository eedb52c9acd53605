import type { ParsedConfig } from "../dialects/dialect.ts";
import type { Problem } from "../errors.ts";

/** What the agent would run, and this version cannot, is in order as far as the file goes. */
const NOT_MALFORMED = ["HOOK_CONFIG_UNSUPPORTED"];

/** A file that the agent goes on without, with a warning, when anything of it is malformed. */
export function asDropIn(parsed: ParsedConfig, file: string): ParsedConfig {
  const isMalformed = ({ severity, code }: Problem): boolean => severity === "error" && !NOT_MALFORMED.includes(code);
  const first = parsed.problems.find(isMalformed);
  if (first === undefined) return parsed;
  const skipped: Problem = {
    ...first,
    severity: "warning",
    message: `the agent goes on without ${file}: ${first.message}`,
    hint: first.hint ?? 'without compat: "faithful" the gates that it may guard stay shut',
  };
  return { rules: [], problems: [skipped] };
}
