// secret-guard: keeps passwords and tokens out of files, commands and requests.

import { ask, defineGuard, deny } from "hookbox/guest";
import { Search, TooMuch } from "../../src/secrets/find-secret.ts";
import { type Field, fieldOf, textsIn } from "./texts.ts";

/** Read-only tools. Their inputs leave the machine with the conversation in any case. */
const READERS: ReadonlySet<unknown> = new Set(["Read", "Glob", "Grep", "LS", "BashOutput", "KillShell"]);

export default defineGuard({
  name: "secret-guard",
  version: "0.2.0",
  description: "Denies tool calls that would write or send a password, a token or a private key, and prompts with one.",
  events: ["PreToolUse", "UserPromptSubmit"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      allow: {
        type: "array",
        items: { type: "string", minLength: 4 },
        default: [],
        description:
          "A value that contains one of these texts is not a secret, such as `sk_test_` or the name of a test account.",
      },
      ask: {
        type: "boolean",
        default: false,
        description: "Whether to ask the user about a tool call instead of denying it. A prompt is denied in any case.",
      },
    },
  },
  handle(event, context) {
    if (event.hook_event_name === "PreToolUse" && READERS.has(event.tool_name)) return undefined;
    const { allow, ask: asks } = context.config;
    const input: unknown = event.hook_event_name === "PreToolUse" ? event.tool_input : event.prompt;
    const name = event.hook_event_name === "PreToolUse" ? "tool_input" : "prompt";
    const tool = event.hook_event_name === "PreToolUse" ? event.tool_name : undefined;
    const finding = judge(textsIn(name, input, tool), allow);
    if (finding === undefined) return undefined;
    // A prompt is always denied, because its event cannot ask the user.
    if (event.hook_event_name === "UserPromptSubmit") return deny(finding.reason);
    return asks || finding.isDoubt ? ask(finding.reason) : deny(finding.reason);
  },
});

interface Finding {
  readonly reason: string;
  /** Whether the text could not be searched, so that it may contain no secret. */
  readonly isDoubt: boolean;
}

function judge(fields: Iterable<Field>, allowed: readonly string[]): Finding | undefined {
  const search = new Search(allowed);
  for (const field of fields) {
    try {
      const secret = search.find(field.text, field.isKey ? undefined : field.place.name);
      if (secret === undefined) continue;
      const { kind, value, shown } = secret;
      const masked = shown === 0 ? "" : ` (${value.slice(0, shown)}…)`;
      const reason = `${fieldOf(field)} holds ${kind}${masked}; read it from the environment or a secret store instead`;
      return { reason, isDoubt: false };
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      const reason = `${fieldOf(field)} could not be searched for secrets: there is ${error.message}`;
      return { reason, isDoubt: true };
    }
  }
  return undefined;
}
