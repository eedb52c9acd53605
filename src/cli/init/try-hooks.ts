import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { asCaller } from "../../caller.ts";
import { valueAt } from "../../dialects/hook-sections.ts";
import type { Engine } from "../../engine.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Rule } from "../../rule.ts";
import type { Verdict } from "../../verdict.ts";
import { removeHook } from "../hooks/changes.ts";
import type { HooksFile } from "../hooks/hooks-file.ts";
import { samplesOf, variantsFor } from "../hooks/sample-events.ts";
import { withText } from "./own-entries.ts";
import { engineOf, type Move, refusal } from "./prove-equal.ts";
import { whyStays } from "./why-stays.ts";

/** The sample events for which each hook runs. */
const SAMPLES = 3;

/**
 * Runs the hooks that move on sample events: as the agent runs them, and with the variables that they have after the
 * move. Throws if an answer differs.
 */
export async function tryHooks(
  { before, target, text, plugins }: Move,
  rules: readonly Rule[],
  { variables, cwd }: { readonly variables: readonly string[]; readonly cwd: string },
): Promise<void> {
  const { dialect, path, value } = before;
  const ofPlugins = plugins.map(({ file }) => ({ file: file.path, text: file.text }));
  const own = await onlyMovable(before);
  const [old, moved] = await Promise.all([
    engineOf([{ file: path, text: own.text }, ...ofPlugins], dialect.name),
    engineOf([{ file: target, text }, ...ofPlugins], dialect.name),
  ]);
  const set = valueAt(value, ["env"]);
  const whole = { ...process.env, ...(isJsonObject(set) ? (set as Record<string, string>) : {}) };
  const part = Object.fromEntries(variables.flatMap((name) => (name in whole ? [[name, whole[name]]] : [])));
  try {
    for (const [event, payload] of samplesFor(rules, old, { dialect, cwd })) {
      const first = await asCaller({ cwd, environment: whole }, () => old.dispatch(event, payload));
      const second = await asCaller({ cwd, environment: part }, () => moved.dispatch(event, payload));
      if (isDeepStrictEqual(answerOf(first, path), answerOf(second, target))) continue;
      throw refusal(
        `the hooks at ${event} answer differently after the move: ${shown(first)}, then ${shown(second)}, for ${JSON.stringify(payload)}`,
        "a hook may read a variable that its command does not name; name it there, or leave out --absorb",
      );
    }
  } finally {
    await Promise.all([old.close(), moved.close()]);
  }
}

async function onlyMovable(file: HooksFile): Promise<HooksFile> {
  let now = file;
  for (;;) {
    const { value } = now;
    const hook = now.hooks.find(
      ({ entry, canonicalEvent }) =>
        entry !== undefined && whyStays(valueAt(value, entry.path), canonicalEvent) !== undefined,
    );
    if (hook === undefined) return now;
    now = await withText(now, (await removeHook(now, hook)).text);
  }
}

/** Returns events for which each rule runs, each event once. */
function samplesFor(
  rules: readonly Rule[],
  engine: Engine,
  { dialect, cwd }: Pick<HooksFile, "dialect"> & { readonly cwd: string },
): readonly (readonly [event: string, payload: JsonObject])[] {
  const found = new Map<string, readonly [string, JsonObject]>();
  for (const rule of rules) {
    const { event } = rule;
    const fits = variantsFor(samplesOf(dialect, event, cwd), rule, dialect.name).filter((payload) =>
      engine.explain(event, payload).some((one) => one.applies && isSameHook(one.rule, rule)),
    );
    for (const payload of fits.slice(0, SAMPLES)) found.set(JSON.stringify([event, payload]), [event, payload]);
  }
  return [...found.values()];
}

const isSameHook = (one: Rule, other: Rule): boolean => isDeepStrictEqual(one.handler, other.handler);

/** Returns everything that the agent gets. */
function answerOf({ rules: _, problems: _problems, ...said }: Verdict, file: string): object {
  return JSON.parse(JSON.stringify(said).replaceAll(basename(file), "FILE")) as object;
}

function shown({ decision, reason }: Verdict): string {
  return reason === null ? decision : `${decision} (${reason})`;
}
