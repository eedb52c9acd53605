import { AsyncLocalStorage } from "node:async_hooks";
import type { HookName } from "./catalogue.ts";
import { type Failures, HookFailure } from "./failure.ts";
import { IsolationError, isolatedCopy } from "./isolation.ts";
import { isObject, MalformedResult, type Merge } from "./merges/merge.ts";
import { MERGES } from "./merges/table.ts";
import type { HookContext, HookEventData } from "./plugin-entry.ts";
import type { Registration } from "./registry.ts";
import { runHandler } from "./run-handler.ts";

/** A judge that is asked after all handlers, about the event as they changed it. */
export interface LastWord {
  readonly name: string;
  /** Whether a failure to ask counts as a refusal, whatever the policy for failing plugins. */
  readonly shuts: boolean;
  ask(event: HookEventData, ctx: HookContext): Promise<unknown>;
}

/** Calls the handlers one after another, by priority. Each gets its own copy of the event. Merges the results. */
export async function runModifying(
  hook: HookName,
  registrations: readonly Registration[],
  event: HookEventData,
  ctx: HookContext,
  { failures, lastWord }: { readonly failures: Failures; readonly lastWord: LastWord | undefined },
): Promise<object | undefined> {
  const merge = (MERGES[hook] as () => Merge)();
  const original = isolatedCopy(event, `the event of ${hook}`);
  for (const registration of registrations) {
    const { pluginId } = registration;
    const shown = isolatedCopy(merge.shown?.(original) ?? original, `the event of ${hook}`);
    const run = (): Promise<unknown> => runHandler(registration, shown, ctx);
    if (await mergeResult(hook, pluginId, run, merge, failures)) return merge.result;
  }
  if (lastWord !== undefined) {
    const shown = merge.shown?.(original) ?? original;
    const last: Merge = {
      result: undefined,
      ...(merge.takesAnything === true ? { takesAnything: true } : {}),
      take: (said, name) => merge.takeLast?.(said, name) ?? merge.take(said, name),
    };
    const { name } = lastWord;
    const ask = async (): Promise<unknown> => {
      try {
        return await lastWord.ask(shown, ctx);
      } catch (error) {
        if (!lastWord.shuts) throw error;
        failures.note(hook, name, error);
        throw new HookFailure(hook, name);
      }
    };
    await mergeResult(hook, name, ask, last, failures);
  }
  return merge.result;
}

/**
 * Merges one handler's result. Returns whether later handlers are skipped. A failure throws if the hook fails closed;
 * otherwise it counts as no result.
 */
async function mergeResult(
  hook: HookName,
  pluginId: string,
  run: () => Promise<unknown>,
  merge: Merge,
  failures: Failures,
): Promise<boolean> {
  try {
    const said = await run();
    if (said === undefined) return false;
    if (merge.takesAnything === true) return merge.take(said as Readonly<Record<string, unknown>>, pluginId);
    if (said === null) return false;
    if (!isObject(said)) throw new MalformedResult("a result must be an object");
    return merge.take(said, pluginId);
  } catch (error) {
    // Two errors refuse whatever the policy: the event cannot be isolated, or the operator's rules could not judge it.
    if (error instanceof IsolationError || error instanceof HookFailure) throw error;
    failures.report(hook, pluginId, error);
    return false;
  }
}

const building = new AsyncLocalStorage<{ isActive: boolean }>();

/**
 * Prevents recursion: a handler that builds a prompt while it is asked for one would be asked again without end. Within
 * the run, a nested call gets `undefined`. Work that outlives the run may ask again.
 */
export async function onceAtATime<T>(run: () => Promise<T>): Promise<T | undefined> {
  if (building.getStore()?.isActive === true) return undefined;
  const state = { isActive: true };
  try {
    return await building.run(state, run);
  } finally {
    state.isActive = false;
  }
}
