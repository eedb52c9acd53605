import type { ConfigFile } from "../config/load.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { DIALECTS, dialectNamed } from "../dialects/registry.ts";
import { usageError } from "./verb.ts";

/** Options for an agent's name, and for hooks that are added for one run. */

export const AGENT_OPTIONS = { agent: { type: "string" } } as const;

const FLAGS: readonly (readonly [flag: string, owner: Dialect])[] = Object.values(DIALECTS).flatMap((dialect) =>
  Object.keys(dialect.hookFlags ?? {}).map((flag) => [flag, dialect] as const),
);

/** Flags that add hooks. Their names come from the dialects, so the flags have no static type. */
export const HOOK_FLAG_OPTIONS = Object.fromEntries(
  FLAGS.map(([flag]) => [flag, { type: "string", multiple: true }]),
) as Record<never, never>;

/** Throws a usage error if `--agent` is given and no file's format has several agents. */
export function checkAgent(agent: string | undefined, formats: readonly (string | undefined)[]): void {
  const hasAgents = formats.some((format) => format !== undefined && dialectNamed(format)?.hasAgents === true);
  if (agent === undefined || hasAgents) return;
  const those = Object.values(DIALECTS).filter(({ hasAgents }) => hasAgents === true);
  throw usageError(`--agent is for --format ${those.map(({ name }) => name).join(" or ")}`);
}

/** Returns the hooks of the `--hook-*` flags. Each flag becomes a configuration file with a text. */
export function addedHooks(values: object, format: string | undefined): readonly ConfigFile[] {
  return FLAGS.flatMap(([flag, { name, hookFlags }]): ConfigFile[] => {
    const commands = (values as Record<string, readonly string[] | undefined>)[flag];
    if (commands === undefined) return [];
    if (format !== name) throw usageError(`--${flag} is for --format ${name}`);
    const text = JSON.stringify(hookFlags?.[flag]?.(commands));
    return [{ file: `--${flag}`, text, layer: "command-line", dialect: name }];
  });
}
