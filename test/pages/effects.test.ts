import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DIALECT_NAMES } from "../../src/dialects/registry.ts";
import { agentNamed, type Said } from "../e2e/agents-by-hand.ts";
import { type Cell, COLUMNS, EFFECTS } from "../e2e/effect-table.ts";
import { inProcess } from "../e2e/in-process.ts";

/** docs/effects.md and each of its cells. HOOKBOX_DOCS=write writes the page. */

const PAGE = resolve(import.meta.dirname, "../../docs/effects.md");
const GUARDS = ["shell-guard", "path-guard", "secret-guard", "self-guard"];

let folder: string;
let config: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hookbox-effects-"));
  config = join(folder, "hookbox.json");
  const hooks = GUARDS.map((name) => ({ type: "wasm", module: `builtin:${name}`, timeoutMs: 20_000 }));
  writeFileSync(config, JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the table has all dialects", () => {
  expect([...COLUMNS].sort()).toEqual([...DIALECT_NAMES].sort());
});

test.each(COLUMNS)(
  "%s: each harmful call is refused by the named guard, and each harmless call runs",
  async (column) => {
    const agent = agentNamed(column);
    const rows = EFFECTS.flatMap((effect) => {
      const cell = effect.cells[column];
      return typeof cell === "string" ? [] : [{ ...effect, cell }];
    });
    const payloads = rows.flatMap(({ cell, harm, harmless }) =>
      [harm, harmless].map((about) => agent.call(cell.tool, cell.input(about))),
    );
    const stdin = payloads.map((payload) => `${JSON.stringify(payload)}\n`).join("");
    const args = ["run", "--lines", "--patience", "60s", "--config", config, "--dialect", column];
    const { stdout } = await inProcess(args, { stdin });
    const lines = stdout.trim().split("\n");
    const answers = lines.filter((line) => !("method" in (JSON.parse(line) as object)));
    const seen = rows.map(({ name, guard }, index) => {
      const [refusal = "", reply = ""] = answers.slice(2 * index, 2 * index + 2);
      const isNamed = refusal.includes(`${guard}: `);
      return { name, harm: agent.next(saidIn(refusal)), isNamed, harmless: agent.next(saidIn(reply)) };
    });
    expect(seen).toEqual(rows.map(({ name }) => ({ name, harm: "refuses", isNamed: true, harmless: "runs the tool" })));
  },
);

/** Reads an answer line as the client of the dialect does. */
function saidIn(line: string): Said {
  const answer = JSON.parse(line) as Partial<Said> & { readonly result?: Said };
  if (answer.result !== undefined) return answer.result;
  return answer.exitCode === undefined ? { exitCode: 0, stdout: line, stderr: "" } : (answer as Said);
}

test("the page shows the table (npm run docs:write writes it)", () => {
  if (process.env["HOOKBOX_DOCS"] === "write") writeFileSync(PAGE, page());
  expect(readFileSync(PAGE, "utf8")).toBe(page());
});

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function page(): string {
  return `${[
    "# Effects by agent",
    "",
    "Agents give the same work different tools. This page lists dangerous effects, and for each dialect the tool of the call.",
    "Each cell is a test: the agent's own payload goes through hookbox with four [guards that ship](shipped-guards.md) in their",
    "default settings (`shell-guard`, `path-guard`, `secret-guard`, `self-guard`), and the reply refuses the call. The same call",
    "without the danger runs. A cell with a reason and without a tool has no test. `npm run docs:write` writes this page.",
    "",
    row(["a call that", "guard", ...COLUMNS]),
    row(["---", "---", ...COLUMNS.map(() => "---")]),
    ...EFFECTS.map(({ name, guard, cells }) =>
      row([name, `\`${guard}\``, ...COLUMNS.map((column) => shown(cells[column]))]),
    ),
    "",
    "The harmful calls:",
    "",
    row(["a call that", "denied", "runs"]),
    row(["---", "---", "---"]),
    ...EFFECTS.map(({ name, harm, harmless }) => row([name, code(harm), code(harmless)])),
  ].join("\n")}\n`;
}

function shown(cell: Cell | string): string {
  if (typeof cell === "string") return cell;
  return cell.because === undefined ? `\`${cell.tool}\`` : `\`${cell.tool}\`: ${cell.because}`;
}

const code = (text: string): string => `\`${text.trimEnd().replace(/glpat-.*/, "glpat-…")}\``;
