import { canonicalEvents, decodeCanonicalEvent } from "../canonical-hook.ts";
import { encodeReply } from "../claude-reply.ts";
import type { Dialect } from "../dialect.ts";
import { hookboxCodec } from "./codec.ts";

/** hookbox's own format. Its events and replies are canonical, which means Claude Code's. */
export const hookbox: Dialect = {
  name: "hookbox",
  codec: hookboxCodec,
  // These variables determine `~` in a grant's paths.
  configVariables: ["HOME", "USERPROFILE"],
  configFormat: async () => (await import("./config-format.ts")).hookboxFormat,
  writer: async () => (await import("./write-config.ts")).hookboxWriter,
  editing: async () => (await import("./editing.ts")).hookboxEditing,
  eventNames: canonicalEvents("hookbox"),
  recognises: () => false,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};
