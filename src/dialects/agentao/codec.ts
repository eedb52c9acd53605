import type { Codec } from "../../codec.ts";
import { agentPayload } from "./payload.ts";
import { readProcessReply, readText } from "./read-reply.ts";
import { agentaoTools } from "./tools.ts";

/** The codec of Agentao (August 2026). */
export const agentaoCodec: Codec = {
  dialect: "agentao",
  encodePayload: (event) => JSON.stringify(agentPayload(event.name, event.payload)),
  decodeReply: readProcessReply,
  // Agentao has no web hooks. A web hook in Agentao's format is read like a command that exited with 0.
  decodeHttpReply: ({ status, body }, event, options) => {
    if (status < 200 || status > 299) {
      return { ok: false, failure: { kind: "unavailable", message: `answered with status ${status}`, value: status } };
    }
    const text = body.trim();
    return text === "" ? { ok: true, reply: {} } : readText(text, event, options?.compat === "faithful");
  },
  readDetachment: () => undefined,
  environment: () => ({}),
  toolSpellings: agentaoTools.spellings,
  inheritedEnvironment: "most",
  startsAt: "agent",
  keepsBackgroundProcesses: true,
};
