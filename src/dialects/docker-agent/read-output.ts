import type { DecodedReply, ReplyOptions } from "../../codec.ts";
import type { EventContract } from "../../events/contract.ts";
import { denialWord } from "../../events/lookup.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { Reply } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";
import { agentEvent } from "./spelling.ts";
import { dockerTools } from "./tools.ts";

/**
 * How to read docker-agent's reply object. A field that the event cannot use is dropped with a message to the user; if
 * the hook has strict output, it is a failure. A value of the wrong type is always a failure.
 */
interface OutputContext {
  readonly eventName: string;
  /** The canonical name. */
  readonly toolName: unknown;
  readonly contract: EventContract;
  readonly strict: boolean;
  /** The hook's name in messages to the user. */
  readonly hook: string;
}

class BadOutput extends Error {}

type Fields = ReadonlyMap<string, JsonValue>;
type Draft = { -readonly [Key in keyof Reply]: Reply[Key] };

const TOP = [
  "continue",
  "stop_reason",
  "suppress_output",
  "system_message",
  "decision",
  "reason",
  "hook_specific_output",
];
const SPECIFIC = [
  "hook_event_name",
  "permission_decision",
  "permission_decision_reason",
  "updated_input",
  "updated_messages",
  "updated_tool_response",
  "additional_context",
  "instruction_context",
  "summary",
  "metadata",
];

export function readOutput(json: JsonObject, options: OutputContext): DecodedReply {
  try {
    return new OutputReader(options).read(json);
  } catch (error) {
    if (!(error instanceof BadOutput)) throw error;
    return { ok: false, failure: { kind: "invalid-output", message: cleanLine(error.message, 300) } };
  }
}

export function hookNamed(options: ReplyOptions | undefined): string {
  return options?.hook === undefined ? "a hook" : `hook "${cleanLine(options.hook)}"`;
}

/** Returns the texts of an output whose exit code has already decided. Ignores all other values. */
export function textsIn(output: JsonObject): { readonly reasons: readonly string[]; readonly systemMessage: string } {
  const texts = textsOf(output);
  const details = Object.entries(output).find(([key]) => key.toLowerCase() === "hook_specific_output")?.[1];
  const specific = textsOf(isJsonObject(details) ? details : {});
  const reasons = [texts.get("stop_reason"), texts.get("reason"), specific.get("permission_decision_reason")];
  return {
    reasons: reasons.flatMap((text) => (text === undefined ? [] : [text.trim()])),
    systemMessage: texts.get("system_message") ?? "",
  };
}

function textsOf(object: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(object).flatMap(([key, value]) =>
      typeof value === "string" ? [[key.toLowerCase(), value] as const] : [],
    ),
  );
}

class OutputReader {
  readonly #context: OutputContext;
  readonly #ignored: string[] = [];
  readonly #said: string[] = [];

  constructor(options: OutputContext) {
    this.#context = options;
  }

  read(json: JsonObject): DecodedReply {
    const top = this.#known(json, TOP, "");
    const nested = top.get("hook_specific_output");
    if (nested !== undefined && !isJsonObject(nested)) throw new BadOutput("hook_specific_output must be an object");
    const details = this.#known(nested ?? {}, SPECIFIC, "hook_specific_output.");
    this.#checkEventName(details);

    const reply: Draft = {};
    const reasons = [...this.#refusals(top), ...this.#permission(details, reply)];
    if (reasons.length > 0) {
      const word = denialWord(this.#context.contract);
      if (word !== undefined) reply.decision = word;
      const reason = reasons.filter((text) => text !== "").join("\n");
      if (reason !== "") reply.reason = reason;
      else delete reply.reason;
    }
    this.#rewrites(details, reply);
    this.#texts(top, details, reply);
    return { ok: true, reply, ...(this.#ignored.length === 0 ? {} : { ignored: this.#ignored }) };
  }

  /**
   * Returns the fields that are present and not null, by lower-case name. docker-agent's reader ignores case, so a
   * "DECISION" that docker-agent reads as a refusal must refuse here too.
   */
  #known(object: JsonObject, names: readonly string[], prefix: string): Fields {
    const fields = new Map<string, JsonValue>();
    for (const [key, value] of Object.entries(object)) {
      const name = key.toLowerCase();
      if (!names.includes(name)) {
        if (this.#context.strict) throw new BadOutput(`unknown field ${prefix}${key}`);
        this.#ignored.push(`${cleanLine(prefix + key, 300)}: unknown field`);
      } else if (value !== null) fields.set(name, value);
    }
    return fields;
  }

  #checkEventName(details: Fields): void {
    const named = this.#text(details, "hook_event_name");
    const expected = agentEvent(this.#context.eventName);
    if (!this.#context.strict || named === "" || named === expected) return;
    throw new BadOutput(`hook_specific_output.hook_event_name is "${named}", and the event is ${expected}`);
  }

  /** Returns the reasons of both forms of refusal. Returns an empty list if the event has nothing to stop. */
  #refusals(top: Fields): string[] {
    const decision = this.#oneOf(top, "decision", ["block"]);
    const stops = this.#flag(top, "continue") === false;
    const canBlock = denialWord(this.#context.contract) !== undefined;
    if (!canBlock) {
      if (stops) this.#unusable("continue: false", "cannot block");
      if (decision !== "") this.#unusable('decision "block"', "cannot block");
      return [];
    }
    return [
      ...(stops ? [this.#text(top, "stop_reason")] : []),
      ...(decision === "" ? [] : [this.#text(top, "reason")]),
    ];
  }

  /** Reads the permission decision. Returns the reason of a "deny". */
  #permission(details: Fields, reply: Draft): string[] {
    const said = this.#oneOf(details, "permission_decision", ["allow", "ask", "deny"]);
    const reason = this.#text(details, "permission_decision_reason");
    const { contract } = this.#context;
    if (said === "") {
      if (reason !== "" && !contract.verdicts.includes("allow")) this.#unused("permission_decision_reason");
      return [];
    }
    if (!contract.verdicts.includes("allow")) {
      this.#unusable(`permission_decision "${said}"`, "decides no permission");
      return [];
    }
    if (said === "deny") return [reason];
    reply.decision = said as "allow" | "ask";
    if (reason !== "") reply.reason = reason;
    return [];
  }

  #rewrites(details: Fields, reply: Draft): void {
    const { rewrites, metadata: takesMetadata } = this.#context.contract;
    const input = details.get("updated_input");
    if (input !== undefined) {
      if (!isJsonObject(input)) throw new BadOutput("hook_specific_output.updated_input must be an object");
      if (rewrites === "input") reply.updatedInput = dockerTools.canonicalInput(this.#context.toolName, input);
      else this.#unused("updated_input");
    }
    const messages = details.get("updated_messages");
    if (messages !== undefined) {
      if (!Array.isArray(messages)) throw new BadOutput("hook_specific_output.updated_messages must be a list");
      if (rewrites !== "messages") this.#unused("updated_messages");
      else if (messages.length > 0) reply.updatedMessages = messages;
    }
    if (details.has("updated_tool_response")) {
      const response = this.#text(details, "updated_tool_response");
      if (rewrites === "output") reply.updatedOutput = response;
      else this.#unused("updated_tool_response");
    }
    const summary = this.#text(details, "summary");
    if (summary !== "") {
      if (rewrites === "summary") reply.summary = summary;
      else this.#unused("summary");
    }
    const metadata = details.get("metadata");
    if (metadata === undefined) return;
    if (!isJsonObject(metadata) || Object.values(metadata).some((value) => typeof value !== "string")) {
      throw new BadOutput("hook_specific_output.metadata must be an object of texts");
    }
    if (!takesMetadata) this.#unused("metadata");
    else if (Object.keys(metadata).length > 0) reply.metadata = metadata;
  }

  #texts(top: Fields, details: Fields, reply: Draft): void {
    const { contract, strict } = this.#context;
    const context = this.#text(details, "additional_context");
    if (context !== "") {
      if (contract.context === null) this.#unused("additional_context");
      else reply.additionalContext = [context];
    }
    const instructions = details.get("instruction_context");
    if (instructions !== undefined) {
      if (!Array.isArray(instructions)) throw new BadOutput("hook_specific_output.instruction_context must be a list");
      if (!contract.specific.includes("instructionContext")) this.#unused("instruction_context");
      else if (instructions.length > 0) reply.specific = { instructionContext: instructions };
    }
    if (this.#flag(top, "suppress_output") === true) {
      if (strict) throw new BadOutput("suppress_output: true has no effect");
      reply.suppressOutput = true;
    }
    const message = [this.#text(top, "system_message"), ...this.#said].filter((text) => text !== "").join("\n");
    if (message !== "") reply.systemMessage = message;
  }

  /** Reports a refusal or permission that the event cannot honour, so that the hook's author notices it. */
  #unusable(what: string, why: string): void {
    const text = `${what}: ${agentEvent(this.#context.eventName)} ${why}`;
    if (this.#context.strict) throw new BadOutput(text);
    this.#said.push(`${this.#context.hook} said ${text}`);
    this.#ignored.push(text);
  }

  #unused(field: string): void {
    const text = `${field}: ${agentEvent(this.#context.eventName)} does not honour it`;
    if (this.#context.strict) throw new BadOutput(text);
    this.#ignored.push(text);
  }

  #text(fields: Fields, name: string): string {
    const value = fields.get(name) ?? "";
    if (typeof value !== "string") throw new BadOutput(`${name} must be a string`);
    return value;
  }

  #flag(fields: Fields, name: string): boolean | undefined {
    const value = fields.get(name);
    if (value !== undefined && typeof value !== "boolean") throw new BadOutput(`${name} must be true or false`);
    return value;
  }

  #oneOf(fields: Fields, name: string, words: readonly string[]): string {
    const value = this.#text(fields, name);
    if (value === "" || words.includes(value)) return value;
    throw new BadOutput(`${name} must be one of ${words.join(", ")}, not ${JSON.stringify(value.slice(0, 80))}`);
  }
}
