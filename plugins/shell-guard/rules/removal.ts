import type { Command, Pipeline } from "../../../src/shell/command.ts";
import { ANY, STAR, UNKNOWN } from "../../../src/shell/marks.ts";
import { NAMES, type Protection, show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";
import type { Damage } from "./category.ts";
import { damageOf } from "./table.ts";
import { judgeWrite } from "./writes.ts";

/**
 * Matches variables followed by a slash, with nothing or a wildcard after it. With more text after the slash, empty
 * variables would be a less common mistake.
 */
const BARE = new RegExp(`^${UNKNOWN}+/[/.]*[${STAR}${ANY}]*/?$`);

const WORK_PER_PLACE = 900;

const PROTECTED = damageOf("fs-delete-protected");
const SYSTEM = damageOf("fs-delete-system");
const PROJECT = damageOf("fs-delete-project");
const UNFORCED = damageOf("fs-delete-unforced");
const VARIABLE = damageOf("fs-delete-variable");
const UNSEEN = damageOf("fs-delete-unseen");
const PERMISSIONS = damageOf("fs-permissions");

const DAMAGES: Readonly<Record<Protection, Damage>> = {
  configured: PROTECTED,
  system: SYSTEM,
  project: PROJECT,
  history: PROJECT,
};

const OTHERS = {
  outside: damageOf("fs-delete-outside"),
  above: damageOf("fs-delete-above"),
  cache: damageOf("fs-delete-cache"),
  inside: damageOf("fs-delete-inside"),
};

/** Judges a tree by everything in it, and a single file only by its own path. */
export function judgeRemoval(shell: Shell, call: Call, _command: Command, pipeline: Pipeline): void {
  const isForced = has(call, "--force", "f");
  if (!has(call, "--recursive", "r") && !has(call, "--recursive", "R")) {
    for (const target of operandsOf(call)) judgeWrite(shell, "rm", target, {});
    return;
  }
  // The arguments of a function that removes its arguments are judged where it is called.
  const { defining } = shell;
  if (defining !== undefined && operandsOf(call).some((target) => target[0] === UNKNOWN)) {
    shell.removers ??= new Set();
    shell.removers.add(defining.toLowerCase());
  }
  const how = isForced ? "rm -rf of" : "rm -r of";
  for (const target of operandsOf(call)) judgeTree(shell, how, target, { isForced });
  const isSeen = call.args.includes(":::") || pipeline.data?.inputs !== undefined || pipeline.data?.found !== undefined;
  if (call.takesInput && isForced && !isSeen) shell.report(UNSEEN, "rm -rf of names that are read");
}

interface Removal {
  /** Whether nothing asks before a file is removed. */
  readonly isForced: boolean;
  /** Whether only some of the files in the tree are removed. */
  readonly isFiltered?: boolean;
}

/** Judges the removal of a path with everything in it. */
export function judgeTree(shell: Shell, how: string, target: string, { isForced, isFiltered = false }: Removal): void {
  const found = shell.protection(target, { system: true, inside: true, work: !isFiltered });
  if (found !== undefined) {
    const damage = DAMAGES[found];
    const isMild = damage === PROJECT && !isForced;
    shell.report(isMild ? UNFORCED : damage, `${how} ${NAMES[found]}: ${show(target)}`);
    return;
  }
  if (target === "") return;
  shell.spend(WORK_PER_PLACE);
  // If the variable is unset, everything in the root directory is removed.
  if (target[0] === UNKNOWN && BARE.test(target)) shell.report(VARIABLE, `${how} ${show(target)}`);
  const place = shell.places.whereabouts(target);
  if (place === "temporary" || place === "unknown" || (place === "inside" && !isForced)) return;
  const damage = place === "outside" && !isForced ? UNFORCED : OTHERS[place];
  // Inside of the project this passes by default, which is the usual case.
  if (shell.policy.decide(damage) === "pass") return;
  shell.report(damage, `${how} ${show(target)}`);
}

/** Judges a recursive chmod or chown of a whole system directory, which locks users out. */
export function judgePermissions(shell: Shell, call: Call): void {
  if (!has(call, "--recursive", "R")) return;
  // The operands include the mode or the owner, which never looks like a protected path.
  for (const target of operandsOf(call)) {
    if (shell.protection(target, { system: true }) === undefined) continue;
    shell.report(PERMISSIONS, `${call.name} -R of a protected path: ${show(target)}`);
  }
}
