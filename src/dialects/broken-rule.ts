import type { Codec } from "../codec.ts";
import type { Problem } from "../errors.ts";
import type { Rule } from "../rule.ts";
import type { ParseContext } from "./dialect.ts";

/** Returns a rule that takes the place of an entry that could not be loaded. */
export function brokenRule(
  format: { readonly dialect: string; readonly codec: Codec },
  context: Pick<ParseContext, "layer" | "baseDir">,
  at: {
    readonly event: string;
    readonly matcher?: string | undefined;
    readonly declaredType?: string;
    readonly name?: string;
  },
  problem: Problem,
): Rule {
  const { place } = problem;
  return {
    id: `broken:${place?.file ?? ""}${place?.pointer ?? ""}:${problem.code}:${at.event}`,
    name: at.name ?? `unreadable rule${place?.pointer === undefined ? "" : ` ${place.pointer}`}`,
    event: at.event,
    matcher: at.matcher,
    handler: { type: "broken", declaredType: at.declaredType ?? "unknown", problem },
    timeoutMs: 1_000,
    onFailure: undefined,
    mode: "enforce",
    may: ["deny"],
    priority: 0,
    async: false,
    dialect: format.dialect,
    codec: format.codec,
    compat: "safer",
    layer: context.layer,
    place,
    baseDir: context.baseDir,
  };
}
