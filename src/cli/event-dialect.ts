import { clientOf } from "../dialects/clients.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { DIALECT_NAMES, DIALECTS, dialectNamed } from "../dialects/registry.ts";
import { HookError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { unknownWord } from "./verb.ts";

/** Decides which dialect the events of a command line are in. */
export interface DialectChoice {
  /** The dialect of all payloads. `undefined`: each payload is recognised separately. */
  readonly known: Dialect | undefined;
  of(payload: JsonObject): Promise<Dialect>;
}

/**
 * Reads `--dialect`. The default is the agent of `--format`, because a user who names an agent's format means that
 * agent. The format `hookbox` serves all agents, so its default is `claude-code`.
 */
export function eventDialect(named: string | undefined, format: string | undefined): DialectChoice {
  if (named === "auto") return { known: undefined, of: recognisedDialect };
  const implied = format === undefined || format === "hookbox" ? undefined : dialectNamed(format);
  const name = named ?? implied?.name ?? "claude-code";
  const known = dialectNamed(name);
  const names = ["auto", ...DIALECT_NAMES];
  if (known === undefined) throw unknownWord(`unknown dialect "${name}"; known: ${names.join(", ")}`, name, names);
  return { known, of: async () => known };
}

/**
 * Returns the one dialect that recognises the payload. Throws if no dialect or several dialects recognise the payload,
 * or if the payload looks like that of an agent without a dialect. Never guesses, because a wrong dialect could
 * let a refused action pass.
 */
export async function recognisedDialect(payload: JsonObject): Promise<Dialect> {
  const found = Object.values(DIALECTS).filter((dialect) => dialect.recognises(payload));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0 && clientOf(payload) === undefined) return only;
  const { unknownPayload } = await import("./unknown-payload.ts");
  const names = found.map(({ name }) => name);
  const { message, hint } = unknownPayload(payload, names, DIALECT_NAMES);
  throw new HookError("HOOK_PAYLOAD_INVALID", message, { hint });
}
