import type { Problem } from "../../errors.ts";
import { isJsonObject } from "../../event.ts";
import type { ConfigDocument } from "../dialect.ts";
import { eventCalled, hintForEvent } from "../misplaced-events.ts";

/** Files of agents that were taken for one of ours, because nobody said what they are and their names do not tell. */

/** What is wrong in such a file, with the one hint that helps. */
export function namingItsFormat(document: ConfigDocument, problems: readonly Problem[]): readonly Problem[] {
  const format = problems.length === 0 ? undefined : formatOf(document);
  if (format === undefined) return problems.map((problem) => withPlaceOfEvents(problem, document));
  return problems.map((problem) => ({ ...problem, hint: `a file of ${format} is read with --format ${format}` }));
}

function withPlaceOfEvents(problem: Problem, document: ConfigDocument): Problem {
  const [, key = ""] = /^unknown key "(.+)"$/.exec(problem.message) ?? [];
  const event = problem.place?.pointer === `/${key}` ? eventCalled(key) : undefined;
  return event === undefined ? problem : { ...problem, hint: hintForEvent(document, event) };
}

function formatOf({ value }: ConfigDocument): string | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value["hooks_config"] !== undefined) return "patterns";
  if (value["agents"] !== undefined) return "docker-agent";
  const { hooks, plugins } = value;
  if (isJsonObject(plugins) && plugins["entries"] !== undefined) return "openclaw";
  return isJsonObject(hooks) && Array.isArray(hooks["hooks"]) ? "autohand" : undefined;
}
