/** `hookbox/guest`: for guards written in TypeScript. */

export type { CallContext, State } from "./call-context.ts";
export type { ConfigSchema, ValueSchema } from "./config-schema.ts";
export { type Answer, defineGuard, type Grant, type Guard, type GuardDefinition, type Limits } from "./define-guard.ts";
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
