import type { Problem } from "../../errors.ts";
import { formatOfContent } from "../content-format.ts";
import type { ConfigDocument } from "../dialect.ts";
import { eventCalled, hintForEvent } from "../misplaced-events.ts";

/** Recognises files of other agents that have the name of a hookbox file. */

/** Replaces the hints of all problems with the name of a format, if the content is that of another agent's file. */
export function withFormatHints(document: ConfigDocument, problems: readonly Problem[]): readonly Problem[] {
  const format = problems.length === 0 ? undefined : formatOfContent(document.value);
  if (format === undefined) return problems.map((problem) => withPlaceOfEvents(problem, document));
  return problems.map((problem) => ({
    ...problem,
    hint: `this looks like a file of ${format}: pass it as ${format}:FILE, with its name in place of FILE`,
  }));
}

function withPlaceOfEvents(problem: Problem, document: ConfigDocument): Problem {
  const [, key = ""] = /^unknown key "(.+)"$/.exec(problem.message) ?? [];
  const event = problem.place?.pointer === `/${key}` ? eventCalled(key) : undefined;
  return event === undefined ? problem : { ...problem, hint: hintForEvent(document, event) };
}
