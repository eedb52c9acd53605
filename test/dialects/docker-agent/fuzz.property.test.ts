import { expect, test } from "vitest";
import { stringify } from "yaml";
import { loadConfig } from "../../../src/config/load.ts";
import { dockerAgentCodec } from "../../../src/dialects/docker-agent/codec.ts";
import { dockerAgent } from "../../../src/dialects/docker-agent/dialect.ts";
import { AGENT_EVENTS, canonicalEvent } from "../../../src/dialects/docker-agent/spelling.ts";
import { contractOf } from "../../../src/events/lookup.ts";
import type { JsonObject } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { makeVerdict } from "../replies.ts";

const load = (text: string, file = "agent.yaml") =>
  loadConfig([{ file, text, layer: "user", dialect: "docker-agent" }], [], "/");

/** A guard, and any other content around it. */
const guard = { matcher: "shell", hooks: [{ type: "command", command: "./guard.sh" }] };
const junk = fc.jsonValue({ maxDepth: 3 });
const key = fc.oneof(
  fc.constantFrom(
    ...AGENT_EVENTS,
    "hooks",
    "matcher",
    "type",
    "command",
    "preempt_yolo",
    "agents",
    "settings",
    "safer",
  ),
  fc.string({ maxLength: 8 }),
);

/** Either the hook guards the gate, or a broken rule refuses there. */
async function isShutOrGuarded(text: string): Promise<boolean> {
  const { rules } = await load(text);
  return rules.some(
    ({ event, handler }) =>
      (event === "PreToolUse" || event === "*") &&
      (handler.type === "broken" || (handler.type === "command" && handler.command === "./guard.sh")),
  );
}

test("whatever is around a guard, it guards or its gate is shut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(key, junk, { maxKeys: 4 }),
      fc.dictionary(key, junk, { maxKeys: 4 }),
      fc.dictionary(key, junk, { maxKeys: 3 }),
      async (top, agent, hooks) => {
        const root = { ...agent, hooks: { ...hooks, pre_tool_use: [guard] } };
        const text = stringify({ ...top, agents: { root } });
        expect(await isShutOrGuarded(text)).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
});

test("a hole in the text of a guard leaves the gate shut or guarded, or the text without the event", async () => {
  const whole = stringify({ agents: { root: { hooks: { pre_tool_use: [guard] } } } });
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), fc.nat(12), fc.string({ maxLength: 3 }), async (at, length, put) => {
      const text = whole.slice(0, at) + put + whole.slice(at + length);
      const { rules, problems } = await load(text);
      const stands = rules.some(({ event }) => event === "PreToolUse" || event === "*");
      // If a key on the path to the hook has changed, the text no longer contains a recognisable guard.
      const isElsewhere =
        !/^agents:\n {2}root:\n {4}hooks:\n {6}pre_tool_use:\n {8}- matcher: shell\n {10}hooks:\n/.test(text);
      expect(stands || isElsewhere || problems.length > 0).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("no text makes the reader throw", async () => {
  const line = fc.tuple(fc.nat(4), key, fc.constantFrom("", " []", " {}", " true", " '", " *a", " &a x", " !!x y"));
  const text = fc
    .array(line, { maxLength: 8 })
    .map((lines) => lines.map(([depth, name, value]) => `${"  ".repeat(depth)}${name}:${value}`).join("\n"));
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, fc.string()), async (text) => {
      const { problems, rules } = await load(text);
      for (const { severity, place } of problems) if (severity === "error") expect(place?.file).toBe("agent.yaml");
      const errors = problems.filter(({ severity }) => severity === "error");
      if (errors.length > 0) expect(rules.some(({ handler }) => handler.type === "broken")).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("no payload makes the codec throw, and what is read can be written", () => {
  const payload = fc.dictionary(
    fc.oneof(fc.constantFrom("tool_name", "tool_input", "hook_event_name", "stop_response", "__proto__"), fc.string()),
    fc.oneof(junk, fc.constantFrom("shell", "fetch", "pre_tool_use", "stop")),
  );
  fc.assert(
    fc.property(payload, fc.option(fc.constantFrom(...AGENT_EVENTS)), (payload, name) => {
      const decoded = dockerAgent.decodeEvent(payload as JsonObject, name ?? undefined);
      if (!decoded.ok) return;
      expect(typeof dockerAgent.recognises(payload as JsonObject)).toBe("boolean");
      const event = makeEvent(decoded.name, decoded.payload, "docker-agent");
      expect(JSON.parse(dockerAgentCodec.encodePayload(event))).toBeTypeOf("object");
    }),
    { numRuns: 500 },
  );
});

test("no verdict makes the reply throw, and a refusal is never written as anything else", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...AGENT_EVENTS),
      fc.constantFrom("allow", "deny", "ask", "defer", "block", "none" as const),
      fc.boolean(),
      fc.option(fc.string(), { nil: null }),
      fc.option(fc.dictionary(fc.string(), junk), { nil: null }),
      (name, decision, goesOn, reason, input) => {
        const event = canonicalEvent(name)!;
        const parts = { decision, continue: goesOn, reason, updatedInput: input as JsonObject | null };
        const payload = { tool_name: "Bash" };
        const { stdout, exitCode } = dockerAgent.encodeReply(makeVerdict(event, parts), { name: event, payload });
        const refuses = /"permission_decision":"deny"|"decision":"block"/.test(stdout) || exitCode === 2;
        const refused = decision === "deny" || decision === "block" || !goesOn;
        const gate = contractOf(event, "docker-agent")?.kind === "gate";
        if (refused && gate) expect(refuses).toBe(true);
        if (refused) expect(stdout).not.toContain('"permission_decision":"allow"');
      },
    ),
    { numRuns: 500 },
  );
});
