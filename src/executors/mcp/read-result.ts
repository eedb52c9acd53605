import type { CallToolResult } from "@modelcontextprotocol/client";
import { type DecodedReply, failedReply } from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent, denialWord } from "../../events/lookup.ts";
import { parseJsonObject } from "../../json.ts";
import { excessOfValue, type JsonExcess } from "../../json-bounds.ts";
import type { Failure } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import { cleanLine } from "../../text.ts";
import { replyExcess } from "../reply-limit.ts";

/** Reads a tool's result. The result's text is read like a command's output. */

interface ReadResult {
  readonly decoded: DecodedReply;
  /** The text of the result. */
  readonly output: string;
}

const MAX_MESSAGE_LENGTH = 500;
const MAX_KINDS = 5;

export function readResult(rule: Rule, event: HookEvent, result: CallToolResult): ReadResult {
  const output = textOf(result);
  if (typeof output !== "string") {
    const { message, limit, value } = output;
    const why = `gave a structured result that ${message}`;
    return { decoded: failedReply({ kind: "output-too-large", message: why, limit, value }), output: "" };
  }
  if (result.isError === true) return { decoded: failedReply(reportedError(output)), output };
  const excess = replyExcess(output, "the JSON of its answer");
  if (excess !== undefined) return { decoded: failedReply(excess), output };
  const missing = output.trim() === "" ? whatCameInstead(result) : undefined;
  if (missing !== undefined) return { decoded: failedReply(missing), output };
  const { onFailure, name: hook, strict, compat, contract } = rule;
  const replyOptions = { failsClosed: onFailure === "block", hook, strict, compat, contract };
  const decoded = rule.codec.decodeReply({ exitCode: 0, stdout: output, stderr: "" }, event, replyOptions);
  const failure = mustBeReply(rule, event) ? failureOfOutput(output, decoded) : undefined;
  return { decoded: failure === undefined ? decoded : failedReply(failure), output };
}

/** Returns the text of a result. Structured content counts only without a text, because the protocol requires one. */
function textOf({ content, structuredContent }: CallToolResult): string | JsonExcess {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const text = texts.join("\n");
  if (text !== "" || structuredContent === undefined) return text;
  return excessOfValue(structuredContent) ?? JSON.stringify(structuredContent);
}

function reportedError(output: string): Failure {
  const said = cleanLine(output, MAX_MESSAGE_LENGTH);
  return { kind: "exit", message: `reported an error${said === "" ? " without a word" : `: ${said}`}` };
}

/**
 * Returns the failure of a result without text. An empty result is no opinion. A result of only pictures, sounds or
 * links is a failure, because an attacker could make a guard answer with it to open a gate.
 */
function whatCameInstead({ content }: CallToolResult): Failure | undefined {
  const kinds = [...new Set(content.flatMap(({ type }) => (type === "text" ? [] : [type])))];
  if (kinds.length === 0) return undefined;
  const named = cleanLine(kinds.slice(0, MAX_KINDS).join(", "), MAX_MESSAGE_LENGTH);
  return { kind: "invalid-output", message: `gave no text, but ${named}` };
}

/** Events that use plain text. */
const TAKES_PLAIN_TEXT: ReadonlySet<string> = new Set(["PreCompact", "WorktreeCreate"]);

/** Whether the text must be a hook's reply: for rules that block on failure, at events that can be blocked. */
function mustBeReply({ onFailure }: Rule, event: HookEvent): boolean {
  if (onFailure !== "block" || TAKES_PLAIN_TEXT.has(event.name)) return false;
  return denialWord(contractOfEvent(event)) !== undefined;
}

function failureOfOutput(output: string, decoded: DecodedReply): Failure | undefined {
  if (!decoded.ok || output.trim() === "") return undefined;
  const json = parseJsonObject(output);
  if (json === undefined) {
    const message = `answered in plain text, which a hook that blocks on failure may not: "${cleanLine(output, 100)}"`;
    return { kind: "invalid-output", message };
  }
  const isForeign = Object.keys(decoded.reply).length === 0 && (decoded.ignored ?? []).length > 0;
  const keys = cleanLine(Object.keys(json).slice(0, MAX_KINDS).join(", "), MAX_MESSAGE_LENGTH);
  const message = `answered with JSON that is no hook's reply (${keys}), which a hook that blocks on failure may not`;
  return isForeign ? { kind: "invalid-output", message } : undefined;
}
