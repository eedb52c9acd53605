import type { CaseFamily } from "../case.ts";
import { at, command, decision, prints } from "../claude-hooks.ts";

const PRE = "PreToolUse";

export const running: CaseFamily = {
  title: "Claude Code: which hooks run, how often, and who waits for them",
  source: "Hooks reference (2.1.295), dispatch and async hooks",
  dialect: "claude-code",
  cases: [
    {
      id: "DD1",
      title: "the same hook in two groups of an event runs once",
      config: (kit) => {
        const same = command(kit, "hook", "true");
        return { hooks: { [PRE]: [{ hooks: [same] }, { matcher: "Bash", hooks: [same] }] } };
      },
      expect: { runs: { hook: 1 } },
    },
    {
      id: "DD2",
      title: "the same hook in two files runs once",
      config: (kit) => at(PRE, command(kit, "hook", "true")),
      moreFiles: (kit) => [{ layer: "project", config: at(PRE, command(kit, "hook", "true")) }],
      expect: { runs: { hook: 1 } },
    },
    {
      id: "DD3",
      title: "two hooks that differ in a field both run",
      config: (kit) => {
        const hook = command(kit, "hook", "true");
        return at(PRE, hook, { ...hook, timeout: 60 });
      },
      expect: { runs: { hook: 2 } },
    },
    {
      id: "DD4",
      title: "a duplicate hook runs once for each event",
      times: 2,
      config: (kit) => {
        const same = command(kit, "hook", "true");
        return at(PRE, same, same);
      },
      expect: { runs: { hook: 2 } },
    },
    {
      id: "AS1",
      title: "an async hook decides nothing, and runs to its end",
      config: (kit) => at(PRE, command(kit, "hook", `sleep 0.1; ${prints(decision("deny"))}; exit 2`, { async: true })),
      expect: { verdict: { decision: "none" }, runs: { hook: 1 } },
    },
    {
      id: "AS2",
      title: "an async hook's failure decides nothing, with every onFailure",
      config: (kit) => at(PRE, command(kit, "hook", "exit 1", { async: true, onFailure: "block" })),
      expect: {
        verdict: { decision: "none", continue: true },
        runs: { hook: 1 },
        problems: ["HOOK_CONFIG_INERT"],
      },
    },
    {
      id: "AS3",
      title: "hookbox does not wait for a hook that answers with async: true",
      config: (kit) => at(PRE, command(kit, "hook", `${prints({ async: true })}; sleep 0.2; exit 2`, { timeout: 10 })),
      expect: { verdict: { decision: "none" }, runs: { hook: 1 } },
    },
    {
      id: "AS4",
      title: "hookbox does not wait for a hook that wakes the agent",
      config: (kit) => at(PRE, command(kit, "hook", "sleep 0.1; echo wake up >&2; exit 2", { asyncRewake: true })),
      expect: { verdict: { decision: "none" }, runs: { hook: 1 } },
    },
    {
      id: "RN1",
      title: "a hook's standard input ends after the event",
      config: (kit) => at(PRE, command(kit, "hook", "exec </dev/null; exit 2")),
      expect: { verdict: { decision: "deny" } },
    },
    {
      id: "RN2",
      title: "a hook that never reads its standard input does not fail, even with a long event",
      payload: { tool_input: { command: "x".repeat(300_000) } },
      config: (kit) => at(PRE, command(kit, "hook", prints(decision("allow")))),
      expect: { verdict: { decision: "allow" } },
    },
    {
      id: "RN3",
      title: "a command with args runs without a shell",
      config: (kit) => at(PRE, { type: "command", command: "test", args: ["$HOME", "=", kit.folder] }),
      expect: { verdict: { decision: "none", systemMessage: /exit code 1/ } },
    },
    {
      id: "RN4",
      title: "a hook's environment contains the project's folder",
      config: (kit) => at(PRE, command(kit, "hook", `[ "$CLAUDE_PROJECT_DIR" = '${kit.folder}' ] || exit 2`)),
      expect: { verdict: { decision: "none" } },
    },
    {
      id: "RN5",
      title: "disableAllHooks switches every hook off",
      config: (kit) => ({ disableAllHooks: true, ...at(PRE, command(kit, "hook", "exit 2")) }),
      expect: { verdict: { decision: "none" }, runs: { hook: 0 }, problems: ["HOOK_CONFIG_DISABLED"] },
    },
    {
      id: "RN6",
      title: "hooks of several files add up",
      config: (kit) => at(PRE, command(kit, "one", "exit 2")),
      moreFiles: (kit) => [{ layer: "project", config: at(PRE, command(kit, "two", prints(decision("allow")))) }],
      expect: { verdict: { decision: "deny" }, runs: { one: 1, two: 1 } },
    },
  ],
};
