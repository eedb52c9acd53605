import { canonicalEvents, decodeCanonicalEvent } from "../canonical-hook.ts";
import type { Dialect } from "../dialect.ts";
import { patternsCodec } from "./codec.ts";
import { encodeReply } from "./encode-reply.ts";

/** The generic form of hooks that many agents follow, with canonical events. */
export const patterns: Dialect = {
  name: "patterns",
  codec: patternsCodec,
  configFormat: async () => (await import("./config-format.ts")).patternsFormat,
  writer: async () => (await import("./write-config.ts")).patternsWriter,
  editing: async () => (await import("./editing.ts")).patternsEditing,
  eventNames: canonicalEvents("patterns"),
  // A payload is never recognised, because it is the same as Claude Code's.
  recognises: () => false,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};
