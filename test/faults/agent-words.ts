import type { AgentReply } from "../../src/dialects/dialect.ts";
import { dialectNamed } from "../../src/dialects/registry.ts";
import { isJsonObject, type JsonObject } from "../../src/json.ts";
import type { Verdict } from "../../src/verdict.ts";
import type { FaultDialect, FaultEvent } from "./expected-meaning.ts";

/** What an agent takes from a reply, read as its documentation describes its own reader. */

export function replyOf(verdict: Verdict, dialect: FaultDialect): AgentReply {
  const encoded = dialectNamed(dialect)?.encodeReply(verdict, { name: verdict.event, payload: {} });
  if (encoded === undefined) throw new Error(`no dialect ${dialect}`);
  return encoded;
}

type Heard = "refusal" | "permission" | "nothing";

export function heard(reply: AgentReply, event: FaultEvent, dialect: FaultDialect): Heard {
  if (dialect === "agentao") return heardByAgentao(reply, event);
  if (dialect === "autohand") return heardByAutohand(reply, event);
  if (dialect === "openclaw") return heardByOpenclaw(reply, event);
  if (reply.exitCode === 2) return "refusal";
  if (reply.exitCode !== 0 || reply.stdout === "") return "nothing";
  const json = objectIn(reply.stdout);
  if (json["continue"] === false || json["decision"] === "block") return "refusal";
  const word = dialect === "docker-agent" ? permissionInSnakeCase(json) : permission(json, event);
  if (word === "deny") return "refusal";
  return word === undefined ? "nothing" : "permission";
}

/**
 * JSON, whatever the exit code, and exit code 2 only at the end of a turn. There a "no" is one more iteration, or an
 * error.
 */
function heardByAgentao(reply: AgentReply, event: FaultEvent): Heard {
  if (event === "Stop" && reply.exitCode === 2) return "refusal";
  if (reply.stdout === "") return "nothing";
  const json = objectIn(reply.stdout);
  if (event === "Stop") {
    const forces = json["decision"] === "block" && typeof json["reason"] === "string";
    const isForced = (forces || json["preventContinuation"] === true) && json["continue"] !== false;
    return isForced || typeof json["blockingError"] === "string" ? "refusal" : "nothing";
  }
  if (event === "UserPromptSubmit") {
    const isBlocked = Object.hasOwn(json, "blockingError") && json["blockingError"] !== "";
    return isBlocked || json["preventContinuation"] ? "refusal" : "nothing";
  }
  if (event !== "PreToolUse") return "nothing";
  const specific = json["hookSpecificOutput"];
  const word = isJsonObject(specific) ? specific["permissionDecision"] : undefined;
  if (word === "deny") return "refusal";
  // An "allow" is ignored there.
  return word === "ask" ? "permission" : "nothing";
}

/** At a permission everything but a success refuses, and at other events at most exit code 2 does. */
function heardByAutohand(reply: AgentReply, event: FaultEvent): Heard {
  if (event === "UserPromptSubmit" || event === "BeforeLearn") return reply.exitCode === 2 ? "refusal" : "nothing";
  if (event !== "PreToolUse" && event !== "PermissionRequest") return "nothing";
  if (reply.exitCode !== 0) return "refusal";
  if (!reply.stdout.trim().startsWith("{")) return "nothing";
  const json = objectIn(reply.stdout);
  const word = json["decision"];
  if (json["continue"] === false || word === "deny" || word === "block") return "refusal";
  return word === undefined ? "nothing" : "permission";
}

/** The object that a handler would return, which differs for each hook. There is no exit code. */
function heardByOpenclaw(reply: AgentReply, event: FaultEvent): Heard {
  const json = objectIn(reply.stdout);
  if (event === "BeforeAgentRun") return json["outcome"] === "pass" ? "nothing" : "refusal";
  if (event === "MessageSending" || event === "ReplyPayloadSending")
    return json["cancel"] === true ? "refusal" : "nothing";
  if (event === "SubagentSpawning") return json["status"] === "error" ? "refusal" : "nothing";
  if (event === "Stop") return json["action"] === undefined || json["action"] === "continue" ? "nothing" : "refusal";
  if (event !== "PreToolUse" && event !== "BeforeInstall" && event !== "BeforeMessageWrite") return "nothing";
  if (json["block"] === true) return "refusal";
  return json["requireApproval"] === undefined ? "nothing" : "permission";
}

/** Whether refusals at this event have a reason. */
export function takesReasons(event: FaultEvent, dialect: FaultDialect): boolean {
  return dialect !== "openclaw" || !["MessageSending", "ReplyPayloadSending", "BeforeMessageWrite"].includes(event);
}

/** The exit code of a refusal. */
export function refusalCode(word: "deny" | "block" | null, dialect: FaultDialect): number {
  // The generic page has no other unambiguous sign of a refusal; Autohand reads nothing else except at its two
  // permission events. For other agents it is JSON that every client reads.
  if (dialect === "patterns") return 2;
  return dialect === "autohand" && word === "block" ? 2 : 0;
}

function objectIn(stdout: string): JsonObject {
  const json: unknown = JSON.parse(stdout);
  if (!isJsonObject(json)) throw new Error(`not an object: ${stdout}`);
  return json;
}

function permission(json: JsonObject, event: FaultEvent): unknown {
  const specific = json["hookSpecificOutput"];
  if (!isJsonObject(specific)) return undefined;
  if (specific["hookEventName"] !== event) throw new Error(`named ${String(specific["hookEventName"])}`);
  if (event !== "PermissionRequest") return specific["permissionDecision"];
  const decision = specific["decision"];
  return isJsonObject(decision) ? decision["behavior"] : undefined;
}

function permissionInSnakeCase(json: JsonObject): unknown {
  const specific = json["hook_specific_output"];
  return isJsonObject(specific) ? specific["permission_decision"] : undefined;
}
