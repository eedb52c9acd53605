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

/** What the engine finds in `globalThis.__hookbox_guard`, keeps, and removes. */
export interface InstalledGuard {
  /** JSON, without fixtures. */
  readonly manifest: string;
  /** Gives the hook output, or a promise of it. */
  handle(event: unknown): unknown;
  describeError(error: unknown): string;
}

interface Globals {
  __hookbox_host?: Host;
  __hookbox_guard?: InstalledGuard;
}

/**
 * Makes a guard ready for the engine that evaluates the bundle.
 *
 * @param guard the default export of the author's file
 * @param lines for stacks; without it they name places in the bundle
 * @throws TypeError if the file does not export a guard, or the engine lacks what it wants
 */
export function installGuard(guard: unknown, lines?: LineTable): void {
  if (!(guard instanceof Guard)) {
    throw new TypeError(`the default export must be what defineGuard({ … }) returns, and it is ${nameValue(guard)}`);
  }
  const globals = globalThis as Globals;
  const host = globals.__hookbox_host;
  if (host === undefined) throw new TypeError("there is no engine around this guard");
  bindHost(host);
  const { definition, readConfig } = guard;
  const declared: ReadonlySet<unknown> = new Set(definition.events);
  const makeContext = contextMaker(host, readConfig, definition.wants ?? []);
  globals.__hookbox_guard = {
    manifest: manifestJson(definition),
    handle(event) {
      if (typeof event !== "object" || event === null || Array.isArray(event)) {
        throw new TypeError(`the input must be a JSON object, and it is ${nameValue(event)}`);
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
    // A denial that was made and dropped would let the action through without a word.
    const made = lastReplyMade();
    if (made === undefined) return {};
    throw new TypeError(`${made}() was called, and handle returned nothing; is a "return" missing?`);
  }
  throw new TypeError(
    `handle returned ${nameValue(answer)}; return what deny(), ask(), allow(), rewrite(), context(), respond() or abstain() makes, or nothing`,
  );
}
