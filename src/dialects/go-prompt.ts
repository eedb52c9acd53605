import { GO_FIELDS } from "../templates/go-fields.ts";
import { parseGoTemplate } from "../templates/go-template.ts";
import type { HandlerProblem } from "./handler-format.ts";

/** Returns why a prompt in Go's `text/template` cannot be used, for example for a field that no event has. */
export function unusableTemplate(prompt: string, key: string): HandlerProblem | undefined {
  const parsed = parseGoTemplate(prompt, GO_FIELDS);
  if (parsed.ok) return undefined;
  const message = `line ${parsed.line}, column ${parsed.column} of the template: ${parsed.message}`;
  const hint = "fields are those of docker-agent's hooks, such as {{ .ToolName }} and {{ .ToolInput | toJSON }}";
  return { refused: { code: "HOOK_PROMPT_TEMPLATE", key, message, hint } };
}
