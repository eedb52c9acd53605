import type { Engine } from "../../engine.ts";
import { hookRow } from "./catalogue.ts";
import { EngineJudge } from "./engine-judge.ts";
import { HookFailure } from "./failure.ts";
import { onceAtATime, runModifying } from "./run-modifying.ts";
import { type Run, runAttributed, runClaiming, runSync, runVoid, type SyncResult } from "./run-others.ts";

/** The engine that is asked after the plugins, and how observers are called. */
interface HookDispatchOptions {
  readonly engine: Engine | undefined;
  /** Whether observers are called one after another, as OpenClaw's page says. */
  readonly isFaithful: boolean;
}

/** Calls all handlers of a hook as its kind requires, and then the engine's rules. */
export async function dispatchHook(run: Run, { engine, isFaithful }: HookDispatchOptions): Promise<unknown> {
  const { hook, registrations, event, ctx, failures } = run;
  const judge = EngineJudge.at(hook, engine);
  switch (hookRow(hook).kind) {
    case "modifying": {
      if (registrations.length === 0 && judge === undefined) return undefined;
      const ask = (): Promise<object | undefined> =>
        runModifying(hook, registrations, event, ctx, { failures, lastWord: judge });
      return hook === "before_prompt_build" ? onceAtATime(ask) : ask();
    }
    case "claiming":
      return (await runClaiming(run)) ?? (await offer(judge, run));
    case "void":
      await Promise.all([runVoid(run, isFaithful), notify(judge, run)]);
      return undefined;
    case "attributed":
      await notify(judge, run);
      return runAttributed(run);
    default:
      return write(judge, run);
  }
}

/** Asks the handlers about a message, then the engine's rules. */
async function write(judge: EngineJudge | undefined, run: Run): Promise<SyncResult | undefined> {
  const { hook, event, ctx, failures } = run;
  const said = runSync(run);
  if (judge === undefined || said?.block === true) return said;
  try {
    const last = await judge.ask({ ...event, ...said }, ctx);
    return last === undefined ? said : { ...said, ...last };
  } catch (error) {
    failures.note(hook, judge.name, error);
    if (judge.shuts) throw new HookFailure(hook, judge.name);
    return said;
  }
}

async function offer(judge: EngineJudge | undefined, { hook, event, ctx, failures }: Run): Promise<unknown> {
  try {
    return await judge?.ask(event, ctx);
  } catch (error) {
    failures.note(hook, "hookbox", error);
    return undefined;
  }
}

async function notify(judge: EngineJudge | undefined, { hook, event, ctx, failures }: Run): Promise<void> {
  try {
    await judge?.notify(event, ctx);
  } catch (error) {
    failures.note(hook, "hookbox", error);
  }
}
