import { decodeCanonicalEvent } from "../canonical-hook.ts";
import { encodeReply } from "../claude-reply.ts";
import type { Dialect } from "../dialect.ts";
import { patternsCodec } from "./codec.ts";

/** The generic shape of hooks that many agents follow: events and replies are the canonical ones. */
export const patterns: Dialect = {
  name: "patterns",
  codec: patternsCodec,
  configFormat: async () => (await import("./config-format.ts")).patternsFormat,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};
