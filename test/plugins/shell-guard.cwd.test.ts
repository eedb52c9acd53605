import { describe, expect, test } from "vitest";
import { callShellGuard, fixtures } from "./shell-guard-verdict.ts";
import { type Fixture, read } from "./verdict.ts";

/** Fixtures without a working directory. Agents nearly always send one. */
const anywhere = fixtures.filter(
  ({ event, reason }) => !("cwd" in event) && !reason?.includes("directory of the call is unknown"),
);

// Deep enough that a climbing path in a fixture stays where the fixture means it to be.
const DIRECTORIES = ["/srv/team/app", "/home/u/app", "/root/app", "/Users/u/src/app", "/tmp/app"];

const verdictOf = ({ event, config }: Fixture, more: object): string =>
  read(callShellGuard(JSON.stringify({ abi: 1, ...event, ...more }), config)).decision;

describe.each(DIRECTORIES)("in %s", (cwd) => {
  // What lies next to /tmp/app is temporary.
  const here = anywhere.filter(({ reason }) => cwd !== "/tmp/app" || reason !== "fs-delete-above");
  test.each(here)("$name", (fixture) => {
    expect(verdictOf(fixture, { cwd })).toBe(fixture.decision);
  });
});

describe.each(["/work", "/home/u", "/home/u/p", "/root", "/"])("the home directory from %s", (cwd) => {
  const event = (command: string): Fixture => ({
    name: command,
    event: { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } },
    decision: "deny",
  });

  test.each([
    ...["rm -rf ~", "rm -rf ~/", "rm -rf ~/*", "rm -rf $HOME", 'rm -rf "$HOME"/', "rm -rf ${HOME}/.ssh", "rm -rf ~u"],
    ...["rm -rf ~/..", "rm -rf /home/u", "rm -rf /root", "rm -rf //$HOME", "find ~ -delete", "chmod -R 777 ~"],
    ...[
      "cd ~ && rm -rf *",
      "cd && rm -rf *",
      "cd ~; rm -rf .ssh",
      "pushd ~ && rm -rf .",
      "cd /tmp && cd ~/p && rm -rf ..",
    ],
    ...["(cd ~ && rm -rf .)", "cd ~/a && cd /tmp && cd - && rm -rf ..", "echo ~ | xargs rm -rf", "sh -c 'rm -rf ~'"],
  ])("%s", (command) => {
    expect(verdictOf(event(command), { cwd })).toBe("deny");
  });
});
