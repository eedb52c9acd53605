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

const matrix = "of two decisions the stronger counts, in either order";
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
      "all added text is kept, in the order of the configuration",
      [prints(specific(PRE, { additionalContext: "one" })), prints(specific(PRE, { additionalContext: "two" }))],
      {
        verdict: { additionalContext: "one\ntwo" },
      },
    ),
    pair(
      "AG4",
      "all reasons of a denial are kept, in the order of the configuration",
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
      "of two new outputs the last in the configuration counts",
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
      title: "all hooks of an event run side by side",
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
      title: "every hook sees the original input, and once more what a rewrite made of it",
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
        "of two new inputs the last in the configuration counts; the other author is asked about it, and may not change it again",
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
      "a failing hook takes nothing from the others' denial",
      [prints(decision("deny", "because")), "exit 1"],
      {
        verdict: { decision: "deny", reason: /: because$/ },
      },
    ),
    pair(
      "AG12",
      "a failing hook takes nothing from the others' permission when its failure is let go",
      [prints(decision("allow")), "exit 1"],
      {
        verdict: { decision: "allow", systemMessage: /exit code 1/ },
      },
    ),
    {
      id: "AG13",
      title: "nothing runs whose matcher does not fit",
      config: (kit) => ({ hooks: { [PRE]: [{ matcher: "Write", hooks: [command(kit, "hook", "exit 2")] }] } }),
      expect: { verdict: { decision: "none" }, runs: { hook: 0 } },
    },
  ],
};
