import type { HookName } from "./catalogue.ts";
import type { Failures } from "./failure.ts";
import { isolatedCopy } from "./isolation.ts";
import { safeText } from "./log-text.ts";
import { flag, isObject, MalformedResult } from "./merges/merge.ts";
import type { HookContext, HookEventData } from "./plugin-entry.ts";
import { isThenable, type Registration } from "./registry.ts";
import { runHandler } from "./run-handler.ts";

/** The kinds of hooks whose handlers do not rewrite anything together: observers, claims, evaluations. */

export interface Run {
  readonly hook: HookName;
  readonly registrations: readonly Registration[];
  readonly event: HookEventData;
  readonly ctx: HookContext;
  readonly failures: Failures;
}

/** Calls observers, in parallel or, with `sequentially`, one after another. Ignores their results. */
export async function runVoid(
  { hook, registrations, event, ctx, failures }: Run,
  sequentially: boolean,
): Promise<void> {
  const copies = registrations.map(() => isolatedCopy(event, `the event of ${hook}`));
  const observe = async (registration: Registration, index: number): Promise<void> => {
    try {
      await runHandler(registration, copies[index] as HookEventData, ctx);
    } catch (error) {
      failures.note(hook, registration.pluginId, error);
    }
  };
  if (!sequentially) await Promise.all(registrations.map(observe));
  else for (const [index, registration] of registrations.entries()) await observe(registration, index);
}

export interface Claim {
  readonly handled: true;
  readonly [field: string]: unknown;
}

/** Asks the handlers one after another until one claims the event. */
export async function runClaiming(run: Run): Promise<Claim | undefined> {
  const { claim } = await claimAmong(run);
  return claim;
}

export type TargetedClaim =
  | { readonly status: "handled"; readonly result: Claim }
  | { readonly status: "missing_plugin" | "no_handler" | "declined" }
  | { readonly status: "error"; readonly error: string };

/** Like {@link runClaiming}, for the handlers of one plugin. */
export async function runTargetedClaim(run: Run, pluginIsKnown: boolean): Promise<TargetedClaim> {
  if (!pluginIsKnown) return { status: "missing_plugin" };
  if (run.registrations.length === 0) return { status: "no_handler" };
  const { claim, error } = await claimAmong(run);
  if (claim !== undefined) return { status: "handled", result: claim };
  return error === undefined ? { status: "declined" } : { status: "error", error };
}

async function claimAmong({ hook, registrations, event, ctx, failures }: Run): Promise<{
  readonly claim?: Claim;
  readonly error?: string;
}> {
  let firstError: string | undefined;
  for (const registration of registrations) {
    const shown = isolatedCopy(event, `the event of ${hook}`);
    try {
      const said = await runHandler(registration, shown, ctx);
      if (said === undefined || said === null) continue;
      if (!isObject(said)) throw new MalformedResult("a result must be an object");
      if (flag(said, "handled")) return { claim: said as Claim };
    } catch (error) {
      failures.note(hook, registration.pluginId, error);
      const text = error instanceof Error ? error.message : String(error);
      firstError ??= safeText(text.split("\n", 1)[0] ?? "");
    }
  }
  return firstError === undefined ? {} : { error: firstError };
}

export type Evaluation = { readonly pluginId: string } & (
  | { readonly status: "completed"; readonly result: unknown }
  | { readonly status: "skipped" }
  | { readonly status: "error"; readonly error: string }
);

/** Calls all handlers in parallel, each with a frozen copy. Returns each result with the plugin's id. */
export async function runAttributed({
  hook,
  registrations,
  event,
  ctx,
  failures,
}: Run): Promise<readonly Evaluation[]> {
  const copies = registrations.map(() => frozen(isolatedCopy(event, `the event of ${hook}`)));
  return Promise.all(
    registrations.map(async (registration, index): Promise<Evaluation> => {
      const { pluginId } = registration;
      try {
        const result = await runHandler(registration, copies[index] as HookEventData, ctx);
        return result === undefined || result === null
          ? { pluginId, status: "skipped" }
          : { pluginId, status: "completed", result };
      } catch (error) {
        failures.note(hook, pluginId, error);
        return { pluginId, status: "error", error: safeText(error instanceof Error ? error.message : String(error)) };
      }
    }),
  );
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

export interface SyncResult {
  readonly message?: unknown;
  readonly block?: true;
}

/**
 * Runs the hooks on a write that must not wait, so promises of handlers are not accepted. Each handler sees the message
 * as changed by the previous handler.
 */
export function runSync({ hook, registrations, event, ctx, failures }: Run): SyncResult | undefined {
  let result: SyncResult | undefined;
  for (const { pluginId, handler } of registrations) {
    const message = result?.message === undefined ? {} : { message: result.message };
    const shown = isolatedCopy({ ...event, ...message }, `the event of ${hook}`);
    try {
      const said: unknown = handler(shown, ctx);
      if (isThenable(said)) {
        said.then(undefined, () => {});
        const problem = `${hook} handler of plugin "${pluginId}" returned a promise, and ${hook} cannot wait for it`;
        if (failures.isClosed(hook)) throw new MalformedResult(problem);
        failures.log.warn(safeText(`${problem}; it is ignored`));
        continue;
      }
      if (said === undefined || said === null) continue;
      if (!isObject(said)) throw new MalformedResult("a result must be an object");
      const blocks = hook === "before_message_write" && flag(said, "block");
      if (said["message"] !== undefined)
        result = { ...result, message: isolatedCopy(said["message"], `the message of ${hook}`) };
      if (blocks) return { ...result, block: true };
    } catch (error) {
      failures.report(hook, pluginId, error);
    }
  }
  return result;
}
