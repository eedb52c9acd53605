import type { Engine } from "../../engine.ts";
import type { Problem } from "../../errors.ts";
import { contractOf } from "../../events/lookup.ts";
import { shownFields } from "../../executors/sent-fields.ts";
import type { Rule } from "../../rule.ts";

/** Warns of rules that decide about an event without seeing any field. Such rules give every call the same answer. */
export function missingEventFields({ rules }: Pick<Engine, "rules">): Problem[] {
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
        message: `rule "${name}": its ${key} contains no field of the event, so it decides at ${rule.event} without seeing the event`,
        hint: `name the fields that it needs, such as ${example}`,
        ...(place === undefined ? {} : { place }),
      },
    ];
  });
}

/** Whether the rule decides at a gate. A model's text for the context counts only if the event is a tool call. */
function decides({ handler, event, dialect }: Rule): boolean {
  const { kind, subject } = contractOf(event, dialect) ?? {};
  return kind === "gate" && (handler.type !== "model" || handler.answer !== "text" || subject === "tool_name");
}
