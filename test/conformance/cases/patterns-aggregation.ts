import type { CaseFamily } from "../case.ts";
import { command, prints, specific } from "../claude-hooks.ts";
import { GENERIC_PAGE, patternsAt } from "../pattern-hooks.ts";

const PRE = "PreToolUse";
const text = (additionalContext: string): string => prints(specific(PRE, { additionalContext }));

export const patternsAggregation: CaseFamily = {
  title: "Generic page: several hooks, and where they come from",
  source: `${GENERIC_PAGE}, aggregation and registration`,
  dialect: "patterns",
  cases: [
    ...[0, 1, 2].map(
      (place) =>
        ({
          id: `GP36/${place + 1}`,
          title: `block in place ${place + 1} of 3`,
          matrix: "a single block is a veto, in every position",
          config: (kit) => {
            const allows = ["one", "two"].map((name) => command(kit, name, prints({ decision: "allow" })));
            return patternsAt(PRE, ...allows.slice(0, place), command(kit, "veto", "exit 2"), ...allows.slice(place));
          },
          expect: { verdict: { decision: "deny" }, runs: { veto: 1, one: 1, two: 1 } },
        }) satisfies CaseFamily["cases"][number],
    ),
    {
      id: "GP37",
      title: "the verdict combines the reasons of all blocking hooks, in the order of the configuration",
      config: (kit) =>
        patternsAt(
          PRE,
          command(kit, "slow", "sleep 0.05; echo one >&2; exit 2"),
          command(kit, "json", prints({ decision: "block", reason: "two" })),
          { type: "http", url: kit.server("server", { body: { continue: false, stopReason: "three" } }) },
        ),
      expect: {
        verdict: { decision: "deny", reason: /: one\n.*: two$/, continue: false, stopReason: /: three$/ },
        reply: { exitCode: 2, stdout: { continue: false, decision: "block" } },
      },
    },
    {
      id: "GP38",
      title: "all errors of hooks are logged, and no error blocks",
      config: (kit) =>
        patternsAt(
          PRE,
          command(kit, "one", "echo first >&2; exit 1"),
          command(kit, "two", "echo second >&2; exit 5"),
          command(kit, "three", text("third")),
        ),
      expect: {
        either: {
          verdict: {
            decision: "none",
            continue: true,
            systemMessage: /first.*\n.*second/,
            additionalContext: "third",
            rules: ["non_blocking_error", "non_blocking_error", "success"].map((outcome) => ({ outcome })),
          },
        },
      },
    },
    {
      id: "GP39",
      title: "errors next to a block are also logged, although the page's sketch of the code omits them",
      config: (kit) => patternsAt(PRE, command(kit, "fails", "echo oops >&2; exit 1"), command(kit, "veto", "exit 2")),
      expect: { either: { verdict: { decision: "deny", systemMessage: /oops/ } } },
    },
    {
      id: "GP40",
      title: "the verdict collects the texts of all hooks, in the order of the configuration",
      config: (kit) =>
        patternsAt(PRE, command(kit, "slow", `sleep 0.05; ${text("one")}`), command(kit, "quick", text("two"))),
      expect: { verdict: { additionalContext: "one\ntwo" } },
    },
    {
      id: "GP41",
      title: "hooks of an event start in parallel, because the page has two different orders",
      config: (kit) => {
        const waits = (own: string, other: string): string =>
          `touch '${kit.folder}/${own}'; while [ ! -e '${kit.folder}/${other}' ]; do sleep 0.01; done`;
        return patternsAt(
          PRE,
          command(kit, "first", waits("one", "two"), { timeout: 10 }),
          command(kit, "second", waits("two", "one"), { timeout: 10 }),
        );
      },
      expect: { either: { verdict: { decision: "none", systemMessage: null }, runs: { first: 1, second: 1 } } },
    },
    {
      id: "GP42",
      title:
        "if two hooks rewrite an input, the later counts on the page, but by default the other hook judges the new input again",
      config: (kit) =>
        patternsAt(
          PRE,
          command(kit, "first", `sleep 0.05; ${prints(specific(PRE, { updatedInput: { command: "one" } }))}`),
          command(kit, "second", prints(specific(PRE, { updatedInput: { command: "two" } }))),
        ),
      expect: {
        default: { verdict: { decision: "deny", updatedInput: null } },
        faithful: { verdict: { decision: "none", updatedInput: { command: "two" }, systemMessage: null } },
      },
    },
    {
      id: "GP43",
      title: "a rewritten input does not bypass a hook with a condition",
      config: (kit) =>
        patternsAt(
          PRE,
          command(kit, "rewriter", prints(specific(PRE, { updatedInput: { command: "git push --force" } }))),
          command(kit, "guard", "exit 2", { if: "Bash(git push*)" }),
        ),
      expect: { either: { verdict: { decision: "deny", updatedInput: null }, runs: { rewriter: 1, guard: 1 } } },
    },
    {
      id: "GP44",
      title: "hooks of user, project, session and code share a single registry and a single verdict",
      layer: "user",
      config: (kit) => patternsAt(PRE, command(kit, "user", text("user"))),
      moreFiles: (kit) => [
        { layer: "project", config: patternsAt(PRE, command(kit, "project", "echo project >&2; exit 2")) },
        { layer: "session", config: patternsAt(PRE, command(kit, "session", text("session"))) },
      ],
      registers: (kit) => [
        { event: PRE, type: "function", run: kit.function("code", () => ({ decision: "block", reason: "code" })) },
      ],
      expect: {
        verdict: {
          decision: "deny",
          reason: /: project\n.*: code$/,
          additionalContext: "user\nsession",
          rules: [
            { outcome: "success" },
            { outcome: "blocking" },
            { outcome: "success" },
            { type: "function", outcome: "blocking" },
          ],
        },
        runs: { user: 1, project: 1, session: 1, code: 1 },
      },
    },
    {
      id: "GP45",
      title: "a hook from code that throws is an error, and no crash",
      event: "PostToolUse",
      registers: (kit) => [
        {
          event: "PostToolUse",
          type: "function",
          run: kit.function("code", () => {
            throw new Error("oops");
          }),
        },
      ],
      config: (kit) => patternsAt("PostToolUse", command(kit, "other", "true")),
      expect: {
        verdict: { decision: "none", rules: [{ outcome: "success" }, { outcome: "non_blocking_error" }] },
        runs: { code: 1, other: 1 },
      },
    },
    {
      id: "GP46",
      title: "hooks in a skill's frontmatter join the same registry",
      coveredBy: "test/agent-pages/patterns.test.ts",
    },
  ],
};
