import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type Step, stepsOf, withoutFigures } from "./page-commands.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/write-a-guard.md"), "utf8");
const LIMIT_MS = 400_000;

/** What a reader gets from the registry comes from this working copy, and the bundler in the version that is tested. */
function offline(command: string, tarball: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return command.replace(
    "npm install --save-dev hookbox esbuild",
    `npm install --save-dev --prefer-offline --no-audit --no-fund ${tarball} esbuild@${devDependencies.esbuild}`,
  );
}

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

function runStep(step: Step & { kind: "command" }, tarball: string, folder: Reader): void {
  const where = join(tmpdir(), `hookbox-cwd-${process.pid}`);
  const script = `${offline(step.command, tarball)}\ncode=$?\npwd > "${where}"\nexit $code`;
  const { status, stdout, stderr } = spawnSync("sh", ["-c", script], {
    cwd: folder.cwd,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: `${folder.programs}:${process.env["PATH"]}`,
      NO_COLOR: "1",
      npm_config_update_notifier: "false",
    },
  });
  folder.cwd = readFileSync(where, "utf8").trim();
  rmSync(where);
  expect({ command: step.command, status, stderr: status === step.exitCode ? "" : stderr + stdout }).toEqual({
    command: step.command,
    status: step.exitCode,
    stderr: "",
  });
  if (step.output.length === 0) return;
  const shown = (text: string): string[] =>
    text.replaceAll(folder.cwd, "/tmp/project").trimEnd().split("\n").map(withoutFigures);
  expect({ command: step.command, output: shown(stdout) }).toEqual({
    command: step.command,
    output: shown(step.output.join("\n")),
  });
}

test(
  "the newcomer's page works as it is written, from an empty folder and the packed tarball",
  async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-newcomer-")));
    const packed = mkdtempSync(join(tmpdir(), "hookbox-packed-"));
    try {
      // Without scripts: a build would take dist/ away from the tests that run meanwhile.
      await promisify(execFile)("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", packed], {
        cwd: ROOT,
      });
      const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
      const quick = mkdtempSync(join(packed, "programs-"));
      writeQuickNpx(quick);
      const folder: Reader = { cwd, programs: join(packed, "none") };
      const steps = stepsOf(PAGE);
      expect(steps.filter(({ kind }) => kind === "command").length).toBeGreaterThan(10);
      for (const step of steps) {
        if (step.kind === "command") {
          runStep(step, join(packed, `hookbox-${version}.tgz`), folder);
          if (step.command.startsWith("npx ")) folder.programs = quick;
          continue;
        }
        mkdirSync(dirname(join(folder.cwd, step.name)), { recursive: true });
        writeFileSync(join(folder.cwd, step.name), step.text);
      }
      const checked = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", "no-force-push"], {
        cwd,
        encoding: "utf8",
      });
      expect(checked.stdout).toBe("");
    } finally {
      rmSync(cwd, { recursive: true, force: true });
      rmSync(packed, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);
