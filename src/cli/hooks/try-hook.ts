import type { DecodedEvent } from "../../dialects/dialect.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import type { Activity } from "../../engine/activity.ts";
import { createEngine } from "../../engine.ts";
import { HookError } from "../../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { Receipt } from "../../outcome.ts";
import type { Verdict } from "../../verdict.ts";
import { placed } from "../config-files.ts";
import { sentAsData, sentLines } from "../sent-fields-report.ts";
import type { HooksFile } from "./hooks-file.ts";
import type { Listed } from "./listed-hooks.ts";
import { agentFor, samplesOf, variantsFor } from "./sample-events.ts";

/** Runs a single hook of a file, as if its event had happened. */

export interface Trial {
  readonly event: string;
  /** Whether the event is a sample. */
  readonly isSample: boolean;
  /** The hook's input, as its agent writes it. */
  readonly payload: string;
  readonly exitCode: number | null;
  readonly output: string | null;
  readonly stderr: string | null;
  readonly failure: string | null;
  /** The data that is sent, and the target. `null` if hookbox itself sends nothing for the hook. */
  readonly sends: object | null;
  /** The model and the tokens, for a hook that asks a model. */
  readonly asked: { readonly model: string; readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly milliseconds: number;
  readonly verdict: Verdict;
}

type Finished = Extract<Activity, { readonly type: "hook_finished" }>;

interface TrialOptions {
  /** The payload of the user. `undefined`: a sample event is used. */
  readonly payload: JsonObject | undefined;
  readonly cwd: string;
  /** Called with a line of text before hookbox sends data from this machine. */
  readonly printLine: (line: string) => void;
}

export async function tryHook(
  file: HooksFile,
  hook: Listed,
  { payload, cwd, printLine }: TrialOptions,
): Promise<Trial> {
  const { dialect } = file;
  if (hook.canonicalEvent === null)
    throw new HookError("HOOK_EVENT_UNKNOWN", `${dialect.name} has no event "${hook.event}", so this hook never runs`);
  const agentDialect = agentFor(dialect, hook.canonicalEvent, speaksOf(file, hook));
  const agent = agentDialect.name;
  let finished: Finished | undefined;
  const engine = await createEngine({
    configFiles: [{ ...placed(file.path, cwd), dialect: dialect.name, text: JSON.stringify(alone(file, hook)) }],
    cwd,
    dialect: agent,
    sandbox: { threads: 1 },
    askServers: "none",
    onActivity: (activity) => {
      if (activity.type === "hook_finished") finished ??= activity;
    },
  });
  try {
    const [rule] = engine.rules;
    const broken = engine.problems.find(({ severity }) => severity === "error");
    if (rule === undefined || rule.handler.type === "broken")
      throw new HookError(broken?.code ?? "HOOK_EDIT_HOOK", broken?.message ?? "the hook cannot be read as a rule", {
        ...(broken?.hint === undefined ? {} : { hint: broken.hint }),
      });
    const applies = (sample: JsonObject): boolean =>
      engine.explain(rule.event, sample).some((one) => one.rule === rule && one.applies);
    const given = payload === undefined ? undefined : decoded(dialect.decodeEvent(payload, hook.event), hook.event);
    const samples = given === undefined ? variantsFor(samplesOf(agentDialect, rule.event, cwd), rule, agent) : [given];
    const sample = samples.find(applies);
    if (sample === undefined) {
      const why = engine.explain(rule.event, samples[0] as JsonObject).find((one) => one.rule === rule)?.why;
      throw new HookError("HOOK_EDIT_HOOK", `the hook does not apply to this event: ${why ?? "it does not apply"}`, {
        hint:
          given === undefined
            ? "no sample matches it; give an event with --payload FILE"
            : "give another event with --payload",
      });
    }
    for (const line of sentLines([rule])) printLine(line);
    const begun = performance.now();
    const verdict = await engine.dispatch(rule.event, sample, { only: rule.async ? "async" : "sync" });
    const receipt = finished?.receipt;
    return {
      event: hook.event,
      isSample: given === undefined,
      payload: rule.codec.encodePayload({ name: rule.event, dialect: agent, payload: sample }),
      exitCode: receipt?.exitCode ?? null,
      output: finished?.output ?? null,
      stderr: receipt?.stderr ?? null,
      failure: finished?.failure?.message ?? null,
      sends: sentAsData(rule),
      asked: askedOf(receipt),
      milliseconds: receipt === undefined ? performance.now() - begun : receipt.micros / 1_000,
      verdict,
    };
  } finally {
    await engine.close();
  }
}

function askedOf(receipt: Receipt | undefined): Trial["asked"] {
  if (receipt?.model === undefined) return null;
  const { model, inputTokens = 0, outputTokens = 0 } = receipt;
  return { model, inputTokens, outputTokens };
}

function decoded(event: DecodedEvent, name: string): JsonObject {
  if (!event.ok) throw new HookError("HOOK_PAYLOAD_INVALID", event.message, { hint: `an event for ${name} is needed` });
  return event.payload;
}

/** Returns the `speaks` of a hook in the format `hookbox`. */
function speaksOf({ value }: HooksFile, { entry, aside }: Listed): string | undefined {
  const hook = entry === undefined ? aside?.hook : valueAt(value, entry.path);
  return isJsonObject(hook) && typeof hook["speaks"] === "string" ? hook["speaks"] : undefined;
}

/** Returns the file's value with only this hook, enabled. */
function alone({ editing, value }: HooksFile, { event, entry, aside }: Listed): JsonObject {
  const at = (path: readonly (string | number)[]): JsonValue => valueAt(value, path) as JsonValue;
  const hook = entry === undefined ? (aside?.hook as JsonValue) : at(entry.path);
  const group =
    entry === undefined ? (aside?.group ?? null) : entry.group === null ? null : (at(entry.group) as JsonObject);
  const { hookSwitch } = editing;
  const on = hookSwitch === undefined ? hook : { ...(hook as JsonObject), [hookSwitch]: true };
  return editing.alone(value, event, group === null ? on : { ...group, hooks: [on] });
}
