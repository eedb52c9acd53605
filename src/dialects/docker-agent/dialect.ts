import { callersFolder } from "../../caller.ts";
import type { JsonObject } from "../../json.ts";
import type { DecodedEvent, Dialect } from "../dialect.ts";
import { dockerAgentCodec } from "./codec.ts";
import { encodeReply } from "./encode-reply.ts";
import { isDropInFolder, places } from "./places.ts";
import { agentEvent, CANONICAL_EVENT, canonicalEvent, canonicalPayload } from "./spelling.ts";

/** docker-agent's flags that add hooks for one run, with the event of each. */
const FLAGS: Readonly<Record<string, string>> = {
  "hook-pre-tool-use": "pre_tool_use",
  "hook-post-tool-use": "post_tool_use",
  "hook-session-start": "session_start",
  "hook-session-end": "session_end",
  "hook-on-user-input": "on_user_input",
  "hook-stop": "stop",
};

const FOR_ALL_TOOLS: readonly string[] = ["pre_tool_use", "post_tool_use"];

/** docker-agent's flags, each with a function that returns its commands as a configuration file. */
export const HOOK_FLAGS: Readonly<Record<string, (commands: readonly string[]) => JsonObject>> = Object.fromEntries(
  Object.entries(FLAGS).map(([flag, event]) => [
    flag,
    (commands: readonly string[]): JsonObject => {
      const hooks = commands.map((command) => ({ type: "command", command }));
      return { hooks: { [event]: FOR_ALL_TOOLS.includes(event) ? [{ matcher: "*", hooks }] : hooks } };
    },
  ]),
);

export const dockerAgent: Dialect = {
  name: "docker-agent",
  codec: dockerAgentCodec,
  configFormat: async () => (await import("./config-format.ts")).dockerAgentFormat,
  eventNames: CANONICAL_EVENT,
  places,
  isDropInFolder,
  hasAgents: true,
  hookFlags: HOOK_FLAGS,
  recognises,
  decodeEvent,
  encodeReply,
};

/** Whether a payload comes from docker-agent. `stop` and `notification` are also event names of another agent. */
function recognises(payload: JsonObject): boolean {
  const { hook_event_name: name } = payload;
  if (typeof name !== "string" || canonicalEvent(name) === undefined) return false;
  if (name === "stop") return "stop_response" in payload || "agent_name" in payload;
  return name !== "notification" || "notification_level" in payload;
}

/** Decodes an event. The command line may use the agent's name or the canonical name of the event. */
function decodeEvent(payload: JsonObject, eventName: string | undefined): DecodedEvent {
  const named = payload["hook_event_name"];
  if (named !== undefined && typeof named !== "string")
    return { ok: false, message: "hook_event_name must be a string" };
  const wanted = eventName === undefined ? undefined : agentEvent(eventName);
  const agentName = named ?? wanted;
  if (agentName === undefined)
    return { ok: false, message: "the payload has no hook_event_name, and no event was named" };
  if (wanted !== undefined && agentName !== wanted)
    return { ok: false, message: `the payload says it is ${agentName}, the command line says ${eventName}` };
  const name = canonicalEvent(agentName);
  if (name === undefined) return { ok: false, message: `docker-agent has no event "${agentName}"` };
  return { ok: true, name, payload: canonicalPayload(name, withWorkingDirectory(payload)) };
}

/**
 * Adds hookbox's working directory as `cwd` if the payload has none. Every hook event needs `cwd`, and docker-agent
 * uses its own working directory in this case.
 */
function withWorkingDirectory(payload: JsonObject): JsonObject {
  const { cwd } = payload;
  return cwd === undefined || cwd === "" ? { ...payload, cwd: callersFolder() } : payload;
}
