import { sentFieldsOf } from "../executors/sent-fields.ts";
import type { Rule } from "../rule.ts";
import { cleanLine } from "../text.ts";
import { columns } from "./paint.ts";

/** Reports which parts of an event rules send, and where they send these parts. */

/** Returns the `sends` of `--json`. Returns `null` if hookbox itself sends nothing for the rule. */
export function sentAsData(rule: Rule): object | null {
  const sent = sentFieldsOf(rule);
  if (sent === undefined) return null;
  const { to, shows, redacted } = sent;
  return { to, shows: typeof shows === "string" ? [shows] : shows, redacted };
}

/** Returns one line for each rule that sends data. */
export function sentLines(rules: readonly Rule[]): readonly string[] {
  const rows = rules.flatMap((rule) => {
    const sent = sentFieldsOf(rule);
    if (sent === undefined) return [];
    const { to, shows, redacted } = sent;
    const what = typeof shows === "string" ? shows : shows.join(", ") || "no field of the event";
    const how = redacted ? "with secrets redacted" : "as it is";
    return [[rule.event, cleanLine(rule.name), `sends ${cleanLine(what)} to ${cleanLine(to)}, ${how}`]];
  });
  return columns(rows);
}
