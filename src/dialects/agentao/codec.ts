import { AGENT_CODEC, type Codec, type DecodedReply, statusFailure } from "../../codec.ts";
import { agentPayload } from "./payload.ts";
import { readProcessReply, readText } from "./read-reply.ts";
import { agentaoTools } from "./tools.ts";

/** The codec of Agentao (August 2026). */
export const agentaoCodec: Codec = {
  ...AGENT_CODEC,
  dialect: "agentao",
  encodePayload: (event) => JSON.stringify(agentPayload(event.name, event.payload)),
  decodeReply: readProcessReply,
  // Agentao has no web hooks. A web hook in Agentao's format is read like a command that exited with 0.
  decodeHttpReply: (result, event, options) => {
    const text = result.body.trim();
    const read = (): DecodedReply =>
      text === "" ? { ok: true, reply: {} } : readText(text, event, options?.compat === "faithful");
    return statusFailure(result) ?? read();
  },
  toolSpellings: agentaoTools.spellings,
};
