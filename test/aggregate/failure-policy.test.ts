import { describe, expect, test } from "vitest";
import { aggregate } from "../../src/aggregate/aggregate.ts";
import { type FailureMeaning, meaningOfFailure } from "../../src/aggregate/failure-policy.ts";
import { contractOf, EVENT_NAMES } from "../../src/events/lookup.ts";
import type { EventName } from "../../src/events/table.ts";
import { FAILURE_KINDS, type FailureKind } from "../../src/outcome.ts";
import type { Rule } from "../../src/rule.ts";
import { makeEvent } from "../helpers/rules.ts";
import { fails, guard, imported, own, says } from "./rule-outcomes.ts";

/** `cancelled` is the caller's decision and part of no policy. */
const KINDS = FAILURE_KINDS.filter((kind) => kind !== "cancelled");
const COMPATS = ["safer", "faithful"] as const;

const meaning = (kind: FailureKind, rule: Rule, name: EventName): FailureMeaning =>
  meaningOfFailure(kind, { ...rule, event: name }, contractOf(name, "claude-code")!);

const namesWhere = (is: (name: EventName) => boolean): EventName[] => EVENT_NAMES.filter(is);
const row = (name: EventName) => contractOf(name, "claude-code")!;
const observers = namesWhere((name) => row(name).kind === "observer");
const goOn = namesWhere((name) => row(name).blockMeansGoOn);
const shut = namesWhere((name) => row(name).onFailure === "deny");
const open = namesWhere(
  (name) => row(name).kind === "gate" && !row(name).blockMeansGoOn && row(name).onFailure !== "deny",
);

const problem = { severity: "error", code: "HOOK_CONFIG_TYPE", message: "bad" } as const;
const OWN: [string, Rule][] = [
  ["a command in our own format", own("r")],
  ["a guard in our own format", guard("r")],
  ["a guard in an agent's file", { ...guard("r"), dialect: "claude-code" }],
  ["a rule that could not be loaded", own("r", { handler: { type: "broken", declaredType: "http", problem } })],
  [
    "an agent's rule that could not be loaded",
    imported("r", { handler: { type: "broken", declaredType: "command", problem } }),
  ],
];

describe.each(OWN)("a failure of %s", (_what, rule) => {
  const both = COMPATS.map((compat) => ({ ...rule, compat }));

  test.each(shut)("closes %s, whatever its kind and with any compat", (name) => {
    for (const kind of KINDS) for (const one of both) expect([kind, meaning(kind, one, name)]).toEqual([kind, "deny"]);
  });

  test.each([...goOn, ...open, ...observers])("leaves %s open", (name) => {
    for (const kind of KINDS)
      for (const one of both) expect([kind, meaning(kind, one, name)]).toEqual([kind, "continue"]);
  });
});

describe("a failure of an imported command at a gate", () => {
  const safer: Record<Exclude<FailureKind, "cancelled">, FailureMeaning> = {
    timeout: "deny",
    spawn: "deny",
    signal: "deny",
    unavailable: "deny",
    "output-too-large": "deny",
    "invalid-output": "deny",
    turns: "deny",
    exit: "continue",
    "no-output": "continue",
    // No agent has these kinds, so no page leaves a gate open after them.
    fuel: "deny",
    stack: "deny",
    memory: "deny",
    trap: "deny",
    capability: "deny",
    integrity: "deny",
  };
  const ours: FailureKind[] = ["fuel", "stack", "memory", "trap", "capability", "integrity"];
  // Where an agent's own page does not leave the gate open, for these kinds; see the tests below.
  const exceptions: [EventName, FailureKind][] = [
    ["WorktreeCreate", "exit"],
    ["PreModelSwitch", "timeout"],
    // No agent of such a hook leaves it open.
    ["ToolGuard", "exit"],
    ["ToolGuard", "no-output"],
  ];
  const isException = (name: EventName, kind: FailureKind): boolean =>
    exceptions.some(([event, failure]) => event === name && failure === kind);

  describe.each(shut)("%s", (name) => {
    test.each(KINDS.filter((kind) => !isException(name, kind)))(
      "%s: no answer closes it, an answer does not",
      (kind) => {
        expect(meaning(kind, imported("r"), name)).toBe(safer[kind as keyof typeof safer]);
      },
    );

    test.each(KINDS.filter((kind) => !isException(name, kind)))("%s: stays open to the letter of the page", (kind) => {
      const expected = ours.includes(kind) ? "deny" : "continue";
      expect(meaning(kind, imported("r", { compat: "faithful" }), name)).toBe(expected);
    });
  });

  test.each(COMPATS)(
    "a command that exits with 1 at WorktreeCreate refuses, as the agent's page says (%s)",
    (compat) => {
      const rule = imported("r", { compat });
      const event = makeEvent("WorktreeCreate", { name: "tree" });
      const decoded = rule.codec.decodeReply({ exitCode: 1, stdout: "", stderr: "no" }, event);
      const ruleOutcome = decoded.ok
        ? says(rule, decoded.reply)
        : fails(rule, decoded.failure.kind, decoded.failure.message);
      expect(aggregate(event, [ruleOutcome]).decision).toBe("block");
    },
  );

  test.each(COMPATS)("a timeout at PreModelSwitch denies, as the agent's page says (%s)", (compat) => {
    expect(meaning("timeout", imported("r", { compat }), "PreModelSwitch")).toBe("deny");
  });

  test.each([...goOn, ...open, ...observers])("%s is left open", (name) => {
    for (const kind of KINDS)
      for (const compat of COMPATS)
        expect([kind, meaning(kind, imported("r", { compat }), name)]).toEqual([kind, "continue"]);
  });
});

describe("the rule's own setting", () => {
  const rules = [own("r"), guard("r"), imported("r"), imported("r", { compat: "faithful" })];

  test.each([...shut, ...open])('`onFailure: "block"` closes %s for every kind, even to the letter', (name) => {
    for (const kind of KINDS)
      for (const rule of rules)
        expect([kind, meaning(kind, { ...rule, onFailure: "block" }, name)]).toEqual([kind, "deny"]);
  });

  test.each([...goOn, ...observers])('`onFailure: "block"` has no effect at %s', (name) => {
    for (const kind of KINDS)
      for (const rule of rules)
        expect([kind, meaning(kind, { ...rule, onFailure: "block" }, name)]).toEqual([kind, "continue"]);
  });

  test.each(["PreToolUse", "PermissionRequest", "UserPromptSubmit"] as const)(
    '`onFailure: "continue"` opens %s for every kind',
    (name) => {
      for (const kind of KINDS)
        for (const rule of rules)
          expect([kind, meaning(kind, { ...rule, onFailure: "continue" }, name)]).toEqual([kind, "continue"]);
    },
  );
});

describe("in the verdict", () => {
  test.each(shut)("a failure that closes %s is the event's word for no, with the cause", (name) => {
    const verdict = aggregate(makeEvent(name), [fails("audit", "spawn", "audit.sh does not exist")]);
    expect(verdict).toMatchObject({
      decision: row(name).verdicts.includes("deny") ? "deny" : "block",
      reason: "audit: spawn: audit.sh does not exist; the gate stays shut",
      systemMessage: null,
      rules: [{ status: "failed", onFailure: "deny", failure: { kind: "spawn" } }],
    });
  });

  test.each(goOn)("a failure at %s is reported in words that no reader treats as a refusal", (name) => {
    const verdict = aggregate(makeEvent(name), [fails("audit", "spawn", "audit.sh does not exist")]);
    expect(verdict).toMatchObject({
      decision: "none",
      systemMessage: "hookbox: audit: spawn: audit.sh does not exist; nothing keeps the agent going",
    });
  });

  test.each([...open, ...observers])("a failure that leaves %s open is shown to the user", (name) => {
    const verdict = aggregate(makeEvent(name), [fails("audit", "spawn", "audit.sh does not exist")]);
    expect(verdict).toMatchObject({
      decision: "none",
      continue: true,
      reason: null,
      systemMessage: "hookbox: audit: spawn: audit.sh does not exist; the agent goes on",
      rules: [{ status: "failed", onFailure: "continue", decision: null }],
    });
  });

  test("a failing rule that may give no answer closes its gate nevertheless", () => {
    expect(aggregate(makeEvent("PreToolUse"), [fails(own("r", { may: [] }), "trap")]).decision).toBe("deny");
  });

  test("a failure's text is cleaned and cut", () => {
    const message = `\u001b[2J${"x".repeat(20_000)}`;
    for (const name of ["PreToolUse", "Stop"] as const) {
      const verdict = aggregate(makeEvent(name), [fails("r", "exit", message)]);
      const text = verdict.reason ?? verdict.systemMessage ?? "";
      expect(text).toMatch(/^(hookbox: )?r: exit: \[2Jx+… \[\d+ more characters\]; (?:the|nothing) /);
    }
  });

  test("a failure's text is cleaned in the report too", () => {
    const { rules } = aggregate(makeEvent("PreToolUse"), [fails("r", "exit", "\u001b[2Jx")]);
    expect(rules[0]?.failure?.message).toBe("[2Jx");
  });
});
