import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { sampleOf } from "../../helpers/tier.ts";
import { bashEvent, callShellGuard, judge } from "../shell-guard-verdict.ts";
import { read } from "../verdict.ts";
import { agentCommands } from "./agent-commands.ts";
import { agentEdits } from "./agent-edits.ts";
import { DESTROYING } from "./destroying.ts";
import { npmScripts, type OrdinaryCommand, statementsOfScripts } from "./machine-commands.ts";

/** The smallest numbers of commands that prove something. A machine with fewer shell scripts skips the test. */
const LEAST_NPM_SCRIPTS = 300;
const LEAST_STATEMENTS = 2_000;
const PROJECT = "/home/me/project";

const npm = npmScripts();
const statements = statementsOfScripts();

interface Refused extends OrdinaryCommand {
  readonly decision: string;
  readonly reason: string;
}

/** Returns the commands that are valid, harmless, and refused or put to the user. */
function falselyRefused(commands: readonly OrdinaryCommand[]): Refused[] {
  return commands.flatMap((one) => {
    const { decision, reason } = judge(one.command);
    if (decision === "none" || DESTROYING.some(([, pattern]) => pattern.test(one.command))) return [];
    // The collector splits scripts by their layout only, so that some statements are invalid.
    const isValid = spawnSync("bash", ["-O", "extglob", "-n"], { input: one.command }).status === 0;
    return isValid ? [{ ...one, decision, reason }] : [];
  });
}

describe("ordinary commands", () => {
  test("shell-guard has no opinion on commands and edits that agents usually send", () => {
    const commands = agentCommands();
    expect(commands.length).toBeGreaterThan(400);
    const withDirectory = (command: string): string =>
      JSON.stringify({ ...JSON.parse(bashEvent(command)), cwd: PROJECT });
    const verdicts = commands.map((command) => ({ command, ...read(callShellGuard(withDirectory(command))) }));
    expect(verdicts.filter(({ decision }) => decision !== "none")).toEqual([]);

    const edits = agentEdits(PROJECT).map((edit) => ({ hook_event_name: "PreToolUse", cwd: PROJECT, ...edit }));
    expect(edits.filter((edit) => read(callShellGuard(JSON.stringify(edit))).decision !== "none")).toEqual([]);
  });

  test.skipIf(npm.length < LEAST_NPM_SCRIPTS)("shell-guard refuses no harmless script of an npm package", () => {
    expect(falselyRefused(npm)).toEqual([]);
  });

  test.skipIf(statements.length < LEAST_STATEMENTS)(
    `shell-guard refuses at most one in a thousand harmless statements of the system's shell scripts (needs ${LEAST_STATEMENTS})`,
    () => {
      const tried = sampleOf(statements, 5, () => "statement");
      const refused = falselyRefused(tried);
      console.log(`${refused.length} of ${tried.length} statements of shell scripts are falsely refused`);
      expect(refused.length, JSON.stringify(refused, null, 1)).toBeLessThanOrEqual(tried.length / 1_000);
    },
  );
});
