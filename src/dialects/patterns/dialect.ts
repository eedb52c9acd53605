import { canonicalEvents, decodeCanonicalEvent } from "../canonical-hook.ts";
import type { Dialect } from "../dialect.ts";
import { patternsCodec } from "./codec.ts";
import { encodeReply } from "./encode-reply.ts";

/** The generic shape of hooks that many agents follow: events are the canonical ones. */
export const patterns: Dialect = {
  name: "patterns",
  codec: patternsCodec,
  configFormat: async () => (await import("./config-format.ts")).patternsFormat,
  eventNames: canonicalEvents("patterns"),
  // Cannot be told from Claude Code's, whose payloads it has.
  recognises: () => false,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};
