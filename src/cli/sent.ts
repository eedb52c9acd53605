import { disclosureOf } from "../executors/disclosure.ts";
import type { Rule } from "../rule.ts";
import { cleanLine } from "../text.ts";
import { columns } from "./paint.ts";

/** What rules send of an event, and where to. */

/** For machines; `null` for a rule that sends nothing by itself. */
export function sentAsData(rule: Rule): object | null {
  const sent = disclosureOf(rule);
  if (sent === undefined) return null;
  const { to, shows, redacted } = sent;
  return { to, shows: typeof shows === "string" ? [shows] : shows, redacted };
}

/** One line for each rule that sends something. */
export function sentLines(rules: readonly Rule[]): readonly string[] {
  const rows = rules.flatMap((rule) => {
    const sent = disclosureOf(rule);
    if (sent === undefined) return [];
    const { to, shows, redacted } = sent;
    const what = typeof shows === "string" ? shows : shows.join(", ") || "nothing of the event";
    const how = redacted ? "without the secrets that are found" : "as it is";
    return [[rule.event, cleanLine(rule.name), `sends ${cleanLine(what)} to ${cleanLine(to)}, ${how}`]];
  });
  return columns(rows);
}
