import type { CaseFamily, Expectation, RunCase } from "../case.ts";
import { at, command, decision, prints, specific } from "../claude-hooks.ts";

const PRE = "PreToolUse";
const STRENGTH = ["deny", "defer", "ask", "allow"];

/** Two hooks of one event; the first takes longer, so that finishing first has no effect. */
function pair(id: string, title: string, texts: readonly [string, string], expect: Expectation, event = PRE): RunCase {
  return {
    id,
    title,
    event,
    config: (kit) => at(event, command(kit, "first", `sleep 0.03; ${texts[0]}`), command(kit, "second", texts[1])),
    expect,
  };
}

const matrix = "the stronger of two decisions counts, in either order";
const precedence = STRENGTH.flatMap((one, index) =>
  STRENGTH.map((other, otherIndex) => ({
    ...pair(`AG1/${one}-${other}`, `${one} and ${other}`, [prints(decision(one)), prints(decision(other))], {
      verdict: { decision: STRENGTH[Math.min(index, otherIndex)] as string },
      runs: { first: 1, second: 1 },
    }),
    matrix,
  })),
);

export const aggregation: CaseFamily = {
  title: "Claude Code: several hooks at one event",
  source: "Hooks reference (2.1.295) and guide, how results combine",
  dialect: "claude-code",
  cases: [
    ...precedence,
    pair(
      "AG2",
      "continue: false outranks a permission",
      [prints({ continue: false, stopReason: "enough" }), prints(decision("allow"))],
      {
        verdict: { continue: false, decision: "deny", stopReason: /: enough$/ },
      },
    ),
    pair(
      "AG3",
      "the verdict keeps all added text, in the order of the configuration",
      [prints(specific(PRE, { additionalContext: "one" })), prints(specific(PRE, { additionalContext: "two" }))],
      {
        verdict: { additionalContext: "one\ntwo" },
      },
    ),
    pair(
      "AG4",
      "the verdict keeps all reasons of a denial, in the order of the configuration",
      [prints(decision("deny", "one")), "echo two >&2; exit 2"],
      {
        verdict: { decision: "deny", reason: /: one\n.*: two$/ },
      },
    ),
    pair(
      "AG5",
      "a hook that rewrites nothing does not undo a rewrite",
      [prints(specific(PRE, { updatedInput: { command: "pwd" } })), "true"],
      {
        verdict: { updatedInput: { command: "pwd" } },
      },
    ),
    pair(
      "AG6",
      "if two hooks rewrite an output, the last hook in the configuration counts",
      [
        prints(specific("PostToolUse", { updatedToolOutput: "one" })),
        prints(specific("PostToolUse", { updatedToolOutput: "two" })),
      ],
      {
        verdict: { updatedOutput: "two" },
      },
      "PostToolUse",
    ),
    {
      id: "AG7",
      title: "all hooks of an event run in parallel",
      config: (kit) =>
        at(
          PRE,
          command(kit, "first", `touch '${kit.folder}/one'; while [ ! -e '${kit.folder}/two' ]; do sleep 0.01; done`, {
            timeout: 5,
          }),
          command(kit, "second", `touch '${kit.folder}/two'; while [ ! -e '${kit.folder}/one' ]; do sleep 0.01; done`, {
            timeout: 5,
          }),
        ),
      expect: { verdict: { decision: "none" }, runs: { first: 1, second: 1 } },
    },
    {
      id: "AG8",
      title: "a denial does not end the other hooks",
      config: (kit) =>
        at(
          PRE,
          command(kit, "first", "exit 2"),
          command(kit, "second", `sleep 0.1; ${prints(specific(PRE, { additionalContext: "late" }))}`),
        ),
      expect: { verdict: { decision: "deny", additionalContext: "late" }, runs: { first: 1, second: 1 } },
    },
    {
      id: "AG9",
      title: "every hook sees the original input, and later the rewritten input",
      config: (kit) =>
        at(
          PRE,
          command(kit, "rewriter", prints(specific(PRE, { updatedInput: { command: "rm -rf /" } }))),
          command(kit, "guard", `cat >>'${kit.folder}/seen'; grep -q 'rm -rf' '${kit.folder}/seen' && exit 2 || true`),
        ),
      expect: { verdict: { decision: "deny", updatedInput: null }, runs: { rewriter: 1, guard: 2 } },
    },
    {
      id: "AG10",
      title:
        "if two hooks rewrite an input, the last hook in the configuration counts, and the other hook judges the new input without a further rewrite",
      config: (kit) =>
        at(
          PRE,
          command(kit, "first", prints(specific(PRE, { updatedInput: { command: "one" } }))),
          command(kit, "second", prints(specific(PRE, { updatedInput: { command: "two" } }))),
        ),
      expect: {
        default: { verdict: { decision: "deny", updatedInput: null }, runs: { first: 2, second: 1 } },
        faithful: { verdict: { decision: "none", updatedInput: { command: "two" }, systemMessage: null } },
      },
    },
    pair(
      "AG11",
      "a failing hook does not change another hook's denial",
      [prints(decision("deny", "because")), "exit 1"],
      {
        verdict: { decision: "deny", reason: /: because$/ },
      },
    ),
    pair(
      "AG12",
      "a failing hook with a harmless failure does not change another hook's permission",
      [prints(decision("allow")), "exit 1"],
      {
        verdict: { decision: "allow", systemMessage: /exit code 1/ },
      },
    ),
    {
      id: "AG13",
      title: "a hook whose matcher does not match does not run",
      config: (kit) => ({ hooks: { [PRE]: [{ matcher: "Write", hooks: [command(kit, "hook", "exit 2")] }] } }),
      expect: { verdict: { decision: "none" }, runs: { hook: 0 } },
    },
  ],
};
