import type { Compat } from "../../codec.ts";
import type { AgentReply, DecidedEvent, Dialect } from "../../dialects/dialect.ts";
import type { HookError } from "../../errors.ts";
import { isEventName } from "../../events/lookup.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { parseJsonObject } from "../../json.ts";
import type { Verdict } from "../../verdict.ts";
import { anyRefusal, refusalText, replyTo } from "../agent-reply.ts";
import { EXIT } from "../exit-codes.ts";
import { failureText } from "../failure-text.ts";
import { NotJson, type QuestionId } from "./question.ts";

/** The forms of an answer line. */

interface Answered {
  readonly verdict: Verdict;
  readonly event: DecidedEvent;
  readonly dialect: Dialect;
  readonly compat: Compat;
}

/** A question that could not be answered. */
interface Unanswered {
  readonly error: HookError;
  /** The exit code of `hookbox run` for this event alone. */
  readonly exitCode: number;
  /** The event of the question. `undefined`: the event is unknown. */
  readonly event: DecidedEvent | undefined;
  /** The payload of the question. `undefined`: the payload could not be read. */
  readonly payload: JsonObject | undefined;
}

export interface AnswerForm {
  answer(id: QuestionId | undefined, answered: Answered): JsonObject;
  refuse(id: QuestionId | undefined, unanswered: Unanswered): JsonObject;
}

/** Returns the answer form for a dialect. Default: the exit code and the output of `hookbox run`. */
export function formFor(dialect: Dialect | undefined, json: boolean): AnswerForm {
  if (json) return asVerdict;
  if (dialect?.lineForm === "json-rpc") return asJsonRpc;
  return dialect?.lineForm === "result" ? asResult(dialect) : asProcess(dialect);
}

/** The exit code and the output that `hookbox run` would have had. */
export function asProcess(dialect: Dialect | undefined): AnswerForm {
  return {
    answer: (id, answered) => ({ ...named(id), ...fields(processReply(answered)) }),
    refuse: (id, { error, exitCode, event, payload }) => {
      const stderr = failureText(error);
      const known = nameOf(event);
      const text = (reason: string): string =>
        known === undefined ? anyRefusal(payload, reason) : refusalText(dialect, known, reason);
      const stdout = exitCode === EXIT.refused ? text(stderr.trim()) : "";
      return { ...named(id), exitCode, stdout, stderr, error: errorData(error) };
    },
  };
}

/** The answer form of JSON-RPC 2.0. */
const asJsonRpc: AnswerForm = {
  answer: (id, answered) => ({ jsonrpc: "2.0", id: id ?? null, result: fields(processReply(answered)) }),
  refuse: (id, { error }) => {
    const { code, message, hint } = errorData(error);
    return { jsonrpc: "2.0", id: id ?? null, error: { code: rpcCode(error), message, data: { code, hint } } };
  },
};

/** The answer form for plugins: the value that a plugin's hook returns unchanged. */
function asResult(dialect: Dialect): AnswerForm {
  const resultOf = (verdict: Verdict, event: DecidedEvent): JsonObject =>
    parseJsonObject(dialect.encodeReply(verdict, event).stdout) ?? {};
  return {
    answer: (id, { verdict, event }) => ({ ...resultOf(verdict, event), ...named(id) }),
    refuse: (id, { error, event }) => {
      const refusal = dialect.refusal?.(nameOf(event), `hookbox: ${error.message}`) ?? {};
      return { error: errorData(error), ...refusal, ...named(id) };
    },
  };
}

const asVerdict: AnswerForm = {
  answer: (id, { verdict }) => ({ ...named(id), verdict: verdict as unknown as JsonValue }),
  refuse: (id, { error }) => ({ ...named(id), error: errorData(error) }),
};

function processReply({ verdict, event, dialect, compat }: Answered): AgentReply {
  return replyTo(verdict, dialect.encodeReply(verdict, event, compat), dialect);
}

function fields({ exitCode, stdout, stderr }: AgentReply): JsonObject {
  return { exitCode, stdout, stderr };
}

/** Returns the event's name; `undefined` for an event that this version does not know, which may be a gate. */
function nameOf(event: DecidedEvent | undefined): string | undefined {
  return event !== undefined && isEventName(event.name) ? event.name : undefined;
}

function named(id: QuestionId | undefined): JsonObject {
  return id === undefined ? {} : { id };
}

function errorData({ code, message, hint }: HookError): { code: string; message: string; hint: string | null } {
  return { code, message, hint: hint ?? null };
}

function rpcCode(error: HookError): number {
  if (error instanceof NotJson) return -32700;
  if (error.code === "HOOK_EVENT_UNKNOWN") return -32601;
  return error.code.startsWith("HOOK_PAYLOAD_") ? -32600 : -32603;
}
