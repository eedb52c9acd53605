import { pointerOf } from "../../config/document.ts";
import { BUILTIN_DEFAULTS } from "../../config/layered-settings.ts";
import type { ConfigWriter, Dialect } from "../../dialects/dialect.ts";
import { unreadable } from "../../dialects/write-hook.ts";
import type { Fate, Remark } from "../../dialects/writing.ts";
import type { Problem } from "../../errors.ts";
import type { Rule } from "../../rule.ts";
import { differencesOf } from "./differences.ts";
import { formatConfig } from "./format-config.ts";
import type { Loss } from "./loss.ts";
import { canRefuse, lossOfRule } from "./protection.ts";
import { type FileRules, readTextRules } from "./read-rules.ts";
import { settingLosses } from "./setting-losses.ts";

export interface Conversion {
  /** The text of the new file. */
  readonly text: string;
  readonly losses: readonly Loss[];
  /** Each rule that was read, with the corresponding rules of the new file. */
  readonly carried: readonly { readonly rule: Rule; readonly as: readonly Rule[] }[];
}

interface ConversionTarget {
  readonly dialect: Dialect;
  readonly writer: ConfigWriter;
  /** The name of the new file. The reader and the layout may depend on this name. */
  readonly file: string;
  readonly baseDir: string;
}

/**
 * Writes rules in another dialect. Each written rule is read with the dialect's own reader and compared with the
 * original rule, so losses do not rely on what the writer reports. A rule that was not read back is left out and
 * reported.
 */
export async function convertRules(source: FileRules, target: ConversionTarget): Promise<Conversion> {
  const refused = new Map<Rule, string>();
  for (const rule of source.rules) {
    const why = unreadable(rule) ?? unenforced(rule, target.dialect);
    if (why !== undefined) refused.set(rule, why);
  }
  for (;;) {
    const attempt = await write(source, refused, target);
    for (const [rule, why] of attempt.refused) refused.set(rule, why);
    if (attempt.refused.size > 0) continue;
    const there = { dialect: target.dialect.name, rules: attempt.read.rules };
    const losses = source.rules.flatMap((rule) => lossesOf(rule, refused, attempt));
    return {
      text: attempt.text,
      losses: [...settingLosses(source.settings, attempt.read.settings, there), ...losses],
      carried: source.rules.map((rule) => ({ rule, as: attempt.found.get(rule) ?? [] })),
    };
  }
}

/** Returns why a monitor rule cannot be converted: in the other dialect the rule would decide. */
function unenforced({ mode }: Rule, dialect: Dialect): string | undefined {
  if (mode === "enforce" || dialect.name === "hookbox") return undefined;
  return `${dialect.name} has no monitor mode: the hook's answers would take effect`;
}

interface Attempt {
  readonly text: string;
  readonly read: FileRules;
  readonly found: ReadonlyMap<Rule, readonly Rule[]>;
  readonly remarks: ReadonlyMap<Rule, readonly Remark[]>;
  readonly refused: ReadonlyMap<Rule, string>;
}

async function write(
  { rules, settings }: FileRules,
  out: ReadonlyMap<Rule, string>,
  { dialect, writer, file, baseDir }: ConversionTarget,
): Promise<Attempt> {
  const kept = rules.filter((rule) => !out.has(rule));
  // A dialect without priorities asks rules in the order of the file.
  const ordered = writer.keepsPriority ? kept : [...kept].sort((a, b) => b.priority - a.priority);
  const defaults = { ...BUILTIN_DEFAULTS, ...settings.defaults };
  const { value, fates } = writer.write(ordered, { settings, defaults, baseDir });
  const text = await formatConfig(value, file, dialect.name);
  const read = await readTextRules(text, file, dialect, baseDir);
  const sound = new Map(
    read.rules.filter(({ handler }) => handler.type !== "broken").map((rule) => [rule.place?.pointer, rule]),
  );
  const errors = read.problems.filter(({ severity }) => severity === "error");
  const found = new Map<Rule, readonly Rule[]>();
  const remarks = new Map<Rule, readonly Remark[]>();
  const refused = new Map<Rule, string>();
  for (const [index, rule] of ordered.entries()) {
    const fate = fates[index] as Fate;
    if ("refused" in fate) {
      refused.set(rule, fate.refused);
      continue;
    }
    const pointers = fate.paths.map(pointerOf);
    const back = pointers.flatMap((pointer) => sound.get(pointer) ?? []);
    if (back.length === pointers.length) {
      found.set(rule, back);
      remarks.set(rule, fate.remarks);
    } else {
      const why = nearest(errors, pointers)?.message ?? "the result does not contain it";
      refused.set(rule, `${dialect.name} cannot read it: ${why}`);
    }
  }
  if (refused.size === 0 && errors.length > 0)
    throw new Error(`the file that was written has an error: ${errors[0]?.message}`);
  return { text, read, found, remarks, refused };
}

/** Returns the problem whose place is nearest to one of the pointers. */
function nearest(errors: readonly Problem[], pointers: readonly string[]): Problem | undefined {
  const distance = ({ place }: Problem): number =>
    Math.max(...pointers.map((pointer) => sharedLength(pointer, place?.pointer ?? "")));
  return [...errors].sort((a, b) => distance(b) - distance(a))[0];
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function lossesOf(rule: Rule, refused: ReadonlyMap<Rule, string>, { found, remarks, read }: Attempt): Loss[] {
  const named = { rule: rule.name, event: rule.event, place: rule.place ?? null };
  const why = refused.get(rule);
  if (why !== undefined) return [{ ...named, what: "the whole hook", why, consequence: lossOfRule(rule) }];
  const as = found.get(rule) ?? [];
  const [first] = as;
  if (first === undefined) return [];
  const recorded = (remarks.get(rule) ?? []).map((remark) => ({
    ...remark,
    consequence: remark.consequence === "looser" && !canRefuse(rule) ? ("changed" as const) : remark.consequence,
  }));
  return [...recorded, ...differencesOf(rule, first), ...twice(rule, as, found, read)].map((remark) => ({
    ...named,
    ...remark,
  }));
}

/** Returns a remark if the reader of the new file treats two different hooks as equal hooks. */
function twice(rule: Rule, as: readonly Rule[], found: Attempt["found"], { rules }: FileRules): Remark[] {
  const identities = new Set(as.flatMap(({ identity }) => identity ?? []));
  const before = [...found].find(
    ([other, others]) =>
      other !== rule &&
      other.event === rule.event &&
      others.some(({ identity }) => identity !== undefined && identities.has(identity)) &&
      (rule.identity === undefined || rule.identity !== other.identity) &&
      rules.indexOf(others[0] as Rule) < rules.indexOf(as[0] as Rule),
  )?.[0];
  if (before === undefined) return [];
  const why = "the reader of the new file takes it for the same hook as an earlier one, and runs it once if both match";
  return [{ what: "duplicate", why, consequence: "changed" }];
}
