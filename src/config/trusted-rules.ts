import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import type { ParsedConfig } from "../dialects/dialect.ts";
import type { Problem } from "../errors.ts";
import { projectOf } from "../project-folder.ts";
import type { Rule } from "../rule.ts";
import type { Approval } from "../state/approvals.ts";
import { scriptWordsOf } from "./script-words.ts";
import type { Source, SourceTrust } from "./sources.ts";

/** Limits the rules of a repository's file to what the user has approved. */

const BUILTIN = "builtin:";
/** A digest that no module has: a module that was missing at the approval does not run. */
const NO_DIGEST = "0".repeat(64);

export async function limitedByTrust(
  parsed: ParsedConfig,
  { name, content, loweredBy }: Source,
  { approval, changes, moduleFile, cwd }: SourceTrust,
): Promise<ParsedConfig> {
  // Gates stay shut for a missing file that the user's command line names, and for an unreadable file that may be the
  // user's own, in the folder that a variable names.
  const isUnread = approval === undefined && content.kind === "unreadable";
  if (isUnread && (loweredBy !== undefined || !isThere(resolve(cwd, name)))) return parsed;
  if (approval === undefined) return onlyTightening(parsed, name);
  const project = projectOf(name, cwd);
  const rules = parsed.rules.map((rule) => approvedRule(rule, approval, project, moduleFile));
  if (changes.length === 0) return { ...parsed, rules };
  const changed: Problem = {
    severity: "warning",
    code: "HOOK_TRUST_CHANGED",
    message: `the file ${changes.join(" and ")} since you approved it, so its approved content stays in force`,
    hint: REVIEW,
    place: { file: name },
  };
  return { rules, problems: [...parsed.problems, changed] };
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A part of the path is no folder, or the path is too long.
    return false;
  }
}

const REVIEW = 'review it with "hookbox trust", and the same --config and --format';

/**
 * Keeps the rules that can only refuse actions and run no code of the repository. Problems become warnings, because the
 * rules that have them are left out.
 */
function onlyTightening({ rules, problems }: ParsedConfig, file: string): ParsedConfig {
  const kept = rules.filter(isTightening).map((rule) => ({ ...rule, may: rule.may.filter(isRestriction) }));
  const left = rules.filter(({ implied }) => implied !== true).length - kept.length;
  const which =
    left > 0
      ? `${left} of its ${left + kept.length} rules are left out`
      : `${kept.length === 0 ? "" : "its built-in guards judge, and "}its settings have no effect`;
  const missing: Problem = {
    severity: "warning",
    code: "HOOK_TRUST_MISSING",
    message: `the file may have come with the project, and you have not approved it: ${which}`,
    hint: REVIEW,
    place: { file },
  };
  return { rules: kept, problems: [...problems.map((one) => ({ ...one, severity: "warning" as const })), missing] };
}

function isTightening(rule: Rule): boolean {
  const { handler, mode, async, once, lane, may } = rule;
  return (
    handler.type === "wasm" &&
    handler.module.startsWith(BUILTIN) &&
    handler.function === "handle" &&
    handler.sha256 === undefined &&
    handler.grants === undefined &&
    mode === "enforce" &&
    !async &&
    once === undefined &&
    lane === undefined &&
    may.some(isRestriction)
  );
}

const isRestriction = (answer: string): boolean => answer === "deny" || answer === "ask";

/** Lets a rule load only approved modules and run only approved scripts. */
function approvedRule(rule: Rule, approval: Approval, project: string, moduleFile: SourceTrust["moduleFile"]): Rule {
  const { handler } = rule;
  if (handler.type === "wasm" && !handler.module.startsWith(BUILTIN)) {
    const sha256 = own(approval.modules, handler.module) ?? NO_DIGEST;
    return { ...rule, approved: { module: { file: moduleFile(sha256), sha256 } } };
  }
  const words = scriptWordsOf(rule);
  if (words.length === 0) return rule;
  const digests = Object.fromEntries(words.map((word) => [word, own(approval.scripts, word) ?? []]));
  const loads = Object.fromEntries(words.map((word) => [word, own(approval.loads ?? {}, word) ?? {}]));
  return { ...rule, approved: { scripts: { project, digests, loads } } };
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
