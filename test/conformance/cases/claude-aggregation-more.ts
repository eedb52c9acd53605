import type { CaseFamily, ConformanceCase, JsonObject } from "../case.ts";
import { at, command, decision, prints, specific } from "../claude-hooks.ts";

const PRE = "PreToolUse";
const SWITCH = "PreModelSwitch";
const SWITCH_STRENGTH = ["deny", "ask", "allow"];

const switchWord = (word: string): string => prints(specific(SWITCH, { permissionDecision: word }));

const modelSwitch = SWITCH_STRENGTH.flatMap((one, index) =>
  SWITCH_STRENGTH.map(
    (other, otherIndex): ConformanceCase => ({
      id: `AG14/${one}-${other}`,
      title: `${one} and ${other}`,
      matrix: "the stronger of two decisions at PreModelSwitch counts, in either order",
      event: SWITCH,
      config: (kit) => at(SWITCH, command(kit, "first", switchWord(one)), command(kit, "second", switchWord(other))),
      expect: { verdict: { decision: SWITCH_STRENGTH[Math.min(index, otherIndex)] as string } },
    }),
  ),
);

const stops = ["deny", "defer", "ask", "allow"].map(
  (word): ConformanceCase => ({
    id: `AG15/${word}`,
    title: word,
    matrix: "continue: false outranks every decision of another hook",
    config: (kit) =>
      at(PRE, command(kit, "says", prints(decision(word))), command(kit, "stops", prints({ continue: false }))),
    expect: { verdict: { continue: false, decision: "deny" }, reply: { stdout: { continue: false } } },
  }),
);

/** Hooks that do not change the input, before or after a hook that rewrites it. */
const SILENT: Readonly<Record<string, string>> = {
  nothing: "true",
  "an-empty-object": prints({}),
  text: "echo fine",
  "only-a-permission": prints(decision("allow")),
  "only-text-for-the-model": prints(specific(PRE, { additionalContext: "read the rules" })),
  "an-error": "exit 1",
};

const kept = Object.entries(SILENT).flatMap(([name, text]) =>
  [true, false].map(
    (isFirst): ConformanceCase => ({
      id: `AG16/${name}-${isFirst ? "before" : "behind"}`,
      title: `${name}, ${isFirst ? "before" : "behind"} it`,
      matrix: "a hook without a rewrite does not change another hook's rewrite, in any order of ends",
      config: (kit) => {
        const silent = command(kit, "silent", `sleep 0.03; ${text}`);
        const rewriter = command(kit, "rewriter", prints(specific(PRE, { updatedInput: { command: "pwd" } })));
        return at(PRE, ...(isFirst ? [silent, rewriter] : [rewriter, silent]));
      },
      expect: { verdict: { updatedInput: { command: "pwd" } } },
    }),
  ),
);

const lastWins = [0.06, 0].map(
  (delay, index): ConformanceCase => ({
    id: `AG17/${index + 1}`,
    title: `the ${index === 0 ? "first" : "second"} ends last`,
    matrix: "with faithful, the last of two rewrites in the configuration counts, in any order of ends",
    config: (kit) => {
      const input = (value: string): JsonObject => specific(PRE, { updatedInput: { command: value } });
      return at(
        PRE,
        command(kit, "first", `sleep ${delay}; ${prints(input("one"))}`),
        command(kit, "second", `sleep ${0.06 - delay}; ${prints(input("two"))}`),
      );
    },
    expect: {
      default: { verdict: { decision: "deny", updatedInput: null } },
      faithful: { verdict: { decision: "none", updatedInput: { command: "two" }, systemMessage: null } },
    },
  }),
);

export const aggregationMore: CaseFamily = {
  title: "Claude Code: rewrites, model switches and callbacks beside each other",
  source: "Hooks reference (2.1.295), how results combine; types of the agent SDK (0.3.329)",
  dialect: "claude-code",
  cases: [
    ...modelSwitch,
    ...stops,
    ...kept,
    ...lastWins,
    {
      id: "AG18",
      title: "continue: false also stops the agent after a failed tool",
      event: "PostToolUseFailure",
      config: (kit) =>
        at("PostToolUseFailure", command(kit, "hook", prints({ continue: false, stopReason: "enough" }))),
      expect: { verdict: { continue: false, stopReason: /: enough$/ } },
    },
    {
      id: "AG19",
      title: "a dropped rewrite's text for the classifier is dropped with the rewrite",
      event: "PostToolUse",
      config: (kit) => {
        const output = (fields: JsonObject): string => prints(specific("PostToolUse", fields));
        return at(
          "PostToolUse",
          command(kit, "first", output({ updatedToolOutput: "one", classifierContext: "about one" })),
          command(kit, "second", output({ updatedToolOutput: "two" })),
        );
      },
      expect: {
        verdict: { updatedOutput: "two", specific: {} },
        reply: { stdout: { hookSpecificOutput: { updatedToolOutput: "two" } } },
      },
    },
    {
      id: "AG20",
      title: "a denial keeps its reason next to a callback that misses its timeout",
      config: (kit) => at(PRE, command(kit, "hook", prints(decision("deny", "because")))),
      registers: (kit) => [
        {
          event: PRE,
          type: "function",
          timeoutMs: 100,
          run: kit.function("hangs", () => new Promise(() => undefined)),
        },
      ],
      expect: { verdict: { decision: "deny", reason: /: because\n.*timeout/ } },
    },
    {
      id: "AG21",
      title: "the verdict has the texts of failing, denying and permitting hooks",
      config: (kit) =>
        at(
          PRE,
          command(kit, "one", prints({ ...decision("allow"), systemMessage: "one" })),
          command(kit, "two", "echo two >&2; exit 1"),
          command(kit, "three", prints({ ...decision("deny", "no"), systemMessage: "three" })),
        ),
      expect: { verdict: { decision: "deny", systemMessage: /^one\n.*two.*\nthree$/ } },
    },
    {
      id: "AS5",
      title: "the engine reports exit code 2 of a hook that wakes the agent at once",
      coveredBy: "test/engine/background.test.ts",
    },
    {
      id: "AS6",
      title: "an async hook ends at its own timeout",
      coveredBy: "test/engine/background.test.ts",
    },
    {
      id: "AS7",
      title: "hookbox waits for a web hook with async, and warns of the key",
      config: (kit) => at(PRE, { type: "http", url: kit.server("hook", { body: decision("deny") }), async: true }),
      expect: { verdict: { decision: "deny" }, runs: { hook: 1 }, problems: ["HOOK_CONFIG_UNKNOWN_KEY"] },
    },
    {
      id: "AS8",
      title: "the model gets an async hook's texts after the hook's end",
      options: { only: "async" },
      config: (kit) => {
        const reply = {
          ...specific(PRE, { additionalContext: "note", permissionDecision: "deny" }),
          systemMessage: "done",
        };
        return at(PRE, command(kit, "hook", prints(reply), { async: true }));
      },
      expect: { verdict: { decision: "none", additionalContext: "note", systemMessage: "done" }, runs: { hook: 1 } },
    },
  ],
};
