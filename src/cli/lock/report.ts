import { formatPlace } from "../../errors.ts";
import type { Rule } from "../../rule.ts";
import { grants } from "../../sandbox/index.ts";
import { cleanLine } from "../../text.ts";
import { columns, formatBytes, type Paint } from "../paint.ts";
import type { Change, Difference } from "./changes.ts";
import type { ReviewedModule } from "./review.ts";

/** Describes one module to the user who has to accept or refuse the module. */

const LABELS: Readonly<Record<Change["change"], string>> = {
  new: "new",
  changed: "changed",
  removed: "no longer configured",
  same: "as locked",
  unfit: "cannot be locked",
};

const COLOURS = { new: "yellow", changed: "yellow", removed: "dim", same: "green", unfit: "red" } as const;

const MAX_FAILED_FIXTURES = 5;

/** Returns the lines for one module: its differences from the lock file, or a description if there are none. */
export function describeChange(change: Change, reviewed: ReviewedModule | undefined, paint: Paint): readonly string[] {
  const head = `${cleanLine(change.module, 200)}  ${paint(COLOURS[change.change], LABELS[change.change])}`;
  if (reviewed === undefined) {
    return [
      change.change === "same"
        ? `${cleanLine(change.module, 200)}  ${paint("dim", "not named by these files; kept")}`
        : head,
    ];
  }
  const about = change.change === "same" ? [] : aboutModule(reviewed);
  const details = [
    ...about,
    ...columns(change.differences.map((one) => [clean(one.what), ...beforeAndAfter(one)])),
    ...reviewed.fixtures
      .filter(({ passed }) => !passed)
      .slice(0, MAX_FAILED_FIXTURES)
      .map(({ name, message = "" }) => `fixture "${cleanLine(name, 100)}": ${cleanLine(message, 300)}`),
    ...reviewed.problems.map(({ code, message }) => `${paint("red", "error")}  ${message}  ${paint("dim", code)}`),
    ...needsOf(reviewed).map((line) => paint("cyan", line)),
  ];
  return [head, ...details.map((line) => `  ${line}`)];
}

function beforeAndAfter({ what, before, after }: Difference): readonly string[] {
  if (SETS.has(what)) {
    return [
      [before === "" ? "" : `- ${clean(before)}`, after === "" ? "" : `+ ${clean(after)}`].filter(Boolean).join("   "),
    ];
  }
  return [`${clean(before)} -> ${clean(after)}`];
}

const SETS: ReadonlySet<string> = new Set(["imports", "capabilities", "grants", "may"]);

const clean = (text: string): string => cleanLine(text, 300);

function aboutModule({ inspection, fixtures, rules }: ReviewedModule): readonly string[] {
  if (inspection === undefined) return [];
  const { manifest, bytes, digest, summary, problems } = inspection;
  const name = manifest === null ? "no manifest" : `${clean(manifest.name)} ${clean(manifest.version)}`;
  return [
    `${name}, ${formatBytes(bytes)}, sha256 ${digest}`,
    ...(problems.length === 0 ? [summary, passes(fixtures)] : []),
    ...rules.flatMap((rule) => [describeRule(rule), ...grantsOf(rule)]),
  ];
}

function passes(fixtures: ReviewedModule["fixtures"]): string {
  const passed = fixtures.filter((one) => one.passed).length;
  return fixtures.length === 0 ? "has no fixtures" : `passes ${passed} of its ${fixtures.length} fixtures`;
}

/** Returns the line that lists the grants that the rule lacks. */
function needsOf({ inspection }: ReviewedModule): readonly string[] {
  const { needs = [], granted = [] } = inspection ?? {};
  return needs.every((one) => granted.includes(one)) ? [] : [`it needs ${grants.toWrite(needs)} in its rule`];
}

/** Returns the grants of a rule, because the guard's manifest may ask for other capabilities. */
function grantsOf({ handler }: Rule): readonly string[] {
  const lines = handler.type === "wasm" ? grants.lines(handler.grants) : [];
  return lines.map((line) => `  grants ${clean(line)}`);
}

function describeRule({ name, event, matcher, may, mode, place }: Rule): string {
  const where = place === undefined ? "" : ` (${formatPlace(place)})`;
  const answers = may.length === 0 ? "no answers" : `may ${may.join(", ")}`;
  const monitor = mode === "monitor" ? ", monitor" : "";
  return clean(`used by ${name}${where}: ${event}${matcher === undefined ? "" : ` ${matcher}`}, ${answers}${monitor}`);
}
