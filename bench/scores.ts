// Scores the guards that ship on labelled corpora, with two trivial controls and cc-safety-net in the same run.
// `npm run scores -- --corpora FOLDER`: the folder's README describes its files. Nothing of the folder is copied. With
// `--write`, the figures are written into the READMEs of the guards.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { checkCommand } from "cc-safety-net/api";
import { labelledCommands } from "../test/plugins/labelled/labelled-commands.ts";
import { meteredGuard } from "../test/plugins/metered-guard.ts";
import { read } from "../test/plugins/verdict.ts";

/** Settings of shell-guard for each corpus. The README of shell-guard says which policy difference each explains. */
const SETTINGS: Readonly<Record<string, object>> = JSON.parse(
  readFileSync(new URL("score-settings.json", import.meta.url), "utf8"),
);

type Decision = "deny" | "ask" | "none";
type Judge = (text: string) => Decision;

interface Row {
  readonly text: string;
  readonly isHarmful: boolean;
}

interface Score {
  denied: number;
  asked: number;
  /** Harmful rows that are denied or asked about. */
  caught: number;
  harmful: number;
  /** Harmless rows that are denied or asked about. */
  falselyBlocked: number;
  harmless: number;
  wrong: Row[];
}

function scoreOf(rows: readonly Row[], judge: Judge): Score {
  const score: Score = { denied: 0, asked: 0, caught: 0, harmful: 0, falselyBlocked: 0, harmless: 0, wrong: [] };
  for (const row of rows) {
    const decision = judge(row.text);
    if (decision === "deny") score.denied += 1;
    if (decision === "ask") score.asked += 1;
    const isBlocked = decision !== "none";
    score[row.isHarmful ? "harmful" : "harmless"] += 1;
    if (isBlocked) score[row.isHarmful ? "caught" : "falselyBlocked"] += 1;
    if (isBlocked !== row.isHarmful) score.wrong.push(row);
  }
  return score;
}

const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

/** The rows of the tables in the READMEs of the guards. */
const tables = new Map<string, string[]>();

function keep(guard: string, corpus: string, name: string, { caught, harmful, falselyBlocked, harmless }: Score): void {
  const cells = [`${caught} of ${harmful} (${share(caught, harmful)})`, `${falselyBlocked} of ${harmless}`];
  const rows = tables.get(guard) ?? [];
  tables.set(guard, [...rows, `| ${corpus} | ${name} | ${cells.join(" | ")} |`]);
}

/** Replaces the table of scores in a guard's README. */
function writeScores(guard: string, rows: readonly string[]): void {
  const file = new URL(`../plugins/${guard}/README.md`, import.meta.url);
  const head = ["| commands | judge | caught | falsely blocked |", "| --- | --- | --- | --- |"];
  if (guard === "secret-guard") head[0] = "| texts | judge | caught | falsely blocked |";
  const table = `<!-- scores -->\n\n${[...head, ...rows].join("\n")}\n\n<!-- /scores -->`;
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(/<!-- scores -->[\s\S]*<!-- \/scores -->/, () => table),
  );
}

function print(
  guard: string,
  corpus: string,
  judges: Readonly<Record<string, Judge>>,
  rows: readonly Row[],
  shows: boolean,
): void {
  for (const [name, judge] of Object.entries(judges)) {
    const score = scoreOf(rows, judge);
    const { caught, harmful, falselyBlocked, harmless, denied, asked, wrong } = score;
    keep(guard, corpus, name, score);
    console.log(
      [
        corpus.padEnd(14),
        name.padEnd(28),
        `caught ${caught}/${harmful} (${share(caught, harmful)})`.padEnd(26),
        `falsely blocked ${falselyBlocked}/${harmless} (${share(falselyBlocked, harmless)})`.padEnd(34),
        `deny ${denied} ask ${asked}`,
      ].join("  "),
    );
    if (!shows || !name.includes("-guard")) continue;
    for (const { text, isHarmful } of wrong) {
      console.log(`    ${isHarmful ? "missed" : "false "}  ${JSON.stringify(text).slice(0, 160)}`);
    }
  }
}

const CONTROLS: Readonly<Record<string, Judge>> = { "allow all": () => "none", "deny all": () => "deny" };

const callShellGuard = await meteredGuard("shell-guard");
const callSecretGuard = await meteredGuard("secret-guard");

function decided(answer: ReturnType<typeof callShellGuard>): Decision {
  // A guard that fails denies at a gate.
  return answer.code === 0 ? (read(answer).decision as Decision) : "deny";
}

function shellGuard(config: object): Judge {
  return (command) => {
    const event = { abi: 1, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
    return decided(callShellGuard(JSON.stringify(event), config as Record<string, unknown>));
  };
}

const secretGuard: Judge = (prompt) =>
  decided(callSecretGuard(JSON.stringify({ abi: 1, hook_event_name: "UserPromptSubmit", prompt })));

// An empty home and an empty directory, so that cc-safety-net reads no configuration.
const empty = mkdtempSync(path.join(tmpdir(), "scores-"));
process.env["HOME"] = empty;
const safetyNet: Judge = (command) => {
  try {
    return checkCommand({ command, cwd: empty }).kind === "deny" ? "deny" : "none";
  } catch {
    return "deny";
  }
};

interface Labelled {
  readonly command: string;
  readonly expected: "block" | "allow";
}

interface Secret {
  readonly parts: readonly (string | readonly [string, number])[];
}

const joined = ({ parts }: Secret): string =>
  parts.map((part) => (typeof part === "string" ? part : part[0].repeat(part[1]))).join("");

const { values } = parseArgs({
  options: {
    corpora: { type: "string" },
    show: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
if (values.corpora === undefined) throw new Error("usage: npm run scores -- --corpora FOLDER [--show] [--write]");

function load<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(values.corpora ?? "", name), "utf8"));
}

for (const corpus of ["dcg-default", "safety-net"]) {
  const rows = load<readonly Labelled[]>(`${corpus}.json`).map(({ command, expected }) => ({
    text: command,
    isHarmful: expected === "block",
  }));
  const judges = {
    ...CONTROLS,
    "cc-safety-net": safetyNet,
    "shell-guard, defaults": shellGuard({}),
    "shell-guard, with settings": shellGuard(SETTINGS[corpus] ?? {}),
  };
  print("shell-guard", corpus, judges, rows, values.show);
}
const { positive, negative } = load<{ positive: readonly Secret[]; negative: readonly Secret[] }>("secrets.json");
const secrets = [
  ...positive.map((row) => ({ text: joined(row), isHarmful: true })),
  ...negative.map((row) => ({ text: joined(row), isHarmful: false })),
];
const own = labelledCommands().map(({ command, isHarmful }) => ({ text: command, isHarmful }));
print(
  "shell-guard",
  "labelled",
  { ...CONTROLS, "cc-safety-net": safetyNet, "shell-guard, defaults": shellGuard({}) },
  own,
  values.show,
);
print("secret-guard", "secrets", { ...CONTROLS, "secret-guard": secretGuard }, secrets, values.show);

if (values.write) for (const [guard, rows] of tables) writeScores(guard, rows);
