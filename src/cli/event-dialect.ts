import type { Dialect } from "../dialects/dialect.ts";
import { DIALECT_NAMES, dialectNamed } from "../dialects/registry.ts";
import { usageError } from "./verb.ts";

export const DIALECT_HELP = "Default: claude-code, or as --format says";

/** Whose event it is. Who names an agent's format and nothing else means that agent; ours is for all of them. */
export function eventDialect(named: string | undefined, format: string | undefined): Dialect {
  const implied = format === undefined || format === "hookbox" ? undefined : dialectNamed(format);
  const name = named ?? implied?.name ?? "claude-code";
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw usageError(`unknown dialect "${name}"; known: ${DIALECT_NAMES.join(", ")}`);
  return dialect;
}
