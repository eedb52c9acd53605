import type { Dialect } from "../dialects/dialect.ts";
import { DIALECT_NAMES, DIALECTS, dialectNamed } from "../dialects/registry.ts";
import { HookError } from "../errors.ts";
import type { JsonObject } from "../event.ts";
import { cleanLine } from "../text.ts";
import { usageError } from "./verb.ts";

export const DIALECT_HELP = `Default: claude-code, or as --format says. auto: as each
                    payload says`;

/** Whose events they are, as far as the command line says. */
export interface DialectChoice {
  /** `undefined`: each payload says. */
  readonly known: Dialect | undefined;
  of(payload: JsonObject): Dialect;
}

/** Whose event it is. Who names an agent's format and nothing else means that agent; ours is for all of them. */
export function eventDialect(named: string | undefined, format: string | undefined): DialectChoice {
  if (named === "auto") return { known: undefined, of: recognisedDialect };
  const implied = format === undefined || format === "hookbox" ? undefined : dialectNamed(format);
  const name = named ?? implied?.name ?? "claude-code";
  const known = dialectNamed(name);
  if (known === undefined) throw usageError(`unknown dialect "${name}"; known: auto, ${DIALECT_NAMES.join(", ")}`);
  return { known, of: () => known };
}

/** The one dialect whose payload it is; throws where none is, or more than one. A guess could open a gate. */
export function recognisedDialect(payload: JsonObject): Dialect {
  const found = Object.values(DIALECTS).filter((dialect) => dialect.recognises(payload));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const whose =
    only === undefined
      ? "the payload is of no agent that is known"
      : `the payload could be of ${found.map(({ name }) => name).join(" and ")}`;
  throw new HookError("HOOK_PAYLOAD_INVALID", `${whose}: it has ${tellingFields(payload)}`, {
    hint: `say whose it is with --dialect NAME: ${DIALECT_NAMES.join(", ")}`,
  });
}

const MAX_TOLD = 8;
const MAX_VALUE = 60;

/** What a payload can be told by: the names of its fields, and the words of those that name an event. */
function tellingFields(payload: JsonObject): string {
  const names = Object.keys(payload);
  if (names.length === 0) return "no field at all";
  const told = names.slice(0, MAX_TOLD).map((name) => {
    const value = payload[name];
    const isName = /event|hook|^(type|name)$/i.test(name) && typeof value === "string";
    return cleanLine(isName ? `${name} ${JSON.stringify(value)}` : name, MAX_VALUE);
  });
  return `${told.join(", ")}${names.length > MAX_TOLD ? " and more" : ""}`;
}
