import type { Codec } from "../../codec.ts";
import { agentPayload } from "./payload.ts";
import { readProcessReply, readText } from "./read-reply.ts";
import { agentaoTools } from "./tools.ts";

/** How Agentao (August 2026) speaks to its hooks. */
export const agentaoCodec: Codec = {
  dialect: "agentao",
  encodePayload: (event) => JSON.stringify(agentPayload(event.name, event.payload)),
  decodeReply: readProcessReply,
  // The agent has no web hooks of its own; one in its place is read as a command that ended well.
  decodeHttpReply: ({ status, body }, event, terms) => {
    if (status < 200 || status > 299) {
      return { ok: false, failure: { kind: "unavailable", message: `answered with status ${status}`, value: status } };
    }
    const text = body.trim();
    return text === "" ? { ok: true, reply: {} } : readText(text, event, terms?.compat === "faithful");
  },
  readDetachment: () => undefined,
  environment: () => ({}),
  toolSpellings: agentaoTools.spellings,
  inheritedEnvironment: "most",
  startsAt: "agent",
  keepsBackgroundProcesses: true,
};
