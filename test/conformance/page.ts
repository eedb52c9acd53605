import { resolve } from "node:path";
import { type CaseFamily, type ConformanceCase, type Expectation, isRun, waysOf } from "./case.ts";

/** docs/conformance.md: every case with its expectation, and where it is run. */

export const PAGE_FILE = resolve(import.meta.dirname, "../../docs/conformance.md");

export function renderPage(families: readonly CaseFamily[]): string {
  const all = families.flatMap(({ cases }) => cases);
  const later = all.filter((one) => "later" in one).length;
  const covered = all.filter((one) => "coveredBy" in one).length;
  const twice = all.filter(isRun).filter((one) => waysOf(one).length === 2).length;
  const ran = all.length - later - covered;
  return [
    "# Conformance",
    "",
    "This page lists statements of agents' documentation about hooks, with a test case for each statement. `test/conformance` in",
    "hookbox's repository runs each case with a real engine, real processes and real sockets. For some cases, the table names",
    "another test file, which runs the case. Some agents let an action at a gate go although the hook gave no answer. The cases",
    'for these agents run both ways: by default, and with `compat: "faithful"`, which follows the agent\'s page.',
    "",
    `\`test/conformance\` runs ${ran} cases, ${twice} of which run both ways. Other tests run ${covered} cases. ${later} cases come later.`,
    "`npm run conformance` writes this page.",
    "",
    ...families.flatMap(renderFamily),
  ].join("\n");
}

function renderFamily(family: CaseFamily): string[] {
  return [
    `## ${family.title}`,
    "",
    `The cases come from: ${family.source}. The dialect is \`${family.dialect}\`.`,
    ...(family.note === undefined ? [] : ["", family.note]),
    "",
    "| id | case | expected | |",
    "| --- | --- | --- | --- |",
    ...rowsOf(family.cases),
    "",
  ];
}

/** The rows of a matrix are one line. */
function rowsOf(cases: readonly ConformanceCase[]): string[] {
  const groups = new Map<string, ConformanceCase[]>();
  for (const one of cases) {
    const key = one.matrix === undefined ? one.id : (one.id.split("/")[0] as string);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups].map(([id, members]) => {
    const [first] = members as [ConformanceCase];
    const title = first.matrix === undefined ? first.title : `${first.matrix} (${members.length} rows)`;
    const expected = [...new Set(members.map(expectedOf))].filter((text) => text !== "");
    return `| ${[id, title, expected.length > 3 ? "different for each row" : expected.join(" · "), statusOf(members)].map(cell).join(" | ")} |`;
  });
}

function expectedOf(one: ConformanceCase): string {
  if (!isRun(one)) return "";
  const ways = waysOf(one).map(([, expected]) => summaryOf(expected));
  const [first, faithful = first] = ways as [string, string?];
  return faithful === first ? first : `${first} (faithful: ${faithful})`;
}

function summaryOf({ verdict, throws, runs }: Expectation): string {
  if (throws !== undefined) return `refused with ${throws}`;
  const parts = [];
  const { decision, continue: goesOn, cancelled } = verdict ?? {};
  if (cancelled === true) parts.push("cancelled");
  else if (typeof decision === "string") parts.push(decision === "none" ? "no opinion" : decision);
  if (goesOn === false) parts.push("stops the agent");
  if (parts.length === 0) {
    const fields = Object.keys(verdict ?? {}).map((field) => `\`${field}\``);
    if (fields.length > 0) parts.push(fields.join(", "));
    else if (runs !== undefined)
      parts.push(
        Object.entries(runs)
          .map(([name, times]) => `${name} runs ${times}×`)
          .join(", "),
      );
  }
  return parts.join(", ");
}

function statusOf(members: readonly ConformanceCase[]): string {
  const [first] = members as [ConformanceCase];
  if ("later" in first) return `later: ${first.later}`;
  if ("coveredBy" in first) return `\`${first.coveredBy}\``;
  return members.some((one) => isRun(one) && waysOf(one).length === 2) ? "runs both ways" : "runs";
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
