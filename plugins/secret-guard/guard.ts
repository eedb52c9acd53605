// secret-guard: keeps passwords and tokens out of files, commands, requests, results, prompts and messages.

import { ask, defineGuard, deny, type Reply, respond, rewrite } from "hookbox/guest";
import { Search, TooMuch } from "../../src/secrets/find-secret.ts";
import { canBlockAfter, canReplaceInput, type Event, ROWS, reachOf } from "./reach.ts";
import { newBudget, type Redaction, redact, redactMessages } from "./redaction.ts";
import { fieldOf, leavingFields, textsIn } from "./texts.ts";

/** Read-only tools. Their inputs leave the machine with the conversation in any case. */
const READERS: ReadonlySet<unknown> = new Set(["Read", "Glob", "Grep", "LS", "BashOutput", "KillShell"]);

const EVENTS = Object.keys(ROWS) as Event[];

interface Config {
  readonly allow: readonly string[];
  readonly ask: boolean;
  readonly redact: boolean;
  readonly block: boolean;
}

type Given = Readonly<Record<string, unknown>>;
type Verdict =
  | Reply<"deny" | "ask" | "rewrite" | "respond", "systemMessage" | "displayContent" | "action" | "content">
  | undefined;

export default defineGuard({
  name: "secret-guard",
  version: "0.3.0",
  description:
    "Denies tool calls and prompts with a password, a token or a private key, and replaces secrets in results and messages.",
  events: EVENTS,
  limits: { fuelPerInputByte: 10_000, outputBytes: 4_194_304 },
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
      redact: {
        type: "boolean",
        default: false,
        description: "Whether to replace secrets in the input of a tool call instead of denying the call.",
      },
      block: {
        type: "boolean",
        default: false,
        description:
          "Whether to block after a tool whose result holds a secret that the agent would not let a hook replace. By default, the user is told.",
      },
    },
  },
  handle(event, { config }) {
    const name = event.hook_event_name;
    const given = event as unknown as Given;
    const reach = reachOf(name, event.dialect);
    if (reach === "input") return judgeInput(name, given, config);
    const { fields } = ROWS[name];
    const [field = ""] = fields;
    const value = given[field];
    if (reach === "refusal" || reach === "notice") return judgeTexts(name, given, fields, config);
    if (value === undefined || value === null) return undefined;
    if (reach === "messages") {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      const clean = redactMessages(value, config.allow);
      return isChanged(clean) ? rewrite(clean.value, notice(clean, field)) : undefined;
    }
    const clean = redact(value, field, { allowed: config.allow });
    if (!isChanged(clean)) return undefined;
    const told = notice(clean, field);
    if (reach === "result") return rewrite(clean.value, told);
    if (reach === "display") return respond({ displayContent: clean.value as string, ...told });
    // A declined question has no content.
    return given["action"] === "accept"
      ? respond({ action: "accept", content: clean.value as Record<string, unknown>, ...told })
      : undefined;
  },
});

function judgeInput(name: Event, { tool_name: tool, tool_input: input, dialect }: Given, config: Config): Verdict {
  if (READERS.has(tool)) return undefined;
  if (config.redact && canReplaceInput(name, dialect)) {
    const clean = redact(input, "tool_input", { allowed: config.allow, kept: leavingFields(tool) });
    if (!isChanged(clean)) return undefined;
    // Some agents keep every field that the new input lacks, so that a field named by a secret would stay.
    if (!clean.isCut && sameKeys(input, clean.value)) return rewrite(clean.value, notice(clean, "tool_input"));
  }
  const finding = judge("tool_input", input, config.allow, tool);
  if (finding === undefined) return undefined;
  const mayAsk = name !== "ToolInputTransform";
  return mayAsk && (config.ask || finding.isDoubt) ? ask(finding.reason) : deny(finding.reason);
}

/** Judges texts that no reply can replace. */
function judgeTexts(name: Event, given: Given, fields: readonly string[], config: Config): Verdict {
  for (const field of fields) {
    const finding = judge(field, given[field], config.allow);
    if (finding === undefined) continue;
    if (ROWS[name].reach === "refusal" || (config.block && canBlockAfter(name, given["dialect"])))
      return deny(finding.reason);
    const consequence = finding.isDoubt ? "" : ", which this event cannot replace";
    return respond({ systemMessage: `${finding.what}${consequence}` });
  }
  return undefined;
}

const isChanged = ({ kinds, isCut }: Redaction): boolean => kinds.size > 0 || isCut;

function notice({ kinds, isCut }: Redaction, field: string): { readonly systemMessage: string } {
  const parts = [
    ...(kinds.size > 0 ? [`replaced in ${field}: ${[...kinds].join(", ")}`] : []),
    ...(isCut ? [`left out of ${field}: text that could not be searched for secrets`] : []),
  ];
  return { systemMessage: parts.join("; ") };
}

function sameKeys(one: unknown, other: unknown): boolean {
  return Object.keys(one as object).every((key) => Object.hasOwn(other as object, key));
}

interface Finding {
  readonly what: string;
  readonly reason: string;
  /** Whether the text could not be searched, so that it may contain no secret. */
  readonly isDoubt: boolean;
}

function judge(name: string, value: unknown, allowed: readonly string[], tool?: unknown): Finding | undefined {
  const search = new Search(allowed, newBudget());
  for (const field of textsIn(name, value, tool)) {
    try {
      const secret = search.find(field.text, field.isKey ? undefined : field.place.name);
      if (secret === undefined) continue;
      const { kind, value, shown } = secret;
      const masked = shown === 0 ? "" : ` (${value.slice(0, shown)}…)`;
      const what = `${fieldOf(field)} holds ${kind}${masked}`;
      return { what, reason: `${what}; read it from the environment or a secret store instead`, isDoubt: false };
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      const what = `${fieldOf(field)} could not be searched for secrets: there is ${error.message}`;
      return { what, reason: what, isDoubt: true };
    }
  }
  return undefined;
}
