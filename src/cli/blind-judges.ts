import type { Engine } from "../engine.ts";
import type { Problem } from "../errors.ts";
import { contractOf } from "../events/lookup.ts";
import { shownFields } from "../executors/disclosure.ts";
import type { Rule } from "../rule.ts";

/** Rules that decide about an event of which they see nothing: they give every call the same answer. */
export function blindJudges({ rules }: Pick<Engine, "rules">): Problem[] {
  return rules.flatMap((rule): Problem[] => {
    const { handler, name, place } = rule;
    if ((handler.type !== "model" && handler.type !== "mcp_tool") || !decides(rule)) return [];
    const shown = shownFields(handler);
    if (shown === "all" || shown.length > 0) return [];
    const [key, example] =
      handler.type === "model"
        ? ["prompt", "{{ .ToolName }} {{ .ToolInput | toJSON }}"]
        : ["input", `{ "command": "\${tool_input.command}" }`];
    return [
      {
        severity: "warning",
        code: "HOOK_PROMPT_TEMPLATE",
        message: `rule "${name}": its ${key} has no place for the event, so it answers at ${rule.event} without seeing the event`,
        hint: `name the fields that it needs, such as ${example}`,
        ...(place === undefined ? {} : { place }),
      },
    ];
  });
}

/** Whether the answer is about an event that can be refused. A text for the context is, where a tool is called. */
function decides({ handler, event, dialect }: Rule): boolean {
  const { kind, subject } = contractOf(event, dialect) ?? {};
  return kind === "gate" && (handler.type !== "model" || handler.answer !== "text" || subject === "tool_name");
}
