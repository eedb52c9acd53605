import { contextMaker } from "./call-context.ts";
import { Guard } from "./define-guard.ts";
import { describeError } from "./describe-error.ts";
import { encodeReply } from "./encode-reply.ts";
import type { EventName } from "./events.ts";
import { bindHost, type Host } from "./host.ts";
import { manifestJson } from "./manifest-json.ts";
import { nameValue } from "./name-value.ts";
import { forgetReplies, lastReplyMade, Reply } from "./replies.ts";
import type { LineTable } from "./stack-lines.ts";

export type { LineTable } from "./stack-lines.ts";

/** The engine reads this object from `globalThis.__hookbox_guard`, and then removes the global. */
export interface InstalledGuard {
  /** The manifest as JSON, without fixtures. */
  readonly manifest: string;
  /** Returns the hook output, or a promise of it. */
  handle(event: unknown): unknown;
  describeError(error: unknown): string;
}

interface Globals {
  __hookbox_host?: Host;
  __hookbox_guard?: InstalledGuard;
}

/**
 * Installs a guard for the engine that evaluates the bundle.
 *
 * @param guard the default export of the author's file
 * @param lines for stacks; without it, stacks name lines of the bundle
 * @throws TypeError if the file does not export a guard, or the engine is missing
 */
export function installGuard(guard: unknown, lines?: LineTable): void {
  if (!(guard instanceof Guard)) {
    throw new TypeError(`the default export must be what defineGuard({ … }) returns, but it is ${nameValue(guard)}`);
  }
  const globals = globalThis as Globals;
  const host = globals.__hookbox_host;
  if (host === undefined) throw new TypeError("this guard does not run in hookbox's engine");
  bindHost(host);
  const { definition, readConfig } = guard;
  const declared: ReadonlySet<unknown> = new Set(definition.events);
  const makeContext = contextMaker(host, readConfig, definition.wants ?? []);
  globals.__hookbox_guard = {
    manifest: manifestJson(definition),
    handle(event) {
      if (typeof event !== "object" || event === null || Array.isArray(event)) {
        throw new TypeError(`the input must be a JSON object, but it is ${nameValue(event)}`);
      }
      const name = (event as { hook_event_name?: unknown }).hook_event_name;
      if (!declared.has(name)) return {};
      forgetReplies();
      const answer: unknown = definition.handle(event as never, makeContext() as never);
      return isThenable(answer)
        ? answer.then((settled) => encodeAnswer(name as EventName, settled))
        : encodeAnswer(name as EventName, answer);
    },
    describeError: (error) => describeError(error, lines),
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

function encodeAnswer(event: EventName, answer: unknown): Record<string, unknown> {
  if (answer instanceof Reply) return encodeReply(event, answer);
  if (answer === undefined || answer === null) {
    // A denial that was created but not returned would let the action through unnoticed.
    const made = lastReplyMade();
    if (made === undefined) return {};
    throw new TypeError(`${made}() was called, but handle returned nothing; is a "return" missing?`);
  }
  throw new TypeError(
    `handle returned ${nameValue(answer)}; return what deny(), ask(), allow(), rewrite(), context(), respond() or abstain() makes, or nothing`,
  );
}
