import { expect, test } from "vitest";
import { BUILTIN_DEFAULTS } from "../../src/config/layered-settings.ts";
import { guardsFor, JUDGE_NAMES } from "../../src/dialects/agents-judges.ts";
import { autohandWriter } from "../../src/dialects/autohand/write-config.ts";
import type { WriteContext } from "../../src/dialects/dialect.ts";
import { dockerAgentWriter } from "../../src/dialects/docker-agent/write-config.ts";
import { SHIPPED_GUARDS } from "../../src/dialects/shipped-guards.ts";
import { parse } from "./parse.ts";

/** Agents' own hooks that judge: each is a guard that ships, and is written back under the agent's name. */

const CONTEXT = { defaults: BUILTIN_DEFAULTS, baseDir: "/base" } as WriteContext;

test("each judge has guards that ship", () => {
  for (const name of JUDGE_NAMES) {
    const guards = guardsFor(name, { defaults: BUILTIN_DEFAULTS }) ?? [];
    expect(guards.length).toBeGreaterThan(0);
    for (const { module } of guards) expect(SHIPPED_GUARDS.map((guard) => `builtin:${guard}`)).toContain(module);
  }
  expect(guardsFor("add_date", { defaults: BUILTIN_DEFAULTS })).toBeUndefined();
});

test("docker-agent's judges are written as its own hooks", async () => {
  const hooks = {
    before_llm_call: [{ type: "builtin", command: "redact_secrets" }],
    pre_tool_use: [{ preempt_yolo: true, hooks: [{ type: "builtin", command: "safer_shell" }] }],
  };
  const { rules } = await parse("docker-agent", { hooks });
  const written = dockerAgentWriter.write(
    rules.filter(({ implied }) => implied !== true),
    CONTEXT,
  );
  expect(written.value).toEqual({ hooks });
});

test("the two guards of Autohand's judge are written as one hook", async () => {
  const hook = { event: "pre-tool", command: "builtin:security-guard", matcher: "^run" };
  const { rules } = await parse("autohand", { hooks: { hooks: [hook] } });
  expect(rules.map(({ name }) => name)).toEqual(["security-guard", "security-guard"]);
  expect(new Set(rules.map(({ id }) => id)).size).toBe(2);
  expect(autohandWriter.write(rules, CONTEXT).value).toEqual({ hooks: { hooks: [hook] } });
});
