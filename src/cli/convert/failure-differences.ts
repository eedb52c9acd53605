import { meaningOfFailure } from "../../aggregate/failure-policy.ts";
import type { Compat } from "../../codec.ts";
import type { Consequence, Remark } from "../../dialects/writing.ts";
import { contractOf } from "../../events/lookup.ts";
import { FAILURE_KINDS } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import { guards } from "./protection.ts";

/** Compares what failures of a rule mean before and after the conversion, with `faithful` and with `safer`. */
export function failureDifferences(from: Rule, to: Rule): Remark[] {
  if (from.async || to.async || !guards(from)) return onlyWritten(from, to, "changed");
  const opened: Difference[] = [];
  const closed: Difference[] = [];
  for (const kind of FAILURE_KINDS) {
    if (SANDBOX.includes(kind)) continue;
    for (const compat of ["faithful", "safer"] as const) {
      const before = denies(kind, from, compat);
      const after = denies(kind, to, compat);
      if (before && !after) opened.push({ kind, compat });
      if (!before && after) closed.push({ kind, compat });
    }
  }
  const word = from.onFailure === undefined ? "failures" : `onFailure ${from.onFailure}`;
  if (opened.length > 0) {
    const why = `${listOf(opened)}: ${to.dialect} lets the action go ahead after it; ${readingOf(opened, from)}it was refused`;
    return [{ what: word, why, consequence: "looser" }];
  }
  if (closed.length > 0) {
    const why = `${listOf(closed)}: ${to.dialect} refuses the action after it; ${readingOf(closed, from)}it went ahead`;
    return [{ what: word, why, consequence: "stricter" }];
  }
  return onlyWritten(from, to, "changed");
}

/** Returns the consequence of a hook that is missing on disk: `stricter` only if the gate denies in both modes. */
export function absenceOnDisk(from: Rule, to: Rule): Consequence {
  if (!guards(from)) return "changed";
  const shuts = (["faithful", "safer"] as const).every((compat) =>
    (["exit", "spawn"] as const).every((kind) => denies(kind, to, compat)),
  );
  return shuts ? "stricter" : "looser";
}

/** Kinds of failure that only wasm rules have. */
const SANDBOX: readonly string[] = ["fuel", "stack", "memory", "trap", "capability", "integrity"];

function denies(kind: (typeof FAILURE_KINDS)[number], rule: Rule, compat: Compat): boolean {
  const contract = contractOf(rule.event, rule.dialect, rule.lane, compat);
  return contract !== undefined && meaningOfFailure(kind, { ...rule, compat }, contract) === "deny";
}

function onlyWritten(from: Rule, to: Rule, consequence: Remark["consequence"]): Remark[] {
  if (from.onFailure === undefined || from.onFailure === to.onFailure) return [];
  const why = `${to.dialect} has no such setting; here the effect on the action is the same`;
  return [{ what: `onFailure ${from.onFailure}`, why, consequence }];
}

interface Difference {
  readonly kind: string;
  readonly compat: Compat;
}

/** Returns the `compat` that the differences are about, if they are about only one. */
function readingOf(differences: readonly Difference[], { dialect }: Rule): string {
  const readings = new Set(differences.map(({ compat }) => compat));
  if (readings.size > 1 || dialect === "hookbox") return "";
  return readings.has("faithful") ? `by ${dialect}'s documentation ` : "in hookbox ";
}

function listOf(differences: readonly Difference[]): string {
  const distinct = [...new Set(differences.map(({ kind }) => kind))];
  return distinct.length === FAILURE_KINDS.length - SANDBOX.length ? "any failure" : distinct.join(", ");
}
