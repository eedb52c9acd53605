import type { AgentReply } from "../../src/dialects/dialect.ts";
import { dialectNamed } from "../../src/dialects/registry.ts";
import { isJsonObject, type JsonObject } from "../../src/event.ts";
import type { Verdict } from "../../src/verdict.ts";
import type { FaultDialect, FaultEvent } from "./expected-meaning.ts";

/** What an agent takes from a reply, read as its documentation tells its own reader to. */

export function replyOf(verdict: Verdict, dialect: FaultDialect): AgentReply {
  const encoded = dialectNamed(dialect)?.encodeReply(verdict, { name: verdict.event, payload: {} });
  if (encoded === undefined) throw new Error(`no dialect ${dialect}`);
  return encoded;
}

export type Heard = "refusal" | "permission" | "nothing";

export function heard(reply: AgentReply, event: FaultEvent, dialect: FaultDialect): Heard {
  if (reply.exitCode === 2) return "refusal";
  if (reply.exitCode !== 0 || reply.stdout === "") return "nothing";
  const json: unknown = JSON.parse(reply.stdout);
  if (!isJsonObject(json)) throw new Error(`not an object: ${reply.stdout}`);
  if (json["continue"] === false || json["decision"] === "block") return "refusal";
  const word = dialect === "docker-agent" ? permissionInSnakeCase(json) : permission(json, event);
  if (word === "deny") return "refusal";
  return word === undefined ? "nothing" : "permission";
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
