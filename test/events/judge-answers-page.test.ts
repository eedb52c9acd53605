import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Compat } from "../../src/codec.ts";
import { BUILTIN_DEFAULTS } from "../../src/config/layered-settings.ts";
import { AGENT_TOKENS, MODEL_TOKENS, MOST_TURNS } from "../../src/dialects/asking-handlers.ts";
import { judgeReply } from "../../src/events/judge-answers.ts";
import { contractOfEvent } from "../../src/events/lookup.ts";
import type { Reply } from "../../src/outcome.ts";
import { makeEvent } from "../helpers/rules.ts";

/** What the page on model hooks says about a denial, compared with the code. */

const page = readFileSync(join(import.meta.dirname, "../../docs/llm-hooks.md"), "utf8");
const table = page.slice(page.indexOf("| event | a no |")).split("\n\n")[0] as string;
const rows = table
  .split("\n")
  .slice(2)
  .flatMap((line) => {
    const [, events = "", says = ""] = line.split(" | ").length > 1 ? (/^\| (.*?) \| (.*) \|$/.exec(line) ?? []) : [];
    return [...events.matchAll(/`(\w+)`/g)].map(([, event = ""]) => [event, says] as const);
  });

function noAt(name: string, parts: { continueOnBlock?: boolean; compat?: Compat; impossible?: boolean } = {}): Reply {
  const { continueOnBlock = false, compat = "safer", impossible = false } = parts;
  const event = makeEvent(name, {});
  return judgeReply({ ok: false, reason: "no", impossible }, contractOfEvent(event, compat), name, {
    continueOnBlock,
    compat,
  }).reply;
}

const stops = ({ continue: goesOn }: Reply): boolean => goesOn === false;

describe("a denial, as on the page,", () => {
  test("is described for thirteen events", () => {
    expect(rows).toHaveLength(13);
  });

  test.each(rows)("at %s: %s", (event, says) => {
    const ends = says === "the turn ends";
    const unlessSet = /stops unless `continueOnBlock`|stops, or with `continueOnBlock` continues/.test(says);
    expect(stops(noAt(event))).toBe(ends || unlessSet);
    expect(stops(noAt(event, { continueOnBlock: true }))).toBe(ends);
    const isNothing = says.startsWith("nothing");
    expect(Object.keys(noAt(event)).length === 0).toBe(isNothing);
    const faithful = Object.keys(noAt(event, { compat: "faithful" })).length === 0;
    expect(faithful).toBe(isNothing || says.includes("`faithful`"));
    if (says.startsWith("denied") || says.includes("is denied")) expect(noAt(event).decision).toBe("deny");
    const mayStop = noAt(event, { impossible: true }).decision === undefined && noAt(event).decision !== undefined;
    expect(mayStop).toBe(says.includes('"impossible": true'));
  });
});

test("the defaults that the page names are those of the code", () => {
  const text = page.replace(/\s+/g, " ");
  const { modelTimeoutMs, agentTimeoutMs } = BUILTIN_DEFAULTS;
  expect(text).toContain(
    `\`timeout\`, by default ${modelTimeoutMs / 1_000} seconds, ${agentTimeoutMs / 1_000} for an agent`,
  );
  expect(text).toContain(`limits the answer (default ${MODEL_TOKENS.usual.toLocaleString("en-US")})`);
  expect(text).toContain(`all turns together, default ${AGENT_TOKENS.usual.toLocaleString("en-US")})`);
  expect(text).toContain(`\`maxTurns\` (at most ${MOST_TURNS})`);
});
