import type { JsonValue } from "../json.ts";
import { isJsonObject } from "../json.ts";
import type { HandlerOf, ModelProvider, Rule } from "../rule.ts";
import { GO_FIELDS } from "../templates/go-fields.ts";
import { parseGoTemplate } from "../templates/go-template.ts";

/** The data that a rule sends to a third party. */
interface SentFields {
  /** The recipient and its host: `anthropic (api.anthropic.com)`. */
  readonly to: string;
  /** A description, or the names of the event's fields in the rule's own words. */
  readonly shows: string | readonly string[];
  /** Whether secrets are removed first. */
  readonly redacted: boolean;
}

const ALL = "the whole event";

/** Returns what a rule discloses; `undefined` if the rule itself sends nothing. Ignores what a command sends. */
export function sentFieldsOf({ handler }: Rule): SentFields | undefined {
  switch (handler.type) {
    case "model":
      return { to: answererOf(handler.choice?.provider), shows: shownBy(handler), redacted: handler.redacts };
    case "agent":
      return {
        to: answererOf(handler.choice?.provider),
        shows: `${ALL} and what the model reads in the working directory`,
        redacted: handler.redacts,
      };
    case "http":
      return { to: hostOf(handler.url), shows: ALL, redacted: false };
    case "mcp_tool":
      if (handler.found?.kind !== "http") return undefined;
      return {
        to: `${handler.server} (${hostOf(handler.found.url)})`,
        shows: [...pathsIn(handler.input)],
        redacted: false,
      };
    case "builtin":
      return Object.hasOwn(BUILTINS_THAT_SEND, handler.name) ? BUILTINS_THAT_SEND[handler.name]?.(handler) : undefined;
    default:
      return undefined;
  }
}

const BUILTINS_THAT_SEND: Readonly<Record<string, (handler: HandlerOf<"builtin">) => SentFields>> = {
  http_post: ({ args: [url = ""] }) => ({ to: hostOf(url), shows: "a text of its own", redacted: false }),
  "slack-notify": () => ({
    to: "the channel that SLACK_WEBHOOK_URL names",
    shows: "the project's name, and the event's duration, tokens, tool calls, message and reason",
    redacted: true,
  }),
  "smart-commit": ({ choice }) => ({
    to: answererOf(choice?.provider),
    shows: "what has changed in the files that it commits",
    redacted: true,
  }),
};

/** The default host of each provider, and the variable that overrides it. */
const USUAL_HOSTS = {
  anthropic: "api.anthropic.com, or where ANTHROPIC_BASE_URL says",
  openai: "api.openai.com, or where OPENAI_BASE_URL says",
} as const;

function answererOf(provider: ModelProvider | undefined): string {
  if (provider === undefined) return "an unknown provider";
  if (provider.kind === "function") return `${provider.name} (a function of this program)`;
  const { name, kind, baseUrl } = provider;
  return `${name} (${baseUrl === undefined ? USUAL_HOSTS[kind] : hostOf(baseUrl)})`;
}

/** Returns only the host of a URL, because the rest may contain a key. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "an address that cannot be read";
}

function shownBy({ template, prompt }: HandlerOf<"model">): SentFields["shows"] {
  if (template === "arguments") return ALL;
  const parsed = parseGoTemplate(prompt, GO_FIELDS);
  return !parsed.ok || parsed.fields.includes(".") ? ALL : parsed.fields;
}

/** Returns the fields of an event that a hook's prompt or input names. The hook sees no other fields. */
export function shownFields(handler: HandlerOf<"model" | "mcp_tool">): "all" | readonly string[] {
  if (handler.type === "mcp_tool") return [...pathsIn(handler.input)];
  const shown = shownBy(handler);
  return typeof shown === "string" ? "all" : shown;
}

/** Returns the paths in the texts of an input, such as `tool_input.path` from `${tool_input.path}`. */
function pathsIn(value: JsonValue): ReadonlySet<string> {
  if (typeof value === "string") return new Set([...value.matchAll(/\$\{([^}]*)\}/g)].map(([, path = ""]) => path));
  if (typeof value !== "object" || value === null) return new Set();
  const items = isJsonObject(value) ? Object.values(value) : value;
  return new Set(items.flatMap((item) => [...pathsIn(item)]));
}
