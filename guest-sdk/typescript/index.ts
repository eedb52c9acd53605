/** `hookbox/guest`: the library for guards written in TypeScript. */

export type * from "./actions.ts";
export type { CallContext } from "./call-context.ts";
export type { Capabilities, CapabilitiesOf, Grant } from "./capabilities/capabilities.ts";
export type { Clock } from "./capabilities/clock.ts";
export type { Files } from "./capabilities/files.ts";
export { type Http, HttpError, type HttpRequest, type HttpResponse } from "./capabilities/http.ts";
export type { Random } from "./capabilities/random.ts";
export type { State } from "./capabilities/state.ts";
export type { ConfigSchema, ValueSchema } from "./config-schema.ts";
export { type Answer, defineGuard, type Guard, type GuardDefinition, type Limits } from "./define-guard.ts";
export type * from "./events.ts";
export type {} from "./globals/global-types.ts";
export type { Log } from "./log.ts";
export {
  abstain,
  allow,
  ask,
  context,
  deny,
  type Extras,
  type Reply,
  type ReplyKind,
  respond,
  rewrite,
} from "./replies.ts";
export type * from "./tool-inputs.ts";
