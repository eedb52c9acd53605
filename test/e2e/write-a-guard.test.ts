import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { RUNS_ALL } from "../helpers/tier.ts";
import { inProcess } from "./in-process.ts";
import { INSTALL, installInto } from "./newcomer.ts";
import { type Step, stepsOf, withoutFigures } from "./page-commands.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/write-a-guard.md"), "utf8");
const LIMIT_MS = 400_000;

/**
 * What npx does where the package is installed, without npm's start, which takes as long as the command. The page's first
 * command with npx is run by npm's own.
 */
function writeQuickNpx(folder: string): void {
  const script = '#!/bin/sh\nprogram=$1\nshift\nexec "./node_modules/.bin/$program" "$@"\n';
  writeFileSync(join(folder, "npx"), script, { mode: 0o755 });
}

interface Reader {
  cwd: string;
  /** Searched for programs before all others. */
  programs: string;
}

/** A machine with too much to do misses the deadline of the page's rule, and its reader asks once more. */
const IS_LATE = /timeout: no answer within/;
const MAX_TRIES = 20;

const HOOKBOX = /^npx hookbox ((?:[\w./-]+ ?)+)$/;

/** What the command line says and does, from this process, but for the first time: to start it takes longer. */
async function runHere(step: Step & { kind: "command" }, cwd: string): Promise<boolean> {
  const [, args] = HOOKBOX.exec(step.command) ?? [];
  if (RUNS_ALL || args === undefined) return false;
  const { exitCode, stdout, stderr } = await inProcess(args.split(" "), { cwd });
  expectSaid(step, cwd, { status: exitCode, stdout, stderr });
  return true;
}

function expectSaid(
  step: Step & { kind: "command" },
  cwd: string,
  { status, stdout, stderr }: { readonly status: number | null; readonly stdout: string; readonly stderr: string },
): void {
  expect({ command: step.command, status, stderr: status === step.exitCode ? "" : stderr + stdout }).toEqual({
    command: step.command,
    status: step.exitCode,
    stderr: "",
  });
  if (step.output.length === 0) return;
  const shown = (text: string): string[] =>
    text.replaceAll(cwd, "/tmp/project").trimEnd().split("\n").map(withoutFigures);
  expect({ command: step.command, output: shown(stdout) }).toEqual({
    command: step.command,
    output: shown(step.output.join("\n")),
  });
}

function runStep(step: Step & { kind: "command" }, folder: Reader): void {
  const where = join(tmpdir(), `hookbox-cwd-${process.pid}`);
  const script = `${step.command}\ncode=$?\npwd > "${where}"\nexit $code`;
  const run = () =>
    spawnSync("sh", ["-c", script], {
      cwd: folder.cwd,
      encoding: "utf8",
      env: {
        ...process.env,
        PATH: `${folder.programs}:${process.env["PATH"]}`,
        NO_COLOR: "1",
        npm_config_audit: "false",
        npm_config_fund: "false",
        npm_config_prefer_offline: "true",
        npm_config_update_notifier: "false",
      },
    });
  let result = run();
  for (let tries = 1; tries < MAX_TRIES && IS_LATE.test(result.stdout); tries += 1) result = run();
  folder.cwd = readFileSync(where, "utf8").trim();
  rmSync(where);
  expectSaid(step, folder.cwd, result);
}

test(
  "the newcomer's page works as it is written, from an empty folder and the packed tarball",
  async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-newcomer-")));
    const programs = mkdtempSync(join(tmpdir(), "hookbox-programs-"));
    try {
      writeQuickNpx(programs);
      const folder: Reader = { cwd, programs: join(programs, "none") };
      const steps = stepsOf(PAGE);
      expect(steps.filter(({ kind }) => kind === "command").length).toBeGreaterThan(10);
      expect(steps[0]).toMatchObject({ command: INSTALL });
      await installInto(cwd);
      for (const step of steps.slice(1)) {
        if (step.kind === "command") {
          const isFirst = folder.programs !== programs;
          if (isFirst || !(await runHere(step, folder.cwd))) runStep(step, folder);
          if (step.command.startsWith("npx ")) folder.programs = programs;
          continue;
        }
        mkdirSync(dirname(join(folder.cwd, step.name)), { recursive: true });
        writeFileSync(join(folder.cwd, step.name), step.text);
      }
      if (!RUNS_ALL) return;
      const checked = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", "no-force-push"], {
        cwd,
        encoding: "utf8",
      });
      expect(checked.stdout).toBe("");
    } finally {
      rmSync(cwd, { recursive: true, force: true });
      rmSync(programs, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);
