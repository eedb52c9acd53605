import { isJsonObject, type JsonObject, type JsonValue } from "../../src/json.ts";
import fc from "../helpers/fc.ts";
import type { Printed } from "./documented-allow.ts";
import type { FaultDialect } from "./expected-meaning.ts";

/** Answers of command hooks that are valid, or nearly. */

const CLAUDE = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };

/** What an agent's hook would print to permit, in its own format or the nearest to it. */
export function allowOf(dialect: FaultDialect): JsonObject {
  if (dialect === "docker-agent") return { hook_specific_output: { permission_decision: "allow" } };
  if (dialect === "autohand") return { decision: "allow", reason: "harmless" };
  if (dialect === "openclaw") return { block: false, params: { timeout: 5 } };
  if (dialect === "patterns") return { decision: "allow" };
  return CLAUDE;
}

const SEEDS: readonly JsonObject[] = [
  CLAUDE,
  { decision: "approve" },
  { decision: "allow", continue: true, reason: "harmless", updatedInput: { command: "ls -l" } },
  { decision: "block", reason: "no" },
  { continue: false, stopReason: "enough" },
  { hook_specific_output: { permission_decision: "allow", updated_input: { cmd: "ls" } } },
  { permissionDecision: "allow", permission: "allow", outcome: "pass", status: "ok", block: false },
  { requireApproval: { title: "t", description: "d", allowedDecisions: ["allow-always"] } },
  { blockingError: "", preventContinuation: false, additionalContext: "c" },
  { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } },
  { attachment_type: "hook_success", payload: { decision: "allow", permissionDecision: "allow" } },
];
const KEYS = [
  ...[
    "decision",
    "Decision",
    "permissionDecision",
    "permission_decision",
    "hookSpecificOutput",
    "hook_specific_output",
  ],
  ...[
    "hookEventName",
    "continue",
    "reason",
    "block",
    "blockingError",
    "preventContinuation",
    "requireApproval",
    "params",
  ],
  ...[
    "updatedInput",
    "updated_input",
    "outcome",
    "status",
    "behavior",
    "async",
    "__proto__",
    "constructor",
    "type",
    "",
  ],
];
const VALUES: readonly JsonValue[] = [
  ...["allow", "approve", "deny", "ask", "block", "defer", "ALLOW", "allow ", "alow", "pass", "ok", "PreToolUse", ""],
  ...[null, true, false, 0, 1, [], {}, ["allow"], { behavior: "allow" }, { permissionDecision: "allow" }],
];

type Mutation = (object: JsonObject) => JsonObject;

/** At the top level, or in an object inside. */
const mutation: fc.Arbitrary<Mutation> = fc
  .record({
    how: fc.constantFrom("set", "drop", "rename", "wrap"),
    key: fc.constantFrom(...KEYS),
    value: fc.constantFrom(...VALUES),
    at: fc.nat({ max: 5 }),
    isInside: fc.boolean(),
  })
  .map(({ how, key, value, at, isInside }): Mutation => {
    const mutate: Mutation = (object) => {
      const entries = Object.entries(object);
      const chosen = entries[at % Math.max(1, entries.length)];
      if (how === "set" || chosen === undefined) return fromEntries([...entries, [key, value]]);
      const others = entries.filter((entry) => entry !== chosen);
      if (how === "drop") return fromEntries(others);
      if (how === "rename") return fromEntries([...others, [key, chosen[1]]]);
      return { [key]: object };
    };
    if (!isInside) return mutate;
    return (object) => {
      const inner = Object.entries(object).find(([, one]) => isJsonObject(one));
      return inner === undefined ? mutate(object) : { ...object, [inner[0]]: mutate(inner[1] as JsonObject) };
    };
  });

/** Keys such as `__proto__` are keys in JSON. */
function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}

/** Changes to a text on its way out. */
const damage: fc.Arbitrary<(text: string) => string> = fc.oneof(
  { weight: 6, arbitrary: fc.constant((text: string) => text) },
  fc
    .constantFrom(" \n", "\ufeff", "log line\n", "{}", '{"decision":"deny"}\n', "[", "//")
    .map((before) => (text: string) => before + text),
  fc
    .constantFrom("\n", "\u0000", "}", "{}", '\n{"decision":"allow"}', ",", "done")
    .map((after) => (text: string) => text + after),
  fc.nat({ max: 60 }).map((at) => (text: string) => text.slice(0, at)),
  fc.constantFrom(
    (text: string) => `[${text}]`,
    (text: string) => JSON.stringify(text),
    (text: string) => text.replace("{", '{"decision":"deny",'),
  ),
);

export function anyPrinted(dialect: FaultDialect): fc.Arbitrary<Printed> {
  const object = fc
    .tuple(
      fc.oneof({ weight: 3, arbitrary: fc.constant(allowOf(dialect)) }, fc.constantFrom(...SEEDS)),
      fc.array(mutation, { maxLength: 3 }),
    )
    .map(([seed, mutations]) => mutations.reduce((value, mutate) => mutate(value), seed));
  const text = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(object, damage).map(([value, damaged]) => damaged(JSON.stringify(value))) },
    fc.json(),
    fc.string({ maxLength: 20 }),
    fc.constantFrom("", "allow", "yes", "true", "null", '"allow"'),
  );
  return fc.record({
    exitCode: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constantFrom(1, 2, 3, 127, 255)),
    stdout: text,
    stderr: fc.constantFrom("", "no", '{"decision":"allow"}'),
  });
}
