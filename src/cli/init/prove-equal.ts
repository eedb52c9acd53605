import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createEngine, type Engine } from "../../engine.ts";
import { HookError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type { Rule } from "../../rule.ts";
import { readTextRules } from "../convert/read-rules.ts";
import type { HooksFile } from "../hooks/hooks-file.ts";
import { samplesOf, variantsFor } from "../hooks/sample-events.ts";
import { copiedHooks, type Plugin } from "./plugins.ts";

/** Shows that the same rules apply before and after hooks move. No hook runs. */

export interface Move {
  /** The settings with all hooks, and without the hooks that move. */
  readonly before: HooksFile;
  readonly after: HooksFile;
  /** The file to which the hooks of the settings move, and its text. */
  readonly target: string;
  readonly text: string;
  readonly plugins: readonly Plugin[];
}

interface TextFile {
  readonly file: string;
  readonly text: string;
}

/**
 * Compares the rules before and after the move: the same rules, in the same order, selected for the same sample events.
 * No hook runs. Throws if there is a difference. Returns the rules that move.
 */
export async function provenEqual({ before, after, target, text, plugins }: Move): Promise<readonly Rule[]> {
  const { dialect, path } = before;
  const files = {
    all: [{ file: path, text: before.text }, ...plugins.map(({ file }) => ({ file: file.path, text: file.text }))],
    stay: [{ file: path, text: after.text }],
    move: [{ file: target, text }, ...plugins.map((plugin) => ({ file: copiedHooks(plugin), text: plugin.file.text }))],
  };
  const read = async (some: readonly TextFile[]): Promise<readonly Rule[]> => {
    const found: Rule[] = [];
    for (const one of some)
      if (one.text.trim() !== "")
        found.push(...(await readTextRules(one.text, one.file, dialect, dirname(path))).rules);
    return found;
  };
  const [all, stay, move] = [await read(files.all), await read(files.stay), await read(files.move)];
  for (const event of new Set(all.map((rule) => rule.event))) {
    const of = (rules: readonly Rule[]): string[] => rules.filter((rule) => rule.event === event).map(signatureOf);
    if (!isMerge(of(all), of(stay), of(move)))
      throw refusal(`the hooks at ${event} would not be the same rules`, "leave out --absorb");
  }
  const [whole, split] = await Promise.all([
    engineOf(files.all, dialect.name),
    engineOf([...files.stay, ...files.move], dialect.name),
  ]);
  try {
    for (const rule of all) {
      const samples = samplesOf(dialect, rule.event, dirname(path));
      for (const payload of variantsFor(samples, rule, dialect.name))
        if (!isDeepStrictEqual(selected(whole, rule.event, payload), selected(split, rule.event, payload)))
          throw refusal(`other hooks would run at ${rule.event}`, "leave out --absorb");
    }
  } finally {
    await Promise.all([whole.close(), split.close()]);
  }
  return move;
}

export function engineOf(files: readonly TextFile[], dialect: string): Promise<Engine> {
  return createEngine({
    configFiles: files.map((one) => ({ ...one, dialect, layer: "command-line" as const })),
    sandbox: { threads: 1 },
    askServers: "none",
  });
}

function selected(engine: Engine, event: string, payload: JsonObject): readonly string[] {
  const matched = engine.explain(event, payload).filter(({ applies }) => applies);
  return matched.map(({ rule }) => signatureOf(rule)).sort();
}

/** Whether the rules in `left` and `right` are those in `all`, in their order. */
function isMerge(all: readonly string[], left: readonly string[], right: readonly string[]): boolean {
  const rest = [[...left], [...right]];
  return all.every((one) => rest.find(([first]) => first === one)?.shift() !== undefined) && rest.flat().length === 0;
}

/** Everything that decides what a command hook or a web hook does, without its name and place. */
function signatureOf({
  id: _,
  name: _name,
  place: _place,
  codec: _codec,
  identity: _identity,
  baseDir: _folder,
  ...rule
}: Rule): string {
  // The problem of a rule that cannot be loaded names a line, and such a hook stays in the settings.
  return JSON.stringify(rule.handler.type === "broken" ? { ...rule, handler: "broken" } : rule);
}

export function refusal(message: string, hint: string): HookError {
  return new HookError("HOOK_INIT_ABSORB", message, { hint });
}
