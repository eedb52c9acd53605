import { canonicalEvents, decodeCanonicalEvent } from "../canonical-hook.ts";
import { encodeReply } from "../claude-reply.ts";
import type { Dialect } from "../dialect.ts";
import { hookboxCodec } from "./codec.ts";

/** Our own format. Its events and replies are the canonical ones, which are Claude Code's. */
export const hookbox: Dialect = {
  name: "hookbox",
  codec: hookboxCodec,
  // `~` in a grant's paths.
  configVariables: ["HOME", "USERPROFILE"],
  configFormat: async () => (await import("./config-format.ts")).hookboxFormat,
  eventNames: canonicalEvents("hookbox"),
  recognises: () => false,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};
